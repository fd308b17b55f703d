internal import Foundation
package import RustleFiles

/// The value of a record's field in JSON and CSV.
package enum Value: Sendable {
  case string(String)
  case integer(Int64)
  case number(Double)
  /// Written with the fewest digits that identify it among floats.
  case float(Float)
  case bool(Bool)
  /// Not known: `null` in JSON, an empty field in CSV.
  case null
  /// Not applicable: JSON leaves the field out, CSV leaves it empty.
  case absent
  case array([Value])
  case object([(String, Value)])
}

package protocol FieldValue {
  var field: Value { get }
}

extension Value: FieldValue { package var field: Value { self } }
extension String: FieldValue { package var field: Value { .string(self) } }
extension Int: FieldValue { package var field: Value { .integer(Int64(self)) } }
extension Int64: FieldValue { package var field: Value { .integer(self) } }
extension UInt64: FieldValue { package var field: Value { .integer(Int64(clamping: self)) } }
extension Double: FieldValue { package var field: Value { .number(self) } }
extension Float: FieldValue { package var field: Value { .float(self) } }
extension Bool: FieldValue { package var field: Value { .bool(self) } }
extension Optional: FieldValue where Wrapped: FieldValue { package var field: Value { self?.field ?? .null } }
extension Array: FieldValue where Element: FieldValue { package var field: Value { .array(map(\.field)) } }

extension ByteText {
  /// Appends a value as JSON (RFC 8259).
  package mutating func append(json value: Value) {
    switch value {
    case .string(let string): append(json: string)
    case .integer(let integer): append(integer)
    // A level of minus infinity is the absence of a level.
    case .number(let number): append(json: number)
    case .float(let number): append(number.isFinite ? number.description : "null")
    case .bool(let bool): append(bool ? "true" : "false")
    case .null, .absent: append("null")
    case .array(let values):
      var separator = "["
      for value in values {
        append(separator)
        append(json: value)
        separator = ","
      }
      append(values.isEmpty ? "[]" : "]")
    case .object(let fields):
      var separator = "{"
      for case (let name, let value) in fields {
        if case .absent = value { continue }
        append(separator)
        append(json: name)
        append(":")
        append(json: value)
        separator = ","
      }
      append(separator == "{" ? "{}" : "}")
    }
  }

  /// Appends a value as a cell of CSV; one that CSV cannot hold is empty.
  package mutating func append(csv value: Value) {
    switch value {
    case .string(let text): append(csv: text)
    case .number(let number): append(csv: number)
    case .float(let number) where !number.isFinite: break
    case .null, .absent, .array, .object: break
    case .integer, .float, .bool: append(json: value)
    }
  }
}

/// The formats of numbers for people, the same in every locale.
package enum Numbers {
  /// A number in a format of `String(format:)`; a dash for nil and for non-finite numbers. A rounded zero has no sign.
  package static func text(_ number: Double?, _ format: String, _ glyphs: Glyphs) -> String {
    guard let number, number.isFinite else { return String(glyphs.unknown) }
    let text = String(format: format, number)
    // Most numbers have no sign.
    guard text.utf8.contains(UInt8(ascii: "-")) else { return text }
    if text.allSatisfy({ "-0.".contains($0) }) { return text.replacing("-", with: "") }
    return text.replacing("-", with: String(glyphs.minus))
  }

  /// A level to a tenth of a decibel.
  package static func level(_ level: Double?, _ glyphs: Glyphs) -> String { text(level, "%.1f", glyphs) }

  /// A number with its sign, except at zero: `+12.3`, `-0.4`, `0.0`.
  package static func signed(_ number: Double, digits: Int = 1, _ glyphs: Glyphs) -> String {
    let text = text(number, "%.\(min(max(digits, 0), 3))f", glyphs)
    return number > 0 && text.contains { ("1"..."9").contains($0) } ? "+" + text : text
  }

  /// A frequency in Hz with five to seven digits: `440.000`, `4186.01`.
  package static func hertz(_ frequency: Double) -> String {
    String(format: frequency < 1_000 ? "%.3f" : "%.2f", frequency)
  }

  /// The shortest text of a number, without a needless fraction.
  package static func plain(_ number: Double, digits: Int = 6) -> String { String(format: "%.\(digits)g", number) }

  /// A time in clock notation, to a tenth of a second: `0:01.5`, `1:02:03.0`.
  package static func time(_ seconds: Double, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero)
    -> String
  {
    let tenths = Int((seconds * 10).rounded(rule))
    let (minutes, end) = (tenths / 600, String(format: "%02d.%d", tenths / 10 % 60, tenths % 10))
    return minutes < 60 ? "\(minutes):\(end)" : "\(minutes / 60):" + String(format: "%02d:", minutes % 60) + end
  }
}

extension String {
  package func leftPadded(to count: Int) -> String { String(repeating: " ", count: max(0, count - self.count)) + self }

  package func rightPadded(to count: Int) -> String { self + String(repeating: " ", count: max(0, count - self.count)) }

  package var withoutSpacesAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}

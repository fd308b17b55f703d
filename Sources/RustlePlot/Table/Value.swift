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

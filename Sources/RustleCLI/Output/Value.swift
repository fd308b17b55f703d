import RustleMarket

/// The value of a record's field in JSON and CSV.
enum Value: Sendable {
  case string(String)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  /// Written with the fewest digits that identify it among floats.
  case float(Float)
  case decimal(ExactDecimal)
  case bool(Bool)
  /// Not known: `null` in JSON, an empty field in CSV.
  case null
  /// Not applicable: JSON leaves the field out, CSV leaves it empty.
  case absent
  case array([Value])
  case object([(String, Value)])
}

protocol FieldValue {
  var field: Value { get }
}

extension Value: FieldValue { var field: Value { self } }
extension String: FieldValue { var field: Value { .string(self) } }
extension Int: FieldValue { var field: Value { .integer(Int64(self)) } }
extension Int64: FieldValue { var field: Value { .integer(self) } }
extension UInt64: FieldValue { var field: Value { .unsigned(self) } }
extension Double: FieldValue { var field: Value { .number(self) } }
extension Float: FieldValue { var field: Value { .float(self) } }
extension Bool: FieldValue { var field: Value { .bool(self) } }
extension ExactDecimal: FieldValue { var field: Value { .decimal(self) } }
extension Optional: FieldValue where Wrapped: FieldValue { var field: Value { self?.field ?? .null } }
extension Array: FieldValue where Element: FieldValue { var field: Value { .array(map(\.field)) } }

extension ByteText {
  /// Appends a value as JSON (RFC 8259).
  mutating func append(json value: Value) {
    switch value {
    case .string(let string): append(json: string)
    case .integer(let integer): append(integer)
    case .unsigned(let integer): append(integer)
    // JSON has no infinities; a level of minus infinity is the absence of a level.
    case .number(let number): append(number.isFinite ? number.description : "null")
    case .float(let number): append(number.isFinite ? number.description : "null")
    case .decimal(let number): append(number)
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

  /// Appends a value as a field of CSV. A text with a comma, a quote or a line break is quoted (RFC 4180, section 2); a value
  /// that CSV cannot hold is empty.
  mutating func append(csv value: Value) {
    switch value {
    case .string(let text):
      let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline }
      append(isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\"")
    case .number(let number) where !number.isFinite: break
    case .float(let number) where !number.isFinite: break
    case .null, .absent, .array, .object: break
    case .integer, .unsigned, .number, .float, .decimal, .bool: append(json: value)
    }
  }
}

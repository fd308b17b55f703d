/// Writes one JSON object on one line, its fields in the order in which they are added (RFC 8259).
struct JSONLine {
  /// A JSON value.
  enum Value {
    case string(String)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case bool(Bool)
    case null
    case array([Value])
    case object([(String, Value)])
  }

  private var fields: [(String, Value)]

  /// Starts a record of the first version of its schema: every line begins with `"v":1`.
  init() { fields = [("v", .integer(1))] }

  /// Adds a field. Names carry their unit: `hz`, `db`, `t_ms`.
  mutating func add(_ name: String, _ value: Value) { fields.append((name, value)) }

  /// The line, line feed included.
  var text: String { Self.text(of: .object(fields)) + "\n" }

  private static func text(of value: Value) -> String {
    switch value {
    case .string(let string): quoted(string)
    case .integer(let integer): String(integer)
    case .unsigned(let integer): String(integer)
    // JSON has no infinities; a level of minus infinity is the absence of a level.
    case .number(let number): number.isFinite ? String(number) : "null"
    case .bool(let bool): bool ? "true" : "false"
    case .null: "null"
    case .array(let values): "[" + values.map { text(of: $0) }.joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { quoted($0.0) + ":" + text(of: $0.1) }.joined(separator: ",") + "}"
    }
  }

  /// A JSON string with its quotation marks.
  static func quoted(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// Writes the records of a CSV file.
enum CSVLine {
  /// One record, line feed included.
  static func text(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\n" }

  /// One field. With a comma, a quote or a line break in it, it is quoted (RFC 4180, section 2).
  static func field(_ field: String) -> String {
    let isPlain = !field.contains { $0 == "," || $0 == "\"" || $0.isNewline }
    return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}

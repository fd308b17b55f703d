/// Writes the records of a CSV file.
enum CSVLine {
  /// One record, line feed included. A field with a comma, a quote or a line break is quoted (RFC 4180, section 2).
  static func text(_ fields: [String]) -> String {
    fields.map { field in
      let isPlain = !field.contains { $0 == "," || $0 == "\"" || $0.isNewline }
      return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
    }.joined(separator: ",") + "\n"
  }
}

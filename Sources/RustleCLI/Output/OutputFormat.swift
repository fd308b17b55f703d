internal import ArgumentParser

/// How results are written to standard output.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// A live view on a terminal, text elsewhere.
  case auto
  /// For people.
  case text
  /// One JSON object a line, with a version field.
  case ndjson
  /// A header and one record a line (RFC 4180 quoting).
  case csv
}

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

  /// Whether it is no format for programs.
  var isForPeople: Bool { self == .auto || self == .text }
}

/// The options of every command that writes records.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How to write the result to standard output.",
      discussion: "auto: for people, a live view where the command has one and output is a terminal. ndjson: one JSON "
        + "object a line, with \"v\":1. csv: a header and one record a line."))
  var format: OutputFormat = .auto

  @Flag(help: "Short for --format ndjson.")
  var json = false

  @Flag(help: "Draw with plain ASCII characters.")
  var ascii = false

  /// The format in force.
  var effectiveFormat: OutputFormat { json ? .ndjson : format }
  /// What standard output can show now.
  var profile: TerminalProfile { .standardOutput(isASCIIAskedFor: ascii) }
  /// The screen of a live view; nil where there is to be none.
  var screen: LiveScreen? {
    effectiveFormat == .auto && profile.isLive ? .standardOutput(isASCIIAskedFor: ascii) : nil
  }

  func validate() throws {
    if json && format != .auto && format != .ndjson {
      throw ValidationError("expected --json or --format \(format.rawValue), got both")
    }
  }

  /// Refuses CSV, in which a command has no records.
  func refuseCSV() throws {
    if effectiveFormat == .csv { throw ValidationError("--format: expected auto, text or ndjson, got csv") }
  }
}

internal import ArgumentParser

enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// A live view on a terminal, text elsewhere.
  case auto
  case text
  /// One JSON object per line, with a version field.
  case ndjson
  /// A header and one record per line (RFC 4180 quoting).
  case csv

  var isForPeople: Bool { self == .auto || self == .text }
}

struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format of the result on standard output.",
      discussion: "auto: text, or a live view where the command has one and output is a terminal. ndjson: one JSON "
        + "object per line, with \"v\":1. csv: a header and one record per line."))
  var format: OutputFormat = .auto

  @Flag(help: "Write one JSON object per line; short for --format ndjson.")
  var json = false

  @Flag(help: "Draw with plain ASCII characters.")
  var ascii = false

  var effectiveFormat: OutputFormat { json ? .ndjson : format }
  var profile: TerminalProfile { .present(isASCIIAskedFor: ascii) }
  var screen: LiveScreen? {
    effectiveFormat == .auto && profile.isLive ? .on(StandardStream.output, isASCIIAskedFor: ascii) : nil
  }

  func validate() throws {
    if json && format != .auto && format != .ndjson {
      throw ValidationError("--json cannot be used with --format \(format.rawValue)")
    }
  }

  func refuseCSV() throws {
    if effectiveFormat == .csv { throw ValidationError("--format: expected auto, text or ndjson, got csv") }
  }
}

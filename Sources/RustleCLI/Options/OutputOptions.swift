internal import ArgumentParser

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

  func validate() throws {
    if json && format != .auto && format != .ndjson {
      throw ValidationError("expected --json or --format \(format.rawValue), got both")
    }
  }
}

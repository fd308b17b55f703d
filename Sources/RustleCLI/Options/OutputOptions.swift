internal import ArgumentParser
import Foundation
import Logging
import RustleCore
import RustleFiles
import RustlePlot

/// The formats that a command can write.
protocol FormatChoice: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {
  static var auto: Self { get }
  static var meanings: String { get }
  var format: OutputFormat { get }
}

extension FormatChoice {
  var format: OutputFormat { OutputFormat(rawValue: rawValue) ?? .auto }
}

extension OutputFormat: FormatChoice {
  static var meanings: String { RecordFormat.meanings + "\ncsv: a header and one record per line." }
}

/// The formats of records that have no table.
enum RecordFormat: String, FormatChoice {
  case auto, text, ndjson

  static let meanings =
    "auto: text, or on a terminal a live view where the command has one.\nndjson: one JSON object per line; "
    + "its member v is the version of the fields."
}

/// Those of a stream that other programs read: in a pipe or a file it is NDJSON if nothing else is asked for.
enum StreamFormat: String, FormatChoice {
  case auto, text, ndjson

  static let meanings =
    "auto: text on a terminal, as a live view where the command has one, and ndjson otherwise.\nndjson: one JSON object per line; "
    + "its member v is the version of the fields."

  var format: OutputFormat {
    switch self {
    case .auto: StandardStream.isTerminal(StandardStream.output) ? .auto : .ndjson
    case .text: .text
    case .ndjson: .ndjson
    }
  }
}

typealias OutputOptions = FormatOptions<OutputFormat>
typealias RecordOptions = FormatOptions<RecordFormat>
typealias StreamOptions = FormatOptions<StreamFormat>

/// The format of a command's result.
struct FormatOptions<Choice: FormatChoice>: ParsableArguments {
  @Option(help: ArgumentHelp("The format of the result on standard output.", discussion: Choice.meanings))
  var format = Choice.auto

  @Flag(help: "Write one JSON object per line; short for --format ndjson.")
  var json = false

  @Flag(help: "Draw with plain ASCII characters.")
  var ascii = false

  var effectiveFormat: OutputFormat { json ? .ndjson : format.format }
  var profile: TerminalProfile { .present(isASCIIAskedFor: ascii) }
  var screen: LiveScreen? {
    effectiveFormat == .auto && profile.isLive ? .on(StandardStream.output, isASCIIAskedFor: ascii) : nil
  }

  func validate() throws {
    if json && ![OutputFormat.auto, .ndjson].map(\.rawValue).contains(format.rawValue) {
      throw ValidationError("--json cannot be used with --format \(format.rawValue)")
    }
  }
}

extension OutputFormat {
  /// The line with the number of records missing before the next one; empty for CSV, whose rows are records.
  ///
  /// - Parameters:
  ///   - records: their name in text: `updates`.
  ///   - kind: their kind in NDJSON; nil for a single kind.
  func gap(_ count: UInt64, of records: String, kind: String? = nil, profile: TerminalProfile) -> String {
    switch self {
    case .ndjson: "{\"v\":1,\(kind.map { "\"kind\":\"\($0)\"," } ?? "")\"gap\":\(count)}\n"
    case .csv: ""
    case .auto, .text: "\(profile.glyphs.ellipsis) \(count) \(records) missing here\n"
    }
  }
}

extension Table where Record: Sendable {
  /// Writes the records of a stream to standard output, and the numbers of those that are missing in their places, to its end.
  ///
  /// - Parameters:
  ///   - stream: the stream; without one nothing is written.
  ///   - records: the name of the records in text.
  ///   - kind: that of the table.
  /// - Throws: as `LineWriter`, and `CommandFailure` for a stream that failed.
  func write(_ stream: EngineStream<Record>?, of records: String, kind: String? = nil) async throws {
    guard let stream else { return }
    for await batch in stream.batches() {
      var text = ByteText()
      for element in batch {
        switch element {
        case .gap(let count): text.append(format.gap(count, of: records, kind: kind, profile: profile))
        case .value(let record): append(record, to: &text)
        }
      }
      try LineWriter.standardOutput.write(Data(text.bytes))
    }
    try stream.requireEnd()
  }
}

extension EngineStream {
  /// - Throws: `CommandFailure` for a stream that failed.
  func requireEnd() throws {
    switch outcome {
    case .failed(let reason): throw CommandFailure(.unavailable, reason)
    case .panicked(let reason): throw CommandFailure(.internal, reason)
    case .ended, .cancelled, nil: break
    }
  }
}

struct LogOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Log debug messages to standard error.")
  var verbose = false

  @Flag(
    name: .shortAndLong,
    help: "Write only errors to standard error, unless the environment variable RUSTLE_LOG names a lower level.")
  var quiet = false

  func validate() throws {
    if verbose && quiet { throw ValidationError("--verbose cannot be used with --quiet") }
  }

  /// The least level that is logged. The environment variable `RUSTLE_LOG` can lower it below that of the options.
  func level(environment: [String: String], usual: Logger.Level = .warning) -> Logger.Level {
    let asked: Logger.Level = verbose ? .debug : quiet ? .error : usual
    let named = environment["RUSTLE_LOG"].flatMap { Logger.Level(rawValue: $0.lowercased()) }
    return min(asked, named ?? asked)
  }

  /// Writes a note to standard error, unless `--quiet`.
  func note(_ text: String) {
    if !quiet { LineWriter.standardError.note(text) }
  }

  func noteWritten(_ path: String) {
    if !quiet { Messages.write(.notice, "wrote \(path)", text: "wrote \(path)\n") }
  }

  /// The progress line of a job, where standard error is a terminal. With `writesAtOnce` the output itself shows the progress: no
  /// line then if it is a terminal too.
  func progress(total: Int?, writesAtOnce: Bool = false) -> ProgressLine {
    let isSeen = !quiet && !Messages.areJSON && StandardStream.isTerminal(StandardStream.error)
    let isEnabled = isSeen && !(writesAtOnce && StandardStream.isTerminal(StandardStream.output))
    return ProgressLine(total: total, isEnabled: isEnabled) { try? LineWriter.standardError.write($0) }
  }

  /// Sends the log of the process and of the engines to standard error. To be called at most once in a process.
  ///
  /// - Parameter usual: the default level; `.error` for a command that reports the engines' warnings itself.
  func bootstrap(usual: Logger.Level = .warning) {
    let level = level(environment: ProcessInfo.processInfo.environment, usual: usual)
    // The first call into a mismatched archive reports it.
    if (try? NativeLibrary.prepare()) != nil { NativeLog.setLevel(level) }
    LoggingSystem.bootstrap { label in
      if Messages.areJSON || Messages.areJournal { return MessageLogHandler(label: label, logLevel: level) }
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}

import Foundation
import Logging
import RustleFiles

/// The messages on standard error: text for people, or a JSON object in a line where the environment variable `RUSTLE_LOG_FORMAT` is `json`.
/// Where systemd takes them, each line begins with its level: `<4>`.
enum Messages {
  /// A member of an object beside those that each has.
  typealias Member = (name: String, value: String)

  static let areJSON = ProcessInfo.processInfo.environment["RUSTLE_LOG_FORMAT"] == "json"
  /// Whether standard error is the journal, which systemd names by device and inode.
  static let areJournal =
    ProcessInfo.processInfo.environment["JOURNAL_STREAM"].map {
      $0 == OpenFiles.identity(of: STDERR_FILENO)
    } ?? false

  /// Writes a message of the command.
  ///
  /// - Parameters:
  ///   - level: its level.
  ///   - message: the message in JSON.
  ///   - text: the whole text for people, of one or more lines.
  ///   - members: further members in JSON.
  ///   - writer: where it is written.
  static func write(
    _ level: Logger.Level, _ message: String, text: String, _ members: [Member] = [],
    to writer: LineWriter = .standardError
  ) {
    let line = areJSON ? line(level, of: "rustle", message, members) : text
    try? writer.write(areJournal ? journal(level, line) : line)
  }

  /// Each line with its level as `syslog(3)` numbers it.
  static func journal(_ level: Logger.Level, _ text: String) -> String {
    let number =
      switch level {
      case .critical: 2
      case .error: 3
      case .warning: 4
      case .notice: 5
      case .info: 6
      case .debug, .trace: 7
      }
    return text.split(separator: "\n").map { "<\(number)>\($0)\n" }.joined()
  }

  /// The object of a message, and a line feed.
  static func line(
    _ level: Logger.Level, of source: String, _ message: String, _ members: [Member], at time: Date = .now
  ) -> String {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var line = ByteText()
    line.append("{\"v\":1")
    for (name, value) in [
      ("time", time.formatted(style)), ("level", level.rawValue), ("source", source), ("message", message),
    ] + members {
      line.append(",")
      line.append(json: name)
      line.append(":")
      line.append(json: value)
    }
    line.append("}\n")
    return line.string
  }
}

extension LineWriter {
  /// Writes a message about a run.
  func note(_ text: String, _ level: Logger.Level = .notice) {
    Messages.write(level, text, text: "rustle: \(text)\n", to: self)
  }
}

/// Writes log records as JSON objects, or, for the journal, which has their times, as text.
struct MessageLogHandler: LogHandler {
  let label: String
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let members = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
    let text = ([label + ":", "\(event.message)"] + members.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
    let line = Messages.areJSON ? Messages.line(event.level, of: label, "\(event.message)", members) : text + "\n"
    try? LineWriter.standardError.write(Messages.areJournal ? Messages.journal(event.level, line) : line)
  }
}

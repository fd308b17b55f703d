import Foundation
import Logging
import RustleFiles

/// The messages on standard error: text for people, or a JSON object in a line where the environment variable `RUSTLE_LOG_FORMAT` is `json`.
enum Messages {
  /// A member of an object beside those that each has.
  typealias Member = (name: String, value: String)

  static let areJSON = ProcessInfo.processInfo.environment["RUSTLE_LOG_FORMAT"] == "json"

  /// Writes a message of the command.
  ///
  /// - Parameters:
  ///   - level: its level in JSON.
  ///   - message: the message in JSON.
  ///   - text: the whole text for people.
  ///   - members: further members in JSON.
  static func write(_ level: Logger.Level, _ message: String, text: String, _ members: [Member] = []) {
    try? LineWriter.standardError.write(areJSON ? line(level, of: "rustle", message, members) : text)
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

/// Writes log records as JSON objects.
struct JSONLogHandler: LogHandler {
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
    try? LineWriter.standardError.write(Messages.line(event.level, of: label, "\(event.message)", members))
  }
}

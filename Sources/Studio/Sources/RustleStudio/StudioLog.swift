internal import CWeb
internal import Foundation
internal import Logging
internal import StudioCore

/// The messages on standard error, as those of `rustle`: text, or an object in a line where the environment variable `RUSTLE_LOG_FORMAT` is
/// `json`. Where systemd takes them, each line begins with its level: `<4>`.
public struct StudioLog: Sendable {
  private let isJSON: Bool
  private let isJournal: Bool

  /// Reads what this process was given.
  public init() {
    let variables = ProcessInfo.processInfo.environment
    isJSON = variables["RUSTLE_LOG_FORMAT"] == "json"
    // systemd names the journal by device and inode.
    let numbers = (variables["JOURNAL_STREAM"] ?? "").split(separator: ":").map { UInt64($0) }
    if numbers.count == 2, let device = numbers[0], let inode = numbers[1] {
      isJournal = rustle_web_has_errors(device, inode) != 0
    } else {
      isJournal = false
    }
  }

  init(isJSON: Bool, isJournal: Bool) { (self.isJSON, self.isJournal) = (isJSON, isJournal) }

  /// Gives the log of the whole process this form; at most once in it.
  public func bootstrap() {
    guard isJSON || isJournal else { return }
    LoggingSystem.bootstrap { label in StudioLogHandler(label: label, log: self) }
  }

  /// Writes an error of the command.
  ///
  /// - Parameters:
  ///   - advice: what to do, in a line of its own; nil: nothing.
  ///   - usage: further lines of the text alone; nil: none.
  public func error(_ message: String, advice: String? = nil, usage: String? = nil) {
    let lines = ["error: \(message)", advice, usage].compactMap(\.self)
    write(.error, "rustle-studio", message, advice: advice, text: lines.map { $0 + "\n" }.joined())
  }

  /// Writes a warning of the command.
  public func warning(_ message: String) {
    write(.warning, "rustle-studio", message, text: "warning: \(message)\n")
  }

  fileprivate func write(
    _ level: Logger.Level, _ source: String, _ message: String, advice: String? = nil,
    _ metadata: Logger.Metadata = [:], text: String
  ) {
    let lines = lines(level, source, message, advice: advice, metadata, text: text)
    // On a full disk or a pipe without a reader the message is lost, and nothing else.
    try? FileHandle.standardError.write(contentsOf: Data(lines.utf8))
  }

  /// What is written of a message.
  func lines(
    _ level: Logger.Level, _ source: String, _ message: String, advice: String? = nil,
    _ metadata: Logger.Metadata = [:], text: String
  ) -> String {
    var lines = text
    if isJSON {
      var object = metadata.mapValues { JSON.string("\($0)") }
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      object["advice"] = advice.map { JSON.string($0) }
      (object["v"], object["time"]) = (.number(1), .string(Date.now.formatted(style)))
      (object["level"], object["source"]) = (.string(level.rawValue), .string(source))
      object["message"] = .string(message)
      lines = JSON.object(object).text + "\n"
    }
    guard isJournal else { return lines }
    return lines.split(separator: "\n").map { "<\(level.number)>\($0)\n" }.joined()
  }
}

extension Logger.Level {
  /// As `syslog(3)` numbers it.
  fileprivate var number: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}

/// Writes log records as objects, or as text for the journal, which has their times.
private struct StudioLogHandler: LogHandler {
  let label: String
  let log: StudioLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let words = ["\(label):", "\(event.message)"] + all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    log.write(event.level, label, "\(event.message)", all, text: words.joined(separator: " ") + "\n")
  }
}

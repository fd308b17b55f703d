import Foundation
import RustleMarket
import RustlePlot

/// A consumer of a run's streams: lines, or a view.
protocol TickerSink: Actor {
  func take(_ batch: [StreamElement<some TickerRecord>]) throws
  func take(_ alert: StreamElement<PriceAlert>) throws
  func take(_ notice: FeedNotice) throws
  func take(_ connection: FeedConnection) throws
}

/// The lines of a run. An actor, so that tasks write whole lines.
actor TickerOutput: TickerSink {
  /// Whether gaps of dropped updates, and sequence gaps of the source, are written in their places; false with a conflating
  /// policy.
  private let reportsGaps: Bool
  private let reportsSkips: Bool
  private let format: OutputFormat
  private let profile: TerminalProfile
  private let writer: LineWriter
  private let notes: LineWriter?
  private var tables: TickerTables
  private var text = ByteText()
  /// The number of malformed messages.
  private var reported = 0

  /// The number of malformed messages that are reported one by one.
  private static let maximumReports = 5

  /// - Parameters:
  ///   - plan: the plan of the run.
  ///   - notes: receives reports about the source; nil for none.
  init(
    _ plan: TickerPlan, format: OutputFormat, profile: TerminalProfile, to writer: LineWriter, notes: LineWriter?
  ) {
    (self.format, self.profile, self.writer, self.notes) = (format, profile, writer, notes)
    reportsGaps = plan.policy == nil
    reportsSkips = plan.policy == nil && plan.connection != nil
    tables = TickerTables(plan.content, isSimulated: plan.isSimulated, format: format, profile: profile)
  }

  func begin() throws { try writer.write(tables.header) }

  func take(_ batch: [StreamElement<some TickerRecord>]) throws {
    for element in batch where reportsGaps || element.value != nil {
      if reportsSkips, let skipped = element.value?.sequenceGap, skipped > 0 { text.append(tables.gap(skipped)) }
      tables.append(element, to: &text)
    }
    try flush()
  }

  /// Writes an alert; with CSV, whose rows are updates, as a note.
  func take(_ alert: StreamElement<PriceAlert>) throws {
    switch format {
    case .csv: try? notes?.write(line(alert))
    case .ndjson: text.append(Self.json(alert))
    case .auto, .text: text.append(line(alert))
    }
    try flush()
  }

  private func line(_ alert: StreamElement<PriceAlert>) -> String {
    switch alert {
    case .gap(let count): "\(profile.glyphs.ellipsis) \(count) alerts missing here\n"
    case .value(let alert): "\(MarketTime.timeOfDay(alert.timeNanoseconds))  ALERT  \(alert.text)\n"
    }
  }

  /// The JSON of an alert: a nested object, so that a reader of trades does not take it for one.
  static func json(_ alert: StreamElement<PriceAlert>) -> String {
    let fields: [(String, Value)] =
      switch alert {
      case .gap(let count): [("gap", .unsigned(count))]
      case .value(let alert):
        [
          ("symbol", .string(alert.threshold.symbol)),
          (alert.threshold.direction.rawValue, .decimal(alert.threshold.level)), ("price", .decimal(alert.price)),
          MarketTime.field("t", alert.timeNanoseconds),
        ]
      }
    return ByteText.line([("alert", .object(fields))])
  }

  func take(_ notice: FeedNotice) {
    let line: String
    switch notice.kind {
    case .malformed(let message): line = "line \(message + 1)"
    case .oversized: line = "a line"
    default: return
    }
    if reported < Self.maximumReports {
      try? notes?.write("rustle: \(line) skipped: \(CommandFailure.visible(notice.text))\n")
    }
    reported += 1
  }

  func take(_ connection: FeedConnection) {
    switch connection {
    case .connected, .reconnecting: try? notes?.write("rustle: \(CommandFailure.visible(connection.text))\n")
    // The end of the connection is reported as that of the run.
    case .idle, .connecting, .closed: break
    }
  }

  private func flush() throws {
    defer { text.removeAll() }
    if !text.bytes.isEmpty { try writer.write(Data(text.bytes)) }
  }
}

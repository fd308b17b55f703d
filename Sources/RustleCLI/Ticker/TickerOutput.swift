import Foundation
import RustleMarket
import RustlePlot

/// The lines of a run. An actor, so that tasks write whole lines.
actor TickerOutput: TickerSink {
  /// Receives reports about the source; nil for none.
  nonisolated let notes: LineWriter?
  private let format: OutputFormat
  private let profile: TerminalProfile
  private let writer: LineWriter
  private var lines: TickerLines
  private var text = ByteText()
  private var reported = 0

  /// The number of malformed messages that are reported one by one.
  private static let maximumReports = 5

  init(
    _ plan: TickerPlan, format: OutputFormat, profile: TerminalProfile, to writer: LineWriter, notes: LineWriter?
  ) {
    (self.format, self.profile, self.writer, self.notes) = (format, profile, writer, notes)
    lines = TickerLines(plan.content, isSimulated: plan.isSimulated, format: format, profile: profile)
    // A conflating policy has gaps everywhere.
    lines.reportsGaps = plan.policy == nil
    lines.reportsSkips = plan.policy == nil && plan.connection != nil
  }

  func begin(serving address: FeedAddress?) throws {
    try writer.write(lines.header)
    if let address { note("serving on \(address)") }
  }

  nonisolated func note(_ text: String) { try? notes?.write("rustle: \(CommandFailure.visible(text))\n") }

  func take(_ batch: [StreamElement<some TickerRecord>]) throws {
    lines.append(batch, to: &text)
    try flush()
  }

  func take(_ batch: [StreamElement<Candle>], of period: MarketCalendar.Period) throws {
    lines.append(batch, of: period, to: &text)
    try flush()
  }

  /// Writes an alert; with CSV, whose rows are updates, as a note.
  func take(_ alert: StreamElement<PriceAlert>) throws {
    switch format {
    case .csv: try? notes?.write(line(alert))
    case .ndjson: text.append(json: alert)
    case .auto, .text: text.append(line(alert))
    }
    try flush()
  }

  private func line(_ alert: StreamElement<PriceAlert>) -> String {
    switch alert {
    case .gap(let count): "\(profile.glyphs.ellipsis) \(count) alerts missing here\n"
    case .value(let alert): "\(MarketTime.timeOfDay(alert.time))  ALERT  \(alert.text)\n"
    }
  }

  func take(_ notice: FeedNotice) {
    let line: String
    switch notice.kind {
    case .malformed(let message): line = "line \(message + 1)"
    case .oversized: line = "a line"
    case .other: return note(notice.text)
    default: return
    }
    if reported < Self.maximumReports { note("\(line) skipped: \(notice.text)") }
    reported += 1
  }

  func take(_ connection: FeedConnection) {
    switch connection {
    case .connected: note(connection.text)
    case .reconnecting:
      note(connection.text + (connection.isCertificateRefused ? "; \(TickerFailure.certificateAdvice)" : ""))
    // The end of the connection is reported as that of the run.
    case .idle, .connecting, .closed: break
    }
  }

  private func flush() throws {
    defer { text.removeAll() }
    if !text.bytes.isEmpty { try writer.write(Data(text.bytes)) }
  }
}

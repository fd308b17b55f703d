import Foundation
import Logging
import RustleFiles
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

  nonisolated func note(_ text: String, _ level: Logger.Level = .notice) {
    notes?.note(CommandFailure.visible(text), level)
  }

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
    case .csv:
      let text = line(alert)
      if let notes { Messages.write(.notice, text.trimmingCharacters(in: .newlines), text: text, to: notes) }
    case .ndjson: text.append(json: alert)
    case .auto, .text: text.append(line(alert))
    }
    try flush()
  }

  private func line(_ alert: StreamElement<PriceAlert>) -> String {
    switch alert {
    case .gap(let count): OutputFormat.text.gap(count, of: "alerts", profile: profile)
    case .value(let alert): "\(alert.time.timeOfDay(fractionDigits: 3))Z  ALERT  \(alert.text)\n"
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
    if reported < Self.maximumReports { note("\(line) skipped: \(notice.text)", .warning) }
    reported += 1
  }

  func take(_ connection: FeedConnection) {
    switch connection {
    case .connected: note(connection.text)
    case .reconnecting:
      let advice = connection.isCertificateRefused ? "; \(TickerFailure.certificateAdvice)" : ""
      note(connection.text + advice, .warning)
    // The end of the connection is reported as that of the run.
    case .idle, .connecting, .closed: break
    }
  }

  private func flush() throws {
    defer { text.removeAll() }
    if !text.bytes.isEmpty { try writer.write(Data(text.bytes)) }
  }
}

/// A record of a ticker: a trade, a candle, or the statistics of a window.
protocol TickerRecord: LineRecord {
  /// The earliest and the latest price.
  var ends: (first: ExactDecimal, last: ExactDecimal) { get }
  /// The sequence numbers of its symbol missing before it.
  var sequenceGap: UInt64 { get }
  /// The text between the symbol and the change.
  var details: String { get }
}

extension TickerRecord {
  var sequenceGap: UInt64 { 0 }
}

struct TickerLines: Sendable {
  /// Whether gaps of dropped updates are written in their places.
  var reportsGaps = true
  /// Whether sequence gaps of the source are written in their places.
  var reportsSkips = false
  private let content: TickerPlan.Content
  private let isSimulated: Bool
  private let format: OutputFormat
  private let profile: TerminalProfile
  private var firsts: [String: ExactDecimal] = [:]

  /// - Parameter isSimulated: whether times are in whole milliseconds, rounded down, and sizes are left out.
  init(
    _ content: TickerPlan.Content = .trades, isSimulated: Bool = false, format: OutputFormat, profile: TerminalProfile
  ) {
    (self.content, self.isSimulated, self.format, self.profile) = (content, isSimulated, format, profile)
  }

  private func style(of period: MarketCalendar.Period? = nil) -> LineStyle {
    LineStyle(
      interval: content.window?.wholeNanoseconds ?? 0, hasIntervals: content.hasIntervals, isSimulated: isSimulated,
      period: content.hasPeriods ? period?.description ?? "" : nil)
  }

  var header: String {
    guard format == .csv else { return "" }
    let style = style()
    return switch content {
    case .trades: Trade.csvHeader(style)
    case .candles: Candle.csvHeader(style)
    case .statistics: PriceStatistics.csvHeader(style)
    }
  }

  /// - Parameter period: that of candles.
  mutating func append<Record: TickerRecord>(
    _ elements: [StreamElement<Record>], of period: MarketCalendar.Period? = nil, to text: inout ByteText
  ) {
    let style = style(of: period)
    for element in elements {
      switch element {
      case .gap(let count): if reportsGaps { text.append(gap(count)) }
      case .value(let record):
        if reportsSkips, record.sequenceGap > 0 { text.append(gap(record.sequenceGap)) }
        switch format {
        case .ndjson: record.appendJSON(style, to: &text)
        case .csv: record.appendCSV(style, to: &text)
        case .auto, .text: text.append(line(record, of: period))
        }
      }
    }
  }

  func gap(_ count: UInt64) -> String { format.gap(count, of: "updates", profile: profile) }

  /// The text of a record: time, symbol, details, and the change, of trades since the first, of others in the interval.
  private mutating func line(_ record: some TickerRecord, of period: MarketCalendar.Period?) -> String {
    var first = record.ends.first
    if case .trades = content {
      first = firsts[record.symbol, default: first]
      firsts[record.symbol] = first
    }
    let (glyphs, change) = (profile.glyphs, record.ends.last.relativeChange(since: first))
    let time =
      if let candle = record as? Candle {
        candle.start.rfc3339(fractionDigits: Timestamp.fractionDigits(of: (candle.end - candle.start).wholeNanoseconds))
          + (content.hasPeriods ? "  \(period ?? .interval(candle.end - candle.start))" : "")
      } else {
        record.time.timeOfDay(fractionDigits: 3) + "Z"
      }
    let symbol = DisplayWidth.fit(
      record.symbol, to: max(6, DisplayWidth.columns(of: record.symbol)), ellipsis: glyphs.ellipsis)
    let percent = profile.paint(glyphs.markedChange(change), TickerNumbers.ink(of: change))
    return "\(time)  \(symbol)\(record.details)  \(percent)\n"
  }
}

extension Trade: TickerRecord {
  var ends: (first: ExactDecimal, last: ExactDecimal) { (price, price) }

  var details: String {
    var text = " " + price.grouped().leftPadded(to: 14)
    if let side { text += "  \(side.rawValue)" + (size.units == 0 ? "" : " \(size)") }
    guard let quote else { return text }
    for (name, price, size) in [("bid", quote.bid, quote.bidSize), ("ask", quote.ask, quote.askSize)] {
      text += "  \(name) \(price.grouped())" + (size.units == 0 ? "" : " x \(size)")
    }
    return text + (quote.spread.map { "  spread \($0.grouped())" } ?? "")
  }
}

extension Candle: TickerRecord {
  var ends: (first: ExactDecimal, last: ExactDecimal) { (open, close) }
  var details: String {
    let prices = [("open", open), ("high", high), ("low", low), ("close", close)]
    let mean = vwap.map { "  vwap " + TickerNumbers.mean($0, scale: close.scale) } ?? ""
    return prices.map { "  \($0.0) \($0.1.grouped())" }.joined()
      + "  volume \(exactVolume?.description ?? String(volume))\(mean)  count \(tradeCount)"
  }
}

extension PriceStatistics: TickerRecord {
  var ends: (first: ExactDecimal, last: ExactDecimal) { (first, last) }
  var details: String {
    let prices = [("low", lowest), ("high", highest), ("first", first), ("last", last)]
    return "  mean \(TickerNumbers.mean(self))  sd \(UnitLabel.amount(standardDeviation))"
      + prices.map { "  \($0.0) \($0.1.grouped())" }.joined() + "  count \(tradeCount)"
  }
}

/// Numbers of market data as text.
enum TickerNumbers {
  /// The mean of a window, with two digits more than its last price.
  static func mean(_ statistics: PriceStatistics) -> String { mean(statistics.mean, scale: statistics.last.scale) }

  static func mean(_ mean: Double, scale: Int) -> String {
    let text = String(format: "%.*f", scale + 2, mean)
    return ExactDecimal(text)?.grouped() ?? text
  }

  /// A difference with its sign: `+12.50`. Zero has no sign; nil is a dash.
  static func difference(_ difference: ExactDecimal?, glyphs: Glyphs) -> String {
    guard let difference else { return String(glyphs.unknown) }
    let text = difference.grouped().replacing("-", with: String(glyphs.minus))
    return difference > .zero ? "+\(text)" : text
  }

  static func ink(of fraction: Double) -> Ink? {
    !Glyphs.isVisible(change: fraction) ? nil : fraction > 0 ? .green : .red
  }

  static func count(_ count: UInt64) -> String {
    ExactDecimal(units: Int64(clamping: count), scale: 0)?.grouped() ?? String(count)
  }
}

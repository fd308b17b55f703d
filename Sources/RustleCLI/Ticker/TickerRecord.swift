import Foundation
import RustleMarket
import RustlePlot

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

  /// The line with the number of updates missing before the next one; empty for CSV, whose rows are updates.
  func gap(_ count: UInt64) -> String {
    switch format {
    case .ndjson: "{\"v\":1,\"gap\":\(count)}\n"
    case .csv: ""
    case .auto, .text: "\(profile.glyphs.ellipsis) \(count) updates missing here\n"
    }
  }

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
        MarketTime.dateAndTime(candle.start, unit: (candle.end - candle.start).wholeNanoseconds)
          + (content.hasPeriods ? "  \(period ?? .interval(candle.end - candle.start))" : "")
      } else {
        MarketTime.timeOfDay(record.time)
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
      + "  volume \(exactVolume?.description ?? String(volume))\(mean)  count \(count)"
  }
}

extension PriceStatistics: TickerRecord {
  var ends: (first: ExactDecimal, last: ExactDecimal) { (first, last) }
  var details: String {
    let prices = [("low", lowest), ("high", highest), ("first", first), ("last", last)]
    return "  mean \(TickerNumbers.mean(self))  sd \(UnitLabel.amount(standardDeviation))"
      + prices.map { "  \($0.0) \($0.1.grouped())" }.joined() + "  count \(count)"
  }
}

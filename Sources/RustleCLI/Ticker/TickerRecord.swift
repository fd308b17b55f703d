import Foundation
import RustleMarket
import RustlePlot

/// A record of a ticker: a trade, a candle, or the statistics of a window.
protocol TickerRecord: PriceRecord {
  /// The columns of machine-readable formats, for the nanoseconds of a candle or of a window; 0 for trades.
  static func columns(interval: Int64, isSimulated: Bool) -> [Column<Self>]

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

  private func table<Record: TickerRecord>(of type: Record.Type = Record.self) -> Table<Record> {
    let interval = content.interval?.wholeNanoseconds ?? 0
    return Table(
      Record.columns(interval: interval, isSimulated: isSimulated), format: format, profile: profile, heading: "")
  }

  var header: String {
    switch content {
    case .trades: table(of: Trade.self).header
    case .candles: table(of: Candle.self).header
    case .statistics: table(of: PriceStatistics.self).header
    }
  }

  mutating func append<Record: TickerRecord>(_ elements: [StreamElement<Record>], to text: inout ByteText) {
    let table: Table<Record> = table()
    for element in elements {
      switch element {
      case .gap(let count): if reportsGaps { text.append(gap(count)) }
      case .value(let record):
        if reportsSkips, record.sequenceGap > 0 { text.append(gap(record.sequenceGap)) }
        if format.isForPeople { text.append(line(record)) } else { table.append(record, to: &text) }
      }
    }
  }

  /// The line with the number of updates missing before the next one; empty for CSV, whose rows are updates.
  func gap(_ count: UInt64) -> String {
    switch format {
    case .ndjson: ByteText.line([("gap", .unsigned(count))])
    case .csv: ""
    case .auto, .text: "\(profile.glyphs.ellipsis) \(count) updates missing here\n"
    }
  }

  /// The text of a record: time, symbol, details, and the change, of trades since the first, of others in the interval.
  private mutating func line(_ record: some TickerRecord) -> String {
    var first = record.ends.first
    if case .trades = content {
      first = firsts[record.symbol, default: first]
      firsts[record.symbol] = first
    }
    let (glyphs, change) = (profile.glyphs, record.ends.last.relativeChange(since: first))
    let time =
      record is Candle
      ? MarketTime.dateAndTime(record.time, unit: content.interval?.wholeNanoseconds ?? 1)
      : MarketTime.timeOfDay(record.time)
    let symbol = DisplayWidth.fit(
      record.symbol, to: max(6, DisplayWidth.columns(of: record.symbol)), ellipsis: glyphs.ellipsis)
    let percent = profile.paint(glyphs.markedChange(change), TickerNumbers.ink(of: change))
    return "\(time)  \(symbol)\(record.details)  \(percent)\n"
  }
}

extension ByteText {
  /// A line with a JSON object of a version and fields.
  static func line(_ fields: [(String, Value)]) -> String {
    var text = Self()
    text.append(json: .object([("v", .integer(1))] + fields))
    return text.string + "\n"
  }
}

extension Trade: TickerRecord {
  /// The columns of a source's trades, those of ``json``; or of simulated ones.
  static func columns(interval: Int64, isSimulated: Bool) -> [Column<Self>] {
    let sequence = Column<Self>("seq") { $0.sequence.map(Value.unsigned) ?? .absent }
    let columns: [Column<Self>] = [Column("symbol", \.symbol), Column("price", \.price)]
    if isSimulated { return columns + [Column("t_ms") { $0.time.nanosecondsSince1970 / 1_000_000 }, sequence] }
    return columns + [Column("size", in: [.csv], \.reportedSize)] + MarketTime.columns("t", \.time.nanosecondsSince1970)
      + [
        Column("t_ns", in: [.csv], \.time.nanosecondsSince1970), sequence,
        Column("size", in: [.ndjson], \.reportedSize),
      ]
  }

  var ends: (first: ExactDecimal, last: ExactDecimal) { (price, price) }
  private var reportedSize: Value { size.units == 0 ? .absent : .decimal(size) }

  var details: String { " " + price.grouped().leftPadded(to: 14) }
}

extension Candle: TickerRecord {
  static func columns(interval: Int64, isSimulated: Bool) -> [Column<Self>] {
    [
      Column("symbol", \.symbol), Column("start_ns", in: [.csv], \.start.nanosecondsSince1970), Column("open", \.open),
      Column("high", \.high), Column("low", \.low), Column("close", \.close),
      // Exact up to 18 digits.
      Column("volume") { $0.exactVolume.map(Value.decimal) ?? .number($0.volume) }, Column("count", \.count),
    ] + MarketTime.columns("start", \.start.nanosecondsSince1970) + MarketTime.columns("interval") { _ in interval }
  }

  var ends: (first: ExactDecimal, last: ExactDecimal) { (open, close) }
  var details: String {
    let prices = [("open", open), ("high", high), ("low", low), ("close", close)]
    return prices.map { "  \($0.0) \($0.1.grouped())" }.joined()
      + "  volume \(exactVolume?.description ?? String(volume))  count \(count)"
  }
}

extension PriceStatistics: TickerRecord {
  static func columns(interval: Int64, isSimulated: Bool) -> [Column<Self>] {
    [Column("symbol", \.symbol)] + MarketTime.columns("t", \.time.nanosecondsSince1970)
      + [
        Column("t_ns", in: [.csv], \.time.nanosecondsSince1970), Column("count", \.count), Column("mean", \.mean),
        Column("sd", \.standardDeviation), Column("low", \.lowest), Column("high", \.highest), Column("first", \.first),
        Column("last", \.last),
      ] + MarketTime.columns("window") { _ in interval }
  }

  var ends: (first: ExactDecimal, last: ExactDecimal) { (first, last) }
  var details: String {
    let prices = [("low", lowest), ("high", highest), ("first", first), ("last", last)]
    return "  mean \(TickerNumbers.mean(self))  sd \(UnitLabel.amount(standardDeviation))"
      + prices.map { "  \($0.0) \($0.1.grouped())" }.joined() + "  count \(count)"
  }
}

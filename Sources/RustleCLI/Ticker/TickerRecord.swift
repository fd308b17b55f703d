import Foundation
import RustleMarket
import RustlePlot

/// A record of a ticker: a trade, a candle, or the statistics of a window.
protocol TickerRecord: SymbolRecord {
  /// The table of this kind of records.
  static func table(in tables: TickerTables) -> Table<Self>

  var symbol: String { get }
  /// The time of the record, in nanoseconds since 1970.
  var timeNanoseconds: Int64 { get }
  /// The prices of the record's change, for the first record of a symbol.
  var firstPrice: ExactDecimal { get }
  var lastPrice: ExactDecimal { get }
  /// The sequence numbers of its symbol missing before it.
  var sequenceGap: UInt64 { get }
  /// The text between the symbol and the change.
  var details: String { get }
  /// Updates the row of its symbol.
  func update(_ row: inout TickerBoard.Row)
}

extension TickerRecord {
  var sequenceGap: UInt64 { 0 }
}

/// The tables of a ticker's records, one per line.
struct TickerTables: Sendable {
  fileprivate let trades: Table<Trade>
  fileprivate let candles: Table<Candle>
  fileprivate let statistics: Table<PriceStatistics>
  private let content: TickerPlan.Content
  private let format: OutputFormat
  private let profile: TerminalProfile
  /// The duration of a candle or of a window; nil for trades.
  private let interval: Int64?
  /// The first price of each symbol.
  private var firsts: [String: ExactDecimal] = [:]

  /// - Parameter isSimulated: whether times are in whole milliseconds, rounded down, and sizes are left out.
  init(
    _ content: TickerPlan.Content = .trades, isSimulated: Bool = false, format: OutputFormat, profile: TerminalProfile
  ) {
    (self.content, self.format, self.profile) = (content, format, profile)
    interval =
      switch content {
      case .trades: nil
      case .candles(let interval, _), .statistics(let interval): interval.wholeNanoseconds
      }
    trades = Table(isSimulated ? Trade.simulatedColumns : Trade.columns, format: format, profile: profile)
    candles = Table(Candle.columns(interval ?? 0), format: format, profile: profile)
    statistics = Table(PriceStatistics.columns(interval ?? 0), format: format, profile: profile)
  }

  /// The header before the first record; may be empty.
  var header: String {
    if format.isForPeople { return "" }
    switch content {
    case .trades: return trades.header
    case .candles: return candles.header
    case .statistics: return statistics.header
    }
  }

  /// Appends the lines of a stream's element.
  mutating func append<Record: TickerRecord>(_ element: StreamElement<Record>, to text: inout ByteText) {
    switch element {
    case .gap(let count): text.append(gap(count))
    case .value(let record) where format.isForPeople: text.append(line(record))
    case .value(let record): Record.table(in: self).append(record, to: &text)
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
    let first = interval == nil ? firsts[record.symbol, default: record.firstPrice] : record.firstPrice
    if interval == nil { firsts[record.symbol] = first }
    let (glyphs, change) = (profile.glyphs, record.lastPrice.relativeChange(since: first))
    let time =
      record is Candle
      ? MarketTime.dateAndTime(record.timeNanoseconds, unit: interval ?? 1)
      : MarketTime.timeOfDay(record.timeNanoseconds)
    let symbol = DisplayWidth.fit(
      record.symbol, to: max(6, DisplayWidth.columns(of: record.symbol)), ellipsis: glyphs.ellipsis)
    let percent = profile.paint(TickerNumbers.markedChange(change, glyphs: glyphs), TickerNumbers.ink(of: change))
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
  static func table(in tables: TickerTables) -> Table<Self> { tables.trades }

  var firstPrice: ExactDecimal { price }
  var lastPrice: ExactDecimal { price }

  /// The columns that `--replay` reads back identically: a time with a fraction of a millisecond is in nanoseconds, and
  /// fields that the source lacks are left out.
  static let columns: [Column<Self>] =
    [Column("symbol", \.symbol), Column("price", \.price), Column("size", in: [.csv], \.reportedSize)]
    + MarketTime.columns("t", \.timeNanoseconds)
    + [
      Column("t_ns", in: [.csv], \.timeNanoseconds), Column("seq") { $0.sequence.map(Value.unsigned) ?? .absent },
      Column("size", in: [.ndjson], \.reportedSize),
    ]

  /// The columns of simulated trades: times in whole milliseconds, and no sizes.
  static let simulatedColumns: [Column<Self>] = [
    Column("symbol", \.symbol), Column("price", \.price), Column("t_ms") { $0.timeNanoseconds / 1_000_000 },
    Column("seq") { $0.sequence.map(Value.unsigned) ?? .absent },
  ]

  private var reportedSize: Value { size.units == 0 ? .absent : .decimal(size) }

  var details: String { " " + TickerNumbers.price(price).leftPadded(to: 14) }

  func update(_ row: inout TickerBoard.Row) {
    // A trade out of order adds to the volume, but does not change the price.
    row.volume += size.doubleValue
    guard !isOutOfOrder else { return }
    if row.first == nil { row.first = price }
    row.append(price, at: timeNanoseconds)
  }
}

extension Candle: TickerRecord {
  static func table(in tables: TickerTables) -> Table<Self> { tables.candles }

  var timeNanoseconds: Int64 { startNanoseconds }
  var firstPrice: ExactDecimal { open }
  var lastPrice: ExactDecimal { close }

  static func columns(_ interval: Int64) -> [Column<Self>] {
    [Column("symbol", \.symbol), Column("start_ns", in: [.csv], \.startNanoseconds)]
      + [
        Column("open", \.open), Column("high", \.high), Column("low", \.low), Column("close", \.close),
        Column("volume", \.volumeValue), Column("count", \.count),
      ] + MarketTime.columns("start", \.startNanoseconds) + MarketTime.columns("interval") { _ in interval }
  }

  /// The volume, exact up to 18 digits.
  private var volumeValue: Value { exactVolume.map(Value.decimal) ?? .number(volume) }

  var details: String {
    let prices = [("open", open), ("high", high), ("low", low), ("close", close)]
    return prices.map { "  \($0.0) \(TickerNumbers.price($0.1))" }.joined()
      + "  volume \(exactVolume?.description ?? String(volume))  count \(count)"
  }

  func update(_ row: inout TickerBoard.Row) {
    if row.first == nil { row.first = open }
    row.append(close, at: startNanoseconds)
    row.volume = volume
    row.candle = self
  }
}

extension PriceStatistics: TickerRecord {
  static func table(in tables: TickerTables) -> Table<Self> { tables.statistics }

  var firstPrice: ExactDecimal { first }
  var lastPrice: ExactDecimal { last }

  static func columns(_ window: Int64) -> [Column<Self>] {
    [Column("symbol", \.symbol)] + MarketTime.columns("t", \.timeNanoseconds)
      + [
        Column("t_ns", in: [.csv], \.timeNanoseconds), Column("count", \.count), Column("mean", \.mean),
        Column("sd", \.standardDeviation), Column("low", \.lowest), Column("high", \.highest), Column("first", \.first),
        Column("last", \.last),
      ] + MarketTime.columns("window") { _ in window }
  }

  var details: String {
    let prices = [("low", lowest), ("high", highest), ("first", first), ("last", last)]
    return "  mean \(TickerNumbers.mean(self))  sd \(TickerNumbers.amount(standardDeviation))"
      + prices.map { "  \($0.0) \(TickerNumbers.price($0.1))" }.joined() + "  count \(count)"
  }

  func update(_ row: inout TickerBoard.Row) {
    row.append(last, at: timeNanoseconds)
    row.first = first
    row.statistics = self
  }
}

extension PriceAlert {
  /// The alert in words: `BTC 70,000.10 is at or above 70,000.0`.
  var text: String {
    let side = threshold.direction == .above ? "at or above" : "at or below"
    return "\(threshold.symbol) \(TickerNumbers.price(price)) is \(side) \(TickerNumbers.price(threshold.level))"
  }
}

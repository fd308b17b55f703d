import Foundation
import RustleMarket

/// What a ticker shows: a trade, a candle, or the statistics of a while.
protocol TickerRecord: SymbolRecord {
  /// The one of the tables that has such records.
  static func table(in tables: TickerTables) -> Table<Self>

  var symbol: String { get }
  /// When it is of, in nanoseconds since 1970.
  var timeNanoseconds: Int64 { get }
  /// The prices that a change is between, where there was none of the symbol before.
  var firstPrice: ExactDecimal { get }
  var lastPrice: ExactDecimal { get }
  /// How many numbers of its symbol the source skipped before it.
  var sequenceGap: UInt64 { get }
  /// What a line for people says between the symbol and the change.
  var details: String { get }
  /// Changes the row of its symbol.
  func update(_ row: inout TickerBoard.Row)
}

extension TickerRecord {
  var sequenceGap: UInt64 { 0 }
}

/// Writes what a ticker shows one a line.
struct TickerTables: Sendable {
  fileprivate let trades: Table<Trade>
  fileprivate let candles: Table<Candle>
  fileprivate let statistics: Table<PriceStatistics>
  private let content: TickerPlan.Content
  private let format: OutputFormat
  private let profile: TerminalProfile
  /// How long a candle is, or the while of statistics; of trades nil.
  private let interval: Int64?
  /// The first price of each symbol.
  private var firsts: [String: ExactDecimal] = [:]

  /// - Parameter isSimulated: whether times are told in whole milliseconds, rounded down, and no sizes are.
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

  /// What comes before the first record; may be empty.
  var header: String {
    if format.isForPeople { return "" }
    switch content {
    case .trades: return trades.header
    case .candles: return candles.header
    case .statistics: return statistics.header
    }
  }

  /// Appends the lines of what a stream delivers.
  mutating func append<Record: TickerRecord>(_ element: StreamElement<Record>, to text: inout ByteText) {
    switch element {
    case .gap(let count): text.append(gap(count))
    case .value(let record) where format.isForPeople: text.append(line(record))
    case .value(let record): Record.table(in: self).append(record, to: &text)
    }
  }

  /// The line that says how many updates are missing before the next one; CSV, whose rows are updates, has none.
  func gap(_ count: UInt64) -> String {
    switch format {
    case .ndjson: ByteText.line([("gap", .unsigned(count))])
    case .csv: ""
    case .auto, .text: "\(profile.glyphs.ellipsis) \(count) updates are missing here\n"
    }
  }

  /// When it is of, symbol, what it says, and the change: of trades since the first, of others within the interval.
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
  /// An object with a version and some fields on a line.
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

  /// The columns that `--replay` reads back identically: a time that is no whole millisecond is in nanoseconds, and what the
  /// source does not tell is left out.
  static let columns: [Column<Self>] =
    [Column("symbol", \.symbol), Column("price", \.price), Column("size", in: [.csv], \.reportedSize)]
    + MarketTime.columns("t", \.timeNanoseconds)
    + [
      Column("t_ns", in: [.csv], \.timeNanoseconds), Column("seq") { $0.sequence.map(Value.unsigned) ?? .absent },
      Column("size", in: [.ndjson], \.reportedSize),
    ]

  /// Those of prices that are made up here: times in whole milliseconds, and no sizes.
  static let simulatedColumns: [Column<Self>] = [
    Column("symbol", \.symbol), Column("price", \.price), Column("t_ms") { $0.timeNanoseconds / 1_000_000 },
    Column("seq") { $0.sequence.map(Value.unsigned) ?? .absent },
  ]

  private var reportedSize: Value { size.units == 0 ? .absent : .decimal(size) }

  var details: String { " " + TickerNumbers.price(price).leftPadded(to: 14) }

  func update(_ row: inout TickerBoard.Row) {
    // One that comes late has been overtaken: it is traded, and no news.
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

  /// Exact, unless the sum has more than 18 digits.
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
  /// For example `BTC 70,000.10 is at or above 70,000.0`.
  var text: String {
    let side = threshold.direction == .above ? "at or above" : "at or below"
    return "\(threshold.symbol) \(TickerNumbers.price(price)) is \(side) \(TickerNumbers.price(threshold.level))"
  }
}

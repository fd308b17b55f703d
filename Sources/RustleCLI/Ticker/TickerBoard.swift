import RustleMarket

/// What a ticker's view shows: the last price of each symbol, where it started, and its recent course.
struct TickerBoard: Equatable, Sendable {
  /// One symbol.
  struct Row: Equatable, Sendable {
    let symbol: String
    /// The first price that was seen.
    var first: ExactDecimal?
    /// The newest price.
    private(set) var last: ExactDecimal?
    /// The newest prices, the last one last, at most `historyLimit`.
    private(set) var history: [Double] = []
    /// The sum of the sizes; where candles are shown, that of the newest.
    var volume = 0.0
    /// When the newest price was, in nanoseconds since 1970.
    private(set) var timeNanoseconds: Int64 = 0
    /// The newest candle, where candles are shown.
    var candle: Candle?
    /// Those of the last while, where such are shown; changes are over that while then.
    var statistics: PriceStatistics?

    init(symbol: String) { self.symbol = symbol }

    /// The change since the first price, as a fraction of it: 0.01 is one per cent.
    var change: Double? {
      guard let first, let last else { return nil }
      return last.relativeChange(since: first)
    }

    /// The change since the first price; nil when it has too many digits, and before there is one.
    var difference: ExactDecimal? {
      guard let first, let last else { return nil }
      return last.subtracting(first)
    }

    /// Adds the newest price.
    mutating func append(_ price: ExactDecimal, at time: Int64) {
      (last, timeNanoseconds) = (price, time)
      if history.count >= TickerBoard.historyLimit { history.removeFirst() }
      history.append(price.doubleValue)
    }
  }

  /// The longest sparkline.
  static let historyLimit = 60

  /// The symbols in the order in which they were asked for, and then in that in which they came.
  private(set) var rows: [Row] = []
  /// Updates that were applied.
  private(set) var updates: UInt64 = 0
  /// Updates that were not taken in time.
  private(set) var lost: UInt64 = 0
  private var indexes: [String: Int] = [:]

  init(symbols: [String]) { for symbol in symbols { _ = index(of: symbol) } }

  /// Takes in what a stream delivers.
  mutating func apply(_ element: StreamElement<some TickerRecord>) {
    switch element {
    case .gap(let count): lost += count
    case .value(let record):
      updates += 1
      record.update(&rows[index(of: record.symbol)])
    }
  }

  /// Has changes and volumes count from now.
  mutating func restart() {
    for row in rows.indices {
      rows[row].first = rows[row].last
      if rows[row].candle == nil { rows[row].volume = 0 }
    }
  }

  private mutating func index(of symbol: String) -> Int {
    if let index = indexes[symbol] { return index }
    indexes[symbol] = rows.count
    rows.append(Row(symbol: symbol))
    return rows.count - 1
  }
}

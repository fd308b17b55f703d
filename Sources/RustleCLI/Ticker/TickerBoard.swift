import RustleMarket

/// The content of a ticker's view: the last price of each symbol, its first price, and its recent history.
struct TickerBoard: Equatable, Sendable {
  /// One symbol.
  struct Row: Equatable, Sendable {
    let symbol: String
    /// The first price.
    var first: ExactDecimal?
    /// The newest price.
    private(set) var last: ExactDecimal?
    /// The newest prices in order, at most `historyLimit`.
    private(set) var history: [Double] = []
    /// The sum of the sizes; with candles, that of the newest.
    var volume = 0.0
    /// The time of the newest price.
    private(set) var time = Timestamp.unixEpoch
    /// The newest candle; nil without candles.
    var candle: Candle?
    /// The newest statistics, whose window changes refer to; nil without statistics.
    var statistics: PriceStatistics?

    init(symbol: String) { self.symbol = symbol }

    /// The change since the first price, as a fraction of it: 0.01 is one per cent.
    var change: Double? {
      guard let first, let last else { return nil }
      return last.relativeChange(since: first)
    }

    /// The change since the first price; nil when it has too many digits, and before the first price.
    var difference: ExactDecimal? {
      guard let first, let last else { return nil }
      return last.subtracting(first)
    }

    /// Adds the newest price.
    mutating func append(_ price: ExactDecimal, at time: Timestamp) {
      (last, self.time) = (price, time)
      if history.count >= TickerBoard.historyLimit { history.removeFirst() }
      history.append(price.doubleValue)
    }
  }

  /// The longest sparkline.
  static let historyLimit = 60

  /// The requested symbols in order, then others in order of arrival.
  private(set) var rows: [Row] = []
  /// The number of applied updates.
  private(set) var updates: UInt64 = 0
  /// The number of dropped updates.
  private(set) var dropped: UInt64 = 0
  private var indexes: [String: Int] = [:]

  init(symbols: [String]) { for symbol in symbols { _ = index(of: symbol) } }

  /// Applies an element of a stream.
  mutating func apply(_ element: StreamElement<some TickerRecord>) {
    switch element {
    case .gap(let count): dropped += count
    case .value(let record):
      updates += 1
      record.update(&rows[index(of: record.symbol)])
    }
  }

  /// Restarts changes and volumes.
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

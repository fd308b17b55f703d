import RustleMarket

/// What a ticker's view shows: the last price of each symbol, where it started, and its recent course.
struct TickerBoard: Equatable, Sendable {
  /// One symbol.
  struct Row: Equatable, Sendable {
    let symbol: String
    /// The first price that was seen.
    fileprivate(set) var first: ExactDecimal?
    /// The newest price.
    fileprivate(set) var last: ExactDecimal?
    /// The newest prices, the last one last, at most `historyLimit`.
    fileprivate(set) var history: [Double] = []
    /// The sum of the sizes; where candles are shown, that of the newest.
    fileprivate(set) var volume = 0.0
    /// When the newest price was, in nanoseconds since 1970.
    fileprivate(set) var timeNanoseconds: Int64 = 0
    /// The newest candle, where candles are shown.
    fileprivate(set) var candle: Candle?
    /// Those of the last while, where such are shown; changes are over that while then.
    fileprivate(set) var statistics: PriceStatistics?

    init(symbol: String) { self.symbol = symbol }

    /// The change since the first price, as a fraction of it: 0.01 is one per cent.
    var change: Double? {
      guard let first, let last else { return nil }
      return last.relativeChange(since: first)
    }

    /// The change since the first price; nil when it has too many digits, and before there is one.
    var difference: ExactDecimal? {
      guard let first, let last else { return nil }
      return TickerNumbers.difference(last, first)
    }

    fileprivate mutating func append(_ price: ExactDecimal) {
      last = price
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

  /// Takes in what a stream of quotes delivers.
  mutating func apply(_ element: StreamElement<Quote>) {
    switch element {
    case .gap(let count): lost += count
    case .value(let quote):
      updates += 1
      let row = index(of: quote.symbol)
      // One that comes late has been overtaken: it is traded, and no news.
      rows[row].volume += quote.size.doubleValue
      guard !quote.isOutOfOrder else { return }
      if rows[row].first == nil { rows[row].first = quote.price }
      rows[row].append(quote.price)
      rows[row].timeNanoseconds = quote.timeNanoseconds
    }
  }

  /// Takes in what a stream of candles delivers.
  mutating func apply(_ element: StreamElement<Candle>) {
    switch element {
    case .gap(let count): lost += count
    case .value(let candle):
      updates += 1
      let row = index(of: candle.symbol)
      if rows[row].first == nil { rows[row].first = candle.open }
      rows[row].append(candle.close)
      rows[row].volume = candle.volume
      rows[row].timeNanoseconds = candle.startNanoseconds
      rows[row].candle = candle
    }
  }

  /// Takes in what a stream of statistics delivers.
  mutating func apply(_ element: StreamElement<PriceStatistics>) {
    switch element {
    case .gap(let count): lost += count
    case .value(let statistics):
      updates += 1
      let row = index(of: statistics.symbol)
      rows[row].append(statistics.last)
      rows[row].first = statistics.first
      rows[row].timeNanoseconds = statistics.timeNanoseconds
      rows[row].statistics = statistics
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

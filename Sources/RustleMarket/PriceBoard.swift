/// The newest prices of a list of symbols, as a watch list shows them: price, change, volume and history.
///
/// It is a value, for a view model in any isolation:
///
/// ```swift
/// var board = PriceBoard(symbols: ["BTC", "ETH"])
/// for await trade in try await feed.trades() {
///   board.apply(trade)
///   print(board.rows[0].symbol, board.rows[0].change ?? 0)
/// }
/// ```
public struct PriceBoard: Sendable, Equatable {
  /// The prices of one symbol.
  public struct Row: Sendable, Equatable {
    /// The symbol.
    public let symbol: String
    /// The period of its candles on a board of several; nil on others.
    public let period: MarketCalendar.Period?
    /// The first price, or the newest at the last ``PriceBoard/restart()``; with statistics the first of the window.
    public fileprivate(set) var first: ExactDecimal?
    /// The newest price; nil before it.
    public private(set) var last: ExactDecimal?
    /// The newest prices in the order of arrival, at most ``PriceBoard/historyLimit``.
    public private(set) var history: [Double] = []
    /// The sum of the sizes; with candles that of the newest candle.
    public fileprivate(set) var volume = 0.0
    /// The time of the newest price; 1970 before it.
    public private(set) var time = Timestamp.unixEpoch
    /// The newest candle; nil without candles.
    public fileprivate(set) var candle: Candle?
    /// The newest statistics; nil without statistics.
    public fileprivate(set) var statistics: PriceStatistics?
    /// The newest quote; nil without quotes.
    public fileprivate(set) var quote: Quote?

    fileprivate init(_ key: Key) { (symbol, period) = (key.symbol, key.period) }

    /// The relative change from ``first`` to ``last``: 0.01 is one per cent; not finite when the first price is 0, nil before it.
    public var change: Double? { first.flatMap { first in last?.relativeChange(since: first) } }

    /// The change from ``first`` to ``last``; nil when it has more than 18 digits, and before the first price.
    public var difference: ExactDecimal? { first.flatMap { first in last?.subtracting(first) } }

    fileprivate mutating func append(_ price: ExactDecimal, at time: Timestamp, limit: Int) {
      (last, self.time) = (price, time)
      if history.count >= limit { history.removeFirst() }
      history.append(price.doubleValue)
    }
  }

  /// The given symbols in order, then others in the order of arrival.
  public private(set) var rows: [Row] = []
  /// The number of applied records.
  public private(set) var updates: UInt64 = 0
  /// The number of records in the applied gaps.
  public private(set) var dropped: UInt64 = 0
  /// The maximum number of prices kept of each symbol.
  public let historyLimit: Int
  private let periods: [MarketCalendar.Period]
  private var indexes: [Key: Int] = [:]
  /// The period of the record that is being applied.
  private var period: MarketCalendar.Period?

  fileprivate struct Key: Sendable, Hashable {
    var symbol: String
    var period: MarketCalendar.Period?
  }

  /// Creates a board with a row for each of `symbols`, or for each of `periods` of each.
  ///
  /// - Parameters:
  ///   - periods: the periods of candles, in the order of their rows; empty where the records have one or none.
  ///   - historyLimit: the maximum number of prices kept in a row; less than 1 counts as 1.
  public init(symbols: [String] = [], periods: [MarketCalendar.Period] = [], historyLimit: Int = 60) {
    self.historyLimit = max(1, historyLimit)
    self.periods = periods
    for symbol in symbols { _ = index(of: Key(symbol: symbol, period: periods.first)) }
  }

  /// Applies an element of a stream.
  ///
  /// - Parameter period: the period of its candles, on a board of several.
  public mutating func apply(_ element: StreamElement<some PriceRecord>, of period: MarketCalendar.Period? = nil) {
    self.period = period
    defer { self.period = nil }
    switch element {
    case .gap(let count): dropped += count
    case .value(let record):
      updates += 1
      record.update(&self)
    }
  }

  /// Begins a new period of every symbol: changes are relative to its newest price from now on, and its volume is 0 unless candles
  /// provide it.
  public mutating func restart() {
    for row in rows.indices {
      rows[row].first = rows[row].last
      if rows[row].candle == nil { rows[row].volume = 0 }
    }
  }

  /// The index of a row, which is added with those of the other periods of its symbol if it is new.
  private mutating func index(of key: Key) -> Int {
    if let index = indexes[key] { return index }
    let added = key.period.map(periods.contains) == true ? periods.map(Optional.init) : [key.period]
    for period in added {
      let one = Key(symbol: key.symbol, period: period)
      indexes[one] = rows.count
      rows.append(Row(one))
    }
    return indexes[key] ?? 0
  }
}

/// A record of the prices of a symbol: a trade, a candle, or the statistics of a window.
public protocol PriceRecord: SymbolRecord {
  /// The symbol.
  var symbol: String { get }
  /// The time of the record.
  var time: Timestamp { get }
  /// Updates the row of its symbol.
  func update(_ board: inout PriceBoard)
}

extension Trade: PriceRecord {
  /// Adds its size to the volume. A trade out of order changes nothing else.
  public func update(_ board: inout PriceBoard) {
    board.update(symbol) { row, limit in
      row.volume += size.doubleValue
      guard !isOutOfOrder else { return }
      row.quote = quote ?? row.quote
      row.first = row.first ?? price
      row.append(price, at: time, limit: limit)
    }
  }
}

extension Candle: PriceRecord {
  /// The start of the interval.
  public var time: Timestamp { start }

  /// Replaces the candle and the volume.
  public func update(_ board: inout PriceBoard) {
    board.update(symbol) { row, limit in
      row.first = row.first ?? open
      row.append(close, at: time, limit: limit)
      (row.volume, row.candle) = (volume, self)
    }
  }
}

extension PriceStatistics: PriceRecord {
  /// Replaces the statistics and the first price.
  public func update(_ board: inout PriceBoard) {
    board.update(symbol) { row, limit in
      row.append(last, at: time, limit: limit)
      (row.first, row.statistics) = (first, self)
    }
  }
}

extension PriceBoard {
  /// Changes the row of a symbol, which is added if it is new; `change` also receives the limit of the history.
  fileprivate mutating func update(_ symbol: String, _ change: (inout Row, Int) -> Void) {
    change(&rows[index(of: Key(symbol: symbol, period: period))], historyLimit)
  }
}

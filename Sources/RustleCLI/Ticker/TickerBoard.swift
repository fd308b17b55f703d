import RustleMarket

/// What a ticker's view shows: the last price of each symbol, where it started, and its recent course.
struct TickerBoard: Equatable, Sendable {
  /// One symbol.
  struct Row: Equatable, Sendable {
    let symbol: String
    /// The first price that was seen.
    private(set) var first: Double?
    /// The newest prices, the last one last, at most `historyLimit`.
    private(set) var history: [Double] = []

    init(symbol: String) { self.symbol = symbol }

    /// The newest price.
    var last: Double? { history.last }
    /// The change since the first price, as a fraction of it: 0.01 is one per cent.
    var change: Double? {
      guard let first, let last else { return nil }
      return last / first - 1
    }

    fileprivate mutating func append(_ price: Double) {
      if first == nil { first = price }
      history.append(price)
      if history.count > TickerBoard.historyLimit { history.removeFirst() }
    }
  }

  /// The longest sparkline.
  static let historyLimit = 60

  /// The symbols in the order in which they were asked for.
  private(set) var rows: [Row]
  /// Updates that were applied.
  private(set) var updates = 0
  private var indexes: [String: Int] = [:]

  init(symbols: [String]) {
    rows = symbols.map(Row.init)
    for (index, symbol) in symbols.enumerated() { indexes[symbol] = index }
  }

  /// Takes a new price in; one of another symbol is ignored.
  ///
  /// - Returns: the row as it is now, or nil when it was ignored.
  @discardableResult
  mutating func apply(_ update: PriceUpdate) -> Row? {
    guard let index = indexes[update.symbol] else { return nil }
    rows[index].append(update.price)
    updates += 1
    return rows[index]
  }
}

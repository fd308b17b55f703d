import RustleMarket

/// The columns of a ticker's table for a width: what matters least is left out first.
struct TickerColumns {
  enum Kind {
    case symbol, price, change, difference, spark, volume, lag, time, open, high, low
  }

  struct Column {
    let kind: Kind
    let title: String
    var width: Int
    var isRight = true
    /// Columns before it.
    var gap = 1
  }

  /// From the left to the right.
  let all: [Column]

  /// Below this a sparkline says nothing; above it there is no more history.
  private static let sparkWidths = 8...TickerBoard.historyLimit
  private static let changeWidth = 12
  /// A price with more digits is cut.
  private static let priceWidths = 12...22

  /// - Parameters:
  ///   - width: columns of the terminal, 20 or more.
  ///   - isRecording: whether times are told, and not lags.
  ///   - interval: how long a candle is, where the rows are candles.
  init(board: TickerBoard, width: Int, isRecording: Bool, interval: String?) {
    // As many rows as one can look at; symbols that come later find the columns as they are.
    let rows = board.rows.prefix(1_000)
    let widestSymbol = rows.map { DisplayWidth.columns(of: $0.symbol) }.max() ?? 0
    func widest(of price: (TickerBoard.Row) -> String?) -> Int {
      let count = rows.compactMap(price).map(\.count).max() ?? 0
      return min(max(count, Self.priceWidths.lowerBound), Self.priceWidths.upperBound)
    }
    let price = min(widest { row in row.last.map(TickerNumbers.price) }, width - 4)
    let hasChange = width >= 3 + 1 + price + 1 + Self.changeWidth
    let change = hasChange ? Self.changeWidth + 1 : 0
    let symbol = max(3, min(12, max(6, widestSymbol), width - price - change - 1))
    let title = interval == nil ? "PRICE" : "CLOSE"
    var left = width - symbol - price - change - 1
    var optional: [Kind: Column] = [:]
    /// Keeps room for the shortest sparkline, unless that has none anyway.
    func add(_ column: Column) {
      guard left - column.width - column.gap >= Self.sparkWidths.lowerBound + 2 else { return }
      left -= column.width + column.gap
      optional[column.kind] = column
    }
    let hasTime = isRecording || interval != nil
    add(Column(kind: hasTime ? .time : .lag, title: hasTime ? "TIME" : "LAG", width: 8))
    if rows.contains(where: { $0.volume > 0 }) { add(Column(kind: .volume, title: "VOLUME", width: 8)) }
    let others: [(kind: Kind, title: String, price: (Candle) -> ExactDecimal)] = [
      (.open, "OPEN", { $0.open }), (.high, "HIGH", { $0.high }), (.low, "LOW", { $0.low }),
    ]
    let columns = others.map { kind, title, price in
      Column(kind: kind, title: title, width: widest { $0.candle.map { TickerNumbers.price(price($0)) } })
    }
    // All of them or none: the low without the high says little.
    let needed = columns.reduce(Self.sparkWidths.lowerBound + 2) { $0 + $1.width + $1.gap }
    if interval != nil && left >= needed {
      for column in columns { add(column) }
    } else {
      add(Column(kind: .difference, title: "", width: 11))
    }
    let spark = min(left - 2, Self.sparkWidths.upperBound)
    if spark >= Self.sparkWidths.lowerBound {
      optional[.spark] = Column(kind: .spark, title: "LAST \(spark)", width: spark, isRight: false, gap: 2)
    }
    let order: [Column?] = [
      Column(kind: .symbol, title: "SYMBOL", width: symbol, isRight: false, gap: 0), optional[.open], optional[.high],
      optional[.low], Column(kind: .price, title: title, width: price), optional[.difference],
      hasChange ? Column(kind: .change, title: "CHANGE", width: Self.changeWidth) : nil, optional[.spark],
      optional[.volume], optional[.lag], optional[.time],
    ]
    all = order.compactMap { $0 }
  }

  /// The titles, each fitted to its column.
  func header(_ fit: (String, Int, Bool) -> String) -> String {
    all.map { String(repeating: " ", count: $0.gap) + fit($0.title, $0.width, $0.isRight) }.joined()
  }
}

import RustleMarket

/// The columns of a ticker's table for a width: what matters least is left out first.
struct TickerColumns {
  enum Kind {
    case symbol, price, change, difference, spark, volume, lag, time, open, high, low, mean, deviation
  }

  /// What the rows are.
  enum Content: Sendable {
    case quotes, candles, statistics
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
  ///   - content: what the rows are.
  init(board: TickerBoard, width: Int, isRecording: Bool, content: Content) {
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
    let title = content == .candles ? "CLOSE" : "PRICE"
    var left = width - symbol - price - change - 1
    var optional: [Kind: Column] = [:]
    /// Keeps room for the shortest sparkline, unless that has none anyway.
    func add(_ column: Column) {
      guard left - column.width - column.gap >= Self.sparkWidths.lowerBound + 2 else { return }
      left -= column.width + column.gap
      optional[column.kind] = column
    }
    let hasTime = isRecording || content == .candles
    add(Column(kind: hasTime ? .time : .lag, title: hasTime ? "TIME" : "LAG", width: 8))
    if rows.contains(where: { $0.volume > 0 }) { add(Column(kind: .volume, title: "VOLUME", width: 8)) }
    var hasOthers = false
    for group in Self.others(content) {
      let columns = group.map { kind, title in
        Column(kind: kind, title: title, width: widest { $0.text(of: kind) })
      }
      let needed = columns.reduce(Self.sparkWidths.lowerBound + 2) { $0 + $1.width + $1.gap }
      guard left >= needed else { break }
      for column in columns { add(column) }
      hasOthers = true
    }
    if !hasOthers { add(Column(kind: .difference, title: "", width: 11)) }
    let spark = min(left - 2, Self.sparkWidths.upperBound)
    if spark >= Self.sparkWidths.lowerBound {
      optional[.spark] = Column(kind: .spark, title: "LAST \(spark)", width: spark, isRight: false, gap: 2)
    }
    let order: [Column?] = [
      Column(kind: .symbol, title: "SYMBOL", width: symbol, isRight: false, gap: 0), optional[.open], optional[.mean],
      optional[.deviation], optional[.high], optional[.low], Column(kind: .price, title: title, width: price),
      optional[.difference],
      hasChange ? Column(kind: .change, title: "CHANGE", width: Self.changeWidth) : nil, optional[.spark],
      optional[.volume], optional[.lag], optional[.time],
    ]
    all = order.compactMap { $0 }
  }

  /// What the rows tell besides the price. Of a group all are shown or none: the low without the high says little.
  private static func others(_ content: Content) -> [[(Kind, String)]] {
    switch content {
    case .quotes: []
    case .candles: [[(.open, "OPEN"), (.high, "HIGH"), (.low, "LOW")]]
    case .statistics: [[(.mean, "MEAN"), (.deviation, "SD")], [(.high, "HIGH"), (.low, "LOW")]]
    }
  }

  /// The titles, each fitted to its column.
  func header(_ fit: (String, Int, Bool) -> String) -> String {
    all.map { String(repeating: " ", count: $0.gap) + fit($0.title, $0.width, $0.isRight) }.joined()
  }
}

extension TickerBoard.Row {
  /// What stands in a column of candles or statistics; nil when there is nothing.
  func text(of kind: TickerColumns.Kind) -> String? {
    switch kind {
    case .open: candle.map { TickerNumbers.price($0.open) }
    case .high: (candle?.high ?? statistics?.highest).map(TickerNumbers.price)
    case .low: (candle?.low ?? statistics?.lowest).map(TickerNumbers.price)
    case .mean: statistics.map(TickerNumbers.mean)
    case .deviation: statistics.map { TickerNumbers.amount($0.standardDeviation) }
    case .symbol, .price, .change, .difference, .spark, .volume, .lag, .time: nil
    }
  }
}

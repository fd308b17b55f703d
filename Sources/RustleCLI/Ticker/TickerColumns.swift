import RustleMarket
import RustlePlot

/// The columns of a ticker's table for a width; the least important are left out first.
struct TickerColumns {
  struct Column {
    let title: String
    let width: Int
    var isRight = true
    /// Columns before it.
    var gap = 1
    /// The text and the ink of a row with a price.
    let cell: (TickerBoard.Row, ExactDecimal) -> (String, Painter.Ink?)
  }

  /// The columns from left to right.
  let all: [Column]

  /// The widths of a sparkline: below them it is unreadable, above them it has no more history.
  private static let sparkWidths = 8...TickerBoard.historyLimit
  private static let changeWidth = 12
  /// A price with more digits is cut.
  private static let priceWidths = 12...22

  /// - Parameters:
  ///   - width: columns of the terminal, 20 or more.
  ///   - isRecording: whether times are shown, and not their ages at `now`, in nanoseconds since 1970.
  ///   - content: the kind of the rows.
  init(
    _ board: TickerBoard, width: Int, isRecording: Bool, content: TickerPlan.Content, now: Int64, glyphs: Glyphs
  ) {
    // The first rows determine the widths of the columns.
    let rows = board.rows.prefix(1_000)
    /// A column as wide as the longest of its prices.
    func column(_ title: String, _ text: @escaping (TickerBoard.Row) -> String?) -> Column {
      let widest = rows.compactMap { text($0)?.count }.max() ?? 0
      let width = min(max(widest, Self.priceWidths.lowerBound), Self.priceWidths.upperBound)
      return Column(title: title, width: width) { row, _ in (text(row) ?? "", nil) }
    }
    let isCandle = if case .candles = content { true } else { false }
    let widestPrice = column("") { $0.last.map(TickerNumbers.price) }.width
    let price = Column(title: isCandle ? "CLOSE" : "PRICE", width: min(widestPrice, width - 4)) { _, last in
      (TickerNumbers.price(last), nil)
    }
    let hasChange = width >= 3 + 1 + price.width + 1 + Self.changeWidth
    let change = Column(title: "CHANGE", width: Self.changeWidth) { row, _ in
      let change = row.change ?? .nan
      return (TickerNumbers.markedChange(change, glyphs: glyphs), TickerNumbers.ink(of: change))
    }
    var left = width - price.width - 1 - (hasChange ? change.width + 1 : 0)
    let maximumSymbolWidth = rows.map { DisplayWidth.columns(of: $0.symbol) }.max() ?? 0
    let symbol = Column(
      title: "SYMBOL", width: max(3, min(12, max(6, maximumSymbolWidth), left)), isRight: false, gap: 0
    ) { row, _ in (row.symbol, .bold) }
    left -= symbol.width
    /// Returns the columns of a group, or none; leaves room for the shortest sparkline.
    func fitting(_ group: [Column]) -> [Column] {
      let width = group.reduce(0) { $0 + $1.width + $1.gap }
      guard left - width >= Self.sparkWidths.lowerBound + 2 else { return [] }
      left -= width
      return group
    }
    let hasTime = isRecording || isCandle
    let time = fitting([
      Column(title: hasTime ? "TIME" : "LAG", width: 8) { row, _ in
        let time = row.timeNanoseconds
        return (hasTime ? MarketTime.timeOfDay(time, hasMilliseconds: false) : MarketTime.age(now - time), .dim)
      }
    ])
    let hasVolume = rows.contains { $0.volume > 0 }
    let volume =
      !hasVolume
      ? [] : fitting([Column(title: "VOLUME", width: 8) { row, _ in (TickerNumbers.amount(row.volume), nil) }])
    // High and low are shown together.
    var before: [Column] = []
    let (high, low) = (
      column("HIGH") { ($0.candle?.high ?? $0.statistics?.highest).map(TickerNumbers.price) },
      column("LOW") { ($0.candle?.low ?? $0.statistics?.lowest).map(TickerNumbers.price) }
    )
    switch content {
    case .trades: break
    case .candles: before = fitting([column("OPEN") { $0.candle.map { TickerNumbers.price($0.open) } }, high, low])
    case .statistics:
      before = fitting([
        column("MEAN") { $0.statistics.map(TickerNumbers.mean) },
        column("SD") { $0.statistics.map { TickerNumbers.amount($0.standardDeviation) } },
      ])
      if !before.isEmpty { before += fitting([high, low]) }
    }
    let difference = Column(title: "", width: 11) { row, _ in
      (TickerNumbers.difference(row.difference, glyphs: glyphs), row.change.flatMap(TickerNumbers.ink))
    }
    let behind = before.isEmpty ? fitting([difference]) : []
    var spark: [Column] = []
    let width = min(left - 2, Self.sparkWidths.upperBound)
    if width >= Self.sparkWidths.lowerBound {
      spark = [
        Column(title: "LAST \(width)", width: width, isRight: false, gap: 2) { row, _ in
          (glyphs.sparkline(row.history, columns: width), .cyan)
        }
      ]
    }
    all = [symbol] + before + [price] + behind + (hasChange ? [change] : []) + spark + volume + time
  }
}

import RustleMarket
import RustlePlot

extension TickerView {
  private typealias RowColumn = Column<PriceBoard.Row>

  /// The widths of a sparkline: below them it is unreadable, above them it has no more history.
  private static let sparkWidths = 8...60
  /// A price with more digits is cut.
  private static let priceWidths = 12...22

  /// The columns of the symbols.
  var symbolWidth: Int {
    min(12, max(6, board.rows.prefix(1_000).map { DisplayWidth.columns(of: $0.symbol) }.max() ?? 0))
  }

  /// A column after `gap` blank ones, whose cells are cut to its width.
  private func column(
    _ title: String, _ width: Int, isRight: Bool = true, gap: Int = 1,
    ink: @escaping @Sendable (PriceBoard.Row) -> Ink? = { _ in nil },
    _ text: @escaping @Sendable (PriceBoard.Row) -> String
  ) -> [RowColumn] {
    let ellipsis = profile.glyphs.ellipsis
    let title = title.count > width ? DisplayWidth.fit(title, to: width, ellipsis: ellipsis) : title
    let column = RowColumn().shown(title, width, isRight: isRight, ink: ink) {
      DisplayWidth.fit(text($0), to: width, alignRight: isRight, ellipsis: $1.ellipsis)
    }
    return (gap > 0 ? [RowColumn().shown("", gap) { _, _ in "" }] : []) + [column]
  }

  /// A column as wide as the longest of its prices.
  private func prices(
    _ title: String, atMost limit: Int = .max, _ text: @escaping @Sendable (PriceBoard.Row) -> String?
  ) -> [RowColumn] {
    // The first rows determine the width.
    let widest = board.rows.prefix(1_000).compactMap { text($0)?.count }.max() ?? 0
    let width = min(max(widest, Self.priceWidths.lowerBound), Self.priceWidths.upperBound, limit)
    return column(title, width) { text($0) ?? "" }
  }

  /// The table of the rows with a price, for the terminal's width; the least important columns are left out first.
  var table: Table<PriceBoard.Row> {
    let (glyphs, now) = (profile.glyphs, status.now)
    func width(_ columns: [RowColumn]) -> Int { columns.reduce(0) { $0 + ($1.cell?.width ?? 0) } }
    let price = prices(content.isCandles ? "CLOSE" : "PRICE", atMost: profile.columns - 4) { $0.last?.grouped() }
    var change = column("CHANGE", 12, ink: { TickerNumbers.ink(of: $0.change ?? .nan) }) {
      glyphs.markedChange($0.change ?? .nan)
    }
    if profile.columns < 3 + width(price) + width(change) { change = [] }
    var left = profile.columns - width(price) - width(change)
    let periodWidth = max(3, content.rowPeriods.map(\.description.count).max() ?? 0)
    let period = content.hasIntervals ? column("INT", periodWidth) { $0.period?.description ?? "" } : []
    left -= width(period)
    let symbol = column(
      "SYMBOL", max(3, min(symbolWidth, left)), isRight: false, gap: 0, ink: { _ in .bold }, \.symbol)
    left -= width(symbol)
    // A quote is more than a sparkline.
    var details: [RowColumn] = []
    if case .trades = content, board.rows.prefix(1_000).contains(where: { $0.quote != nil }) {
      let quote = prices("BID") { $0.quote?.bid.grouped() } + prices("ASK") { $0.quote?.ask.grouped() }
      if width(quote) <= left { (details, left) = (quote, left - width(quote)) }
    }
    /// Returns the columns of a group, or none; leaves room for the shortest sparkline.
    func fitting(_ group: [RowColumn]) -> [RowColumn] {
      guard left - width(group) >= Self.sparkWidths.lowerBound + 2 else { return [] }
      left -= width(group)
      return group
    }
    let hasTime = isRecording || content.isCandles
    let time = fitting(
      column(hasTime ? "TIME" : "LAG", 8, ink: { _ in .dim }) {
        let time = $0.time
        return hasTime ? time.timeOfDay() : UnitLabel.age(now - time)
      })
    let hasVolume = board.rows.prefix(1_000).contains { $0.volume > 0 }
    let volume = hasVolume ? fitting(column("VOLUME", 8) { UnitLabel.amount($0.volume) }) : []
    // High and low are shown together.
    let range =
      prices("HIGH") { ($0.candle?.high ?? $0.statistics?.highest)?.grouped() }
      + prices("LOW") { ($0.candle?.low ?? $0.statistics?.lowest)?.grouped() }
    switch content {
    case .trades: break
    case .candles: details = fitting(prices("OPEN") { $0.candle?.open.grouped() } + range)
    case .statistics:
      details = fitting(
        prices("MEAN") { $0.statistics.map(TickerNumbers.mean) }
          + prices("SD") { $0.statistics.map { UnitLabel.amount($0.standardDeviation) } })
      if !details.isEmpty { details += fitting(range) }
    }
    let difference = column("", 11, ink: { $0.change.flatMap(TickerNumbers.ink) }) {
      TickerNumbers.difference($0.difference, glyphs: glyphs)
    }
    let behind = details.isEmpty ? fitting(difference) : []
    let sparkWidth = min(left - 2, Self.sparkWidths.upperBound)
    let spark = column("LAST \(sparkWidth)", sparkWidth, isRight: false, gap: 2, ink: { _ in .cyan }) {
      glyphs.sparkline($0.history, columns: sparkWidth)
    }
    let hasSpark = sparkWidth >= Self.sparkWidths.lowerBound
    let all = [symbol, period, details, price, behind, change, hasSpark ? spark : [], volume, time]
    return Table(all.flatMap(\.self), format: .text, profile: profile)
  }
}

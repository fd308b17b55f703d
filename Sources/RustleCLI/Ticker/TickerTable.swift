/// Lays a board out as a table for a terminal. A pure function of what it is given.
struct TickerTable {
  /// What stands below the table.
  struct Status: Equatable, Sendable {
    var seconds: Double
    var isPaused = false
    /// Whether keys are read: without them they are not offered.
    var hasKeys = false
    var showsHelp = false
  }

  let profile: TerminalProfile
  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  init(profile: TerminalProfile) { self.profile = profile }

  private static let priceWidth = 14
  private static let changeWidth = 12
  /// Below this a sparkline says nothing; above it there is no more history.
  private static let sparkWidths = 8...TickerBoard.historyLimit

  /// The columns of each part for a width: the symbol takes what it needs up to 12, the sparkline what is left.
  private func widths(_ board: TickerBoard) -> (symbol: Int, spark: Int) {
    let widest = board.rows.map { DisplayWidth.columns(of: $0.symbol) }.max() ?? 0
    let room = profile.columns - Self.priceWidth - Self.changeWidth - 3
    let symbol = max(3, min(12, max(6, widest), room))
    let left = room - symbol - 2
    return (symbol, left < Self.sparkWidths.lowerBound ? 0 : min(left, Self.sparkWidths.upperBound))
  }

  /// The lines and the columns that each takes. There are never more lines than the terminal has rows but one, so that
  /// the picture does not scroll.
  func lines(_ board: TickerBoard, _ status: Status) -> [(text: String, columns: Int)] {
    let widths = widths(board)
    var lines = [header(widths)]
    let room = max(1, profile.rows - 4 - (status.showsHelp ? 1 : 0))
    let shown = board.rows.count <= room ? board.rows.count : max(1, room - 1)
    for row in board.rows.prefix(shown) { lines.append(line(row, widths)) }
    if shown < board.rows.count { lines.append(plain("\(glyphs.ellipsis) \(board.rows.count - shown) more", .dim)) }
    lines.append(plain(footer(board, status), .dim))
    if status.showsHelp { lines.append(plain("q quit   space pause or go on   ? this line   Ctrl-Z suspend", .dim)) }
    return lines
  }

  private func header(_ widths: (symbol: Int, spark: Int)) -> (text: String, columns: Int) {
    var text = fit("SYMBOL", widths.symbol) + " " + fit("PRICE", Self.priceWidth, alignRight: true)
    text += " " + fit("CHANGE", Self.changeWidth, alignRight: true)
    if widths.spark > 0 { text += "  " + fit("LAST \(widths.spark)", widths.spark) }
    return plain(text, .bold)
  }

  private func line(_ row: TickerBoard.Row, _ widths: (symbol: Int, spark: Int)) -> (text: String, columns: Int) {
    let symbol = fit(row.symbol, widths.symbol)
    guard let last = row.last, let change = row.change else { return plain(symbol, nil) }
    let (mark, ink): (Character, Painter.Ink?) =
      switch TickerNumbers.direction(change) {
      case .up: (glyphs.up, .green)
      case .down: (glyphs.down, .red)
      case .unchanged: (glyphs.unchanged, nil)
      }
    let price = fit(TickerNumbers.price(last), Self.priceWidth, alignRight: true)
    let percent = fit("\(mark) \(TickerNumbers.change(change, glyphs: glyphs))", Self.changeWidth, alignRight: true)
    var text = "\(painter(symbol, .bold)) \(price) \(painter(percent, ink))"
    var columns = widths.symbol + 1 + Self.priceWidth + 1 + Self.changeWidth
    if widths.spark > 0 {
      text += "  " + painter(Sparkline.text(row.history, width: widths.spark, glyphs: glyphs), .cyan)
      columns += 2 + widths.spark
    }
    return (text, columns)
  }

  private func footer(_ board: TickerBoard, _ status: Status) -> String {
    let seconds = Int(status.seconds)
    let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    let state = status.isPaused ? "paused" : "\(board.updates) updates"
    let keys = status.hasKeys ? (status.isPaused ? "   q quit  space go on" : "   q quit  space pause  ? help") : ""
    return "\(clock)  \(state)\(keys)"
  }

  /// A line in one ink, cut to the terminal's width and without spaces at its end.
  private func plain(_ text: String, _ ink: Painter.Ink?) -> (text: String, columns: Int) {
    let trimmed = String(text.reversed().drop { $0 == " " }.reversed())
    let columns = min(DisplayWidth.columns(of: trimmed), profile.columns)
    return (painter(fit(trimmed, columns), ink), columns)
  }

  private func fit(_ text: String, _ width: Int, alignRight: Bool = false) -> String {
    DisplayWidth.fit(text, to: width, alignRight: alignRight, ellipsis: glyphs.ellipsis)
  }
}

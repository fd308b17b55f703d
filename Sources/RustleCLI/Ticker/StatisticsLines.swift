import RustleMarket

/// Writes the statistics of a while one a line.
struct StatisticsLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  /// How long the while is.
  let windowNanoseconds: Int64

  /// What comes before the first line; may be empty.
  var header: String {
    format == .csv
      ? CSVLine.text(["symbol", "t_ns", "count", "mean", "sd", "low", "high", "first", "last"]) : ""
  }

  /// Appends the lines of what a stream delivers.
  func append(_ element: StreamElement<PriceStatistics>, to text: inout ByteText) {
    switch element {
    case .gap(let count): text.append(TickerLines.gap(count, format, profile))
    case .value(let statistics):
      switch format {
      case .ndjson: appendJSON(statistics, to: &text)
      case .csv: appendRow(statistics, to: &text)
      case .auto, .text: text.append(line(statistics))
      }
    }
  }

  private func appendJSON(_ statistics: PriceStatistics, to text: inout ByteText) {
    text.append("{\"v\":1,\"symbol\":\(JSONLine.quoted(statistics.symbol))")
    text.append(MarketTime.field("t", statistics.timeNanoseconds))
    text.append(",\"count\":\(statistics.count),\"mean\":\(statistics.mean)")
    text.append(",\"sd\":\(statistics.standardDeviation)")
    for (name, price) in prices(statistics) {
      text.append(",\"\(name)\":")
      text.append(price)
    }
    text.append(MarketTime.field("window", windowNanoseconds) + "}\n")
  }

  private func appendRow(_ statistics: PriceStatistics, to text: inout ByteText) {
    text.append("\(CSVLine.field(statistics.symbol)),\(statistics.timeNanoseconds),\(statistics.count)")
    text.append(",\(statistics.mean),\(statistics.standardDeviation)")
    for (_, price) in prices(statistics) {
      text.append(",")
      text.append(price)
    }
    text.append("\n")
  }

  /// When the while ends, symbol, mean, deviation and prices with their names, the count, and the change from the first to the last.
  private func line(_ statistics: PriceStatistics) -> String {
    let glyphs = Glyphs(for: profile)
    let change = statistics.relativeChange
    let (mark, ink) = TickerNumbers.direction(change).mark(glyphs)
    let symbol = DisplayWidth.fit(
      statistics.symbol, to: max(6, DisplayWidth.columns(of: statistics.symbol)), ellipsis: glyphs.ellipsis)
    var parts = ["mean \(TickerNumbers.mean(statistics))"]
    parts.append("sd \(TickerNumbers.amount(statistics.standardDeviation))")
    parts += prices(statistics).map { "\($0.name) \(TickerNumbers.price($0.price))" }
    parts.append("count \(statistics.count)")
    let percent = Painter(isEnabled: profile.usesColor)("\(mark) \(TickerNumbers.change(change, glyphs: glyphs))", ink)
    let clock = MarketTime.timeOfDay(statistics.timeNanoseconds)
    return "\(clock)  \(symbol)  \(parts.joined(separator: "  "))  \(percent)\n"
  }

  private func prices(_ statistics: PriceStatistics) -> [(name: String, price: ExactDecimal)] {
    [
      ("low", statistics.lowest), ("high", statistics.highest), ("first", statistics.first), ("last", statistics.last),
    ]
  }
}

import Foundation
import RustleMarket

/// Writes candles one a line.
struct CandleLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  /// How long a candle is.
  let intervalNanoseconds: Int64

  /// What comes before the first candle; may be empty.
  var header: String {
    format == .csv
      ? CSVLine.text(["symbol", "start_ns", "open", "high", "low", "close", "volume", "count"]) : ""
  }

  /// Appends the lines of what a stream delivers.
  func append(_ element: StreamElement<Candle>, to text: inout ByteText) {
    switch element {
    case .gap(let count): text.append(TickerLines.gap(count, format, profile))
    case .value(let candle):
      switch format {
      case .ndjson: appendJSON(candle, to: &text)
      case .csv: appendRow(candle, to: &text)
      case .auto, .text: text.append(line(candle))
      }
    }
  }

  private func appendJSON(_ candle: Candle, to text: inout ByteText) {
    text.append("{\"v\":1,\"symbol\":\(JSONLine.quoted(candle.symbol))")
    for (name, price) in prices(candle) {
      text.append(",\"\(name)\":")
      text.append(price)
    }
    text.append(",\"volume\":\(volume(candle)),\"count\":\(candle.count)")
    text.append(
      MarketTime.field("start", candle.startNanoseconds) + MarketTime.field("interval", intervalNanoseconds) + "}\n")
  }

  private func appendRow(_ candle: Candle, to text: inout ByteText) {
    text.append("\(CSVLine.field(candle.symbol)),\(candle.startNanoseconds),")
    for (_, price) in prices(candle) {
      text.append(price)
      text.append(",")
    }
    text.append("\(volume(candle)),\(candle.count)\n")
  }

  /// When it starts, symbol, the four prices, volume and count, with their names.
  private func line(_ candle: Candle) -> String {
    let glyphs = Glyphs(for: profile)
    let change = candle.close.relativeChange(since: candle.open)
    let (mark, ink) = TickerNumbers.direction(change).mark(glyphs)
    let symbol = DisplayWidth.fit(
      candle.symbol, to: max(6, DisplayWidth.columns(of: candle.symbol)), ellipsis: glyphs.ellipsis)
    var parts = prices(candle).map { "\($0.name) \(TickerNumbers.price($0.price))" }
    parts.append("volume \(volume(candle))")
    parts.append("count \(candle.count)")
    let percent = Painter(isEnabled: profile.usesColor)("\(mark) \(TickerNumbers.change(change, glyphs: glyphs))", ink)
    return
      "\(MarketTime.dateAndTime(candle.startNanoseconds, unit: intervalNanoseconds))  \(symbol)  \(parts.joined(separator: "  "))  \(percent)\n"
  }

  private func prices(_ candle: Candle) -> [(name: String, price: ExactDecimal)] {
    [("open", candle.open), ("high", candle.high), ("low", candle.low), ("close", candle.close)]
  }

  /// Exact, unless the sum has more than 18 digits.
  private func volume(_ candle: Candle) -> String { candle.exactVolume?.description ?? String(candle.volume) }
}

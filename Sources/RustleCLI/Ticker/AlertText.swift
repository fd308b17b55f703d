import RustleMarket

/// Thresholds as the option `--alert` has them.
enum AlertText {
  /// `BTC>70000`, `ETH<3000`, with `=` behind the sign or not, and with a hysteresis: `BTC>70000~250`.
  ///
  /// - Returns: nil for any other text.
  static func threshold(_ text: String) -> PriceThreshold? {
    guard let place = text.firstIndex(where: { $0 == ">" || $0 == "<" }), place > text.startIndex else { return nil }
    var rest = text[text.index(after: place)...]
    if rest.first == "=" { rest = rest.dropFirst() }
    let parts = rest.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
    guard let level = ExactDecimal(parts[0]),
      let hysteresis = parts.count == 1 ? .zero : ExactDecimal(parts[1]), hysteresis >= .zero
    else { return nil }
    return PriceThreshold(
      symbol: String(text[..<place]), text[place] == ">" ? .above : .below, level, hysteresis: hysteresis)
  }

  /// What a price that reached its level is told as.
  static func text(_ alert: PriceAlert) -> String {
    let threshold = alert.threshold
    let side = threshold.direction == .above ? "at or above" : "at or below"
    return "\(threshold.symbol) \(TickerNumbers.price(alert.price)) is \(side) \(TickerNumbers.price(threshold.level))"
  }
}

/// A line of bars, one for each value, scaled to the least and the greatest of them.
enum Sparkline {
  /// - Parameters:
  ///   - values: finite; the newest last.
  ///   - width: columns; the newest values that fit are shown, at the right end.
  /// - Returns: exactly `width` columns. Equal values are drawn at half height.
  static func text(_ values: [Double], width: Int, glyphs: Glyphs) -> String {
    let shown = values.suffix(max(0, width))
    guard let low = shown.min(), let high = shown.max() else { return String(repeating: " ", count: max(0, width)) }
    let top = glyphs.bars.count - 1
    let bars = shown.map { value -> Character in
      let fraction = high > low ? (value - low) / (high - low) : 0.5
      return glyphs.bars[Int((fraction * Double(top)).rounded())]
    }
    return String(repeating: " ", count: width - bars.count) + String(bars)
  }
}

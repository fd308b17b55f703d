import Foundation
import RustleMarket
import RustlePlot

/// The formats of the ticker's numbers, the same in every locale.
enum TickerNumbers {
  /// The mean of a window, with two digits more than its last price.
  static func mean(_ statistics: PriceStatistics) -> String {
    let text = String(format: "%.*f", statistics.last.scale + 2, statistics.mean)
    return ExactDecimal(text)?.grouped() ?? text
  }

  /// A difference with its sign: `+12.50`. Zero has no sign; nil is a dash.
  static func difference(_ difference: ExactDecimal?, glyphs: Glyphs) -> String {
    guard let difference else { return String(glyphs.unknown) }
    let text = difference.grouped().replacing("-", with: String(glyphs.minus))
    return difference > .zero ? "+\(text)" : text
  }

  /// A change with its sign in per cent: `+0.12 %`. A rounded zero has no sign; a change that is not finite is a dash.
  static func change(_ fraction: Double, glyphs: Glyphs) -> String {
    guard fraction.isFinite else { return String(glyphs.unknown) }
    if !isShown(fraction) { return "0.00 %" }
    let percent = abs(fraction) * 100
    let digits = String(format: percent < 10_000 ? "%.2f" : "%.2g", percent)
    return "\(fraction > 0 ? "+" : String(glyphs.minus))\(digits) %"
  }

  /// A change after a mark for its direction.
  static func markedChange(_ fraction: Double, glyphs: Glyphs) -> String {
    let mark = !isShown(fraction) ? glyphs.unchanged : fraction > 0 ? glyphs.up : glyphs.down
    return "\(mark) \(change(fraction, glyphs: glyphs))"
  }

  /// The colour of a change's direction.
  static func ink(of fraction: Double) -> Painter.Ink? { !isShown(fraction) ? nil : fraction > 0 ? .green : .red }

  /// Whether a change is visible in two decimals of a per cent.
  private static func isShown(_ fraction: Double) -> Bool { abs(fraction) >= 0.000_05 }

  /// An amount in at most seven columns: `0.125`, `1,234`, `56.7k`, `8.90M`.
  static func amount(_ amount: Double) -> String {
    let size = abs(amount)
    if size == 0 { return "0" }
    if size >= 1e-4, size < 9_999.5 {
      return String(format: size < 1 ? "%.4g" : size < 1_000 ? "%.5g" : "%.0f", amount)
    }
    for (end, unit) in [(1e6, "k"), (1e9, "M"), (1e12, "G"), (1e15, "T")] where size > 1 && size < end * 0.999_5 {
      return String(format: "%.3g", amount / (end / 1e3)) + unit
    }
    return String(format: "%.1e", amount)
  }

  /// A count with thousands separators.
  static func count(_ count: UInt64) -> String {
    ExactDecimal(units: Int64(clamping: count), scale: 0)?.grouped() ?? String(count)
  }
}

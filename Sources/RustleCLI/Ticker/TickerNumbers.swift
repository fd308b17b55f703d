import Foundation
import RustleMarket
import RustlePlot

/// The formats of the ticker's numbers, the same in every locale.
enum TickerNumbers {
  /// A price with all its digits, and thousands separators.
  static func price(_ price: ExactDecimal) -> String {
    let parts = price.description.split(separator: ".")
    let digits = parts[0].drop { $0 == "-" }
    var grouped = parts[0].first == "-" ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return parts.count == 1 ? grouped : "\(grouped).\(parts[1])"
  }

  /// The mean of a window, with two digits more than its last price.
  static func mean(_ statistics: PriceStatistics) -> String {
    let text = String(format: "%.*f", statistics.last.scale + 2, statistics.mean)
    return ExactDecimal(text).map(price) ?? text
  }

  /// A difference with its sign: `+12.50`. Zero has no sign; nil is a dash.
  static func difference(_ difference: ExactDecimal?, glyphs: Glyphs) -> String {
    guard let difference else { return String(glyphs.unknown) }
    let text = price(difference)
    if difference.units == 0 { return text }
    return difference.units > 0 ? "+\(text)" : "\(glyphs.minus)\(text.dropFirst())"
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
    if size < 1e-4 || size >= 1e15 { return String(format: "%.1e", amount) }
    if size < 9_999.5 { return String(format: size < 1 ? "%.4g" : size < 1_000 ? "%.5g" : "%.0f", amount) }
    for (end, unit) in [(1e6, "k"), (1e9, "M"), (1e12, "G"), (1e15, "T")] where size < end * 0.999_5 {
      return String(format: "%.3g", amount / (end / 1e3)) + unit
    }
    return String(format: "%.1e", amount)
  }

  /// A count with thousands separators.
  static func count(_ count: UInt64) -> String {
    ExactDecimal(units: Int64(clamping: count), scale: 0).map(price) ?? String(count)
  }
}

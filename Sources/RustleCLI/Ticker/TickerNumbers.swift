import Foundation
import RustleMarket
import RustlePlot

/// Times and intervals of market data as text, always in UTC.
enum MarketTime {
  /// A time as people write it; nil for any other text.
  static func timestamp(_ text: String) -> Timestamp? { Timestamp(written: text) }

  /// A parser of an option's interval.
  static func interval(of option: String, allowsZero: Bool = false) -> @Sendable (String) throws -> Duration {
    { text in
      if allowsZero, text.wholeMatch(of: /0+(ns|us|ms|s|m|h|d)?/) != nil { return .zero }
      return try Parse.value("\(option) such as 250ms, 5s, 1m, 1h or 1d") { MarketInterval($0) }(text).duration
    }
  }

  /// The time of day to the millisecond, rounded down: `06:02:56.316Z`.
  static func timeOfDay(_ time: Timestamp, hasMilliseconds: Bool = true) -> String {
    let text = time.rfc3339(fractionDigits: hasMilliseconds ? 3 : 0).dropFirst("2026-01-31T".count)
    return String(hasMilliseconds ? text : text.dropLast())
  }

  /// Date and time of day: `2026-01-31T09:30:00Z`, with the fractional digits that multiples of `unit` need.
  static func dateAndTime(_ time: Timestamp, unit: Int64 = 1_000_000_000) -> String {
    time.rfc3339(fractionDigits: Timestamp.fractionDigits(of: unit))
  }

  /// An age in at most seven columns: `-12 ms`, `3.4 s`, `12 min`.
  static func age(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    switch abs(seconds) {
    case ..<0.999_5: return "\(Int((seconds * 1e3).rounded())) ms"
    case ..<99.95: return String(format: "%.1f s", seconds)
    case ..<5_970: return "\(Int((seconds / 60).rounded())) min"
    case ..<356_400: return "\(Int((seconds / 3_600).rounded())) h"
    default: return "\(Int((seconds / 86_400).rounded())) d"
    }
  }

  /// The columns of a time or a duration in nanoseconds: in milliseconds, or in nanoseconds where it is not a whole number of
  /// milliseconds.
  static func columns<Record>(
    _ name: String, _ count: @escaping @Sendable (Record) -> Int64
  ) -> [Column<Record>] {
    [
      Column("\(name)_ms", in: [.ndjson]) { milliseconds(count($0)) },
      Column("\(name)_ns", in: [.ndjson]) { nanoseconds(count($0)) },
    ]
  }

  /// The value of such a field in milliseconds; absent where it is not a whole number of them.
  static func milliseconds(_ count: Int64) -> Value {
    count.isMultiple(of: 1_000_000) ? .integer(count / 1_000_000) : .absent
  }

  /// The value of such a field in nanoseconds; absent for a whole number of milliseconds.
  static func nanoseconds(_ count: Int64) -> Value { count.isMultiple(of: 1_000_000) ? .absent : .integer(count) }
}

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

  static func ink(of fraction: Double) -> Ink? { !isShown(fraction) ? nil : fraction > 0 ? .green : .red }

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

  static func count(_ count: UInt64) -> String {
    ExactDecimal(units: Int64(clamping: count), scale: 0)?.grouped() ?? String(count)
  }
}

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
}

enum TickerNumbers {
  /// The mean of a window, with two digits more than its last price.
  static func mean(_ statistics: PriceStatistics) -> String { mean(statistics.mean, scale: statistics.last.scale) }

  static func mean(_ mean: Double, scale: Int) -> String {
    let text = String(format: "%.*f", scale + 2, mean)
    return ExactDecimal(text)?.grouped() ?? text
  }

  /// A difference with its sign: `+12.50`. Zero has no sign; nil is a dash.
  static func difference(_ difference: ExactDecimal?, glyphs: Glyphs) -> String {
    guard let difference else { return String(glyphs.unknown) }
    let text = difference.grouped().replacing("-", with: String(glyphs.minus))
    return difference > .zero ? "+\(text)" : text
  }

  static func ink(of fraction: Double) -> Ink? {
    !Glyphs.isVisible(change: fraction) ? nil : fraction > 0 ? .green : .red
  }

  static func count(_ count: UInt64) -> String {
    ExactDecimal(units: Int64(clamping: count), scale: 0)?.grouped() ?? String(count)
  }
}

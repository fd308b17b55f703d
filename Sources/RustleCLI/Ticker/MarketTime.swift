import Foundation
import RustleMarket

/// Times and intervals of market data as text, always in UTC.
enum MarketTime {
  /// Parses a time of RFC 3339, `2026-01-31T09:30:00.5Z`, also without seconds, or without an offset in UTC; a date for its
  /// beginning; a whole number of milliseconds since 1970.
  ///
  /// - Returns: nil for any other text, and for a time before ``Timestamp/min`` or after ``Timestamp/max``.
  static func timestamp(_ text: String) -> Timestamp? {
    if let milliseconds = Int64(text) {
      return Int64(exactly: Int128(milliseconds) * 1_000_000).map(Timestamp.init(nanosecondsSince1970:))
    }
    let pattern = /(\d{4}-\d\d-\d\d)(?:([Tt ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    return Timestamp(rfc3339: "\(match.1)\(match.2 ?? "T00:00")\(match.3 ?? ":00")\(match.4 ?? "Z")")
  }

  /// Parses an interval, a whole number and a name of `units`: `5m`.
  ///
  /// - Returns: nanoseconds, 1 or more; nil for any other text.
  static func interval(_ text: String) -> Int64? {
    guard let match = text.wholeMatch(of: /(\d+)(ns|us|ms|s|m|h|d)/), let number = Int64(match.1), number > 0,
      let unit = units.first(where: { $0.name == match.2 })
    else { return nil }
    return Int64(exactly: Int128(number) * Int128(unit.nanoseconds))
  }

  /// A parser of an option's interval.
  static func interval(of option: String, allowsZero: Bool = false) -> @Sendable (String) throws -> Duration {
    { text in
      if allowsZero, text.wholeMatch(of: /0+(ns|us|ms|s|m|h|d)?/) != nil { return .zero }
      return .nanoseconds(try Parse.value("\(option) such as 250ms, 5s, 1m, 1h or 1d", interval)(text))
    }
  }

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
    ("us", 1_000), ("ns", 1),
  ]

  /// The text of an interval in the largest unit without a fraction: `1m`, `90s`.
  static func text(_ interval: Duration) -> String {
    let nanoseconds = interval.wholeNanoseconds
    let unit = units.first { nanoseconds.isMultiple(of: $0.nanoseconds) } ?? ("ns", 1)
    return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
  }

  /// The time of day to the millisecond, rounded down: `06:02:56.316Z`.
  static func timeOfDay(_ time: Timestamp, hasMilliseconds: Bool = true) -> String {
    let text = time.rfc3339(fractionDigits: hasMilliseconds ? 3 : 0).dropFirst("2026-01-31T".count)
    return String(hasMilliseconds ? text : text.dropLast())
  }

  /// Date and time of day: `2026-01-31T09:30:00Z`, with the fractional digits that multiples of `unit` need.
  static func dateAndTime(_ time: Timestamp, unit: Int64 = 1_000_000_000) -> String {
    let digits = [(1_000_000_000, 0), (1_000_000, 3), (1_000, 6)].first { unit.isMultiple(of: $0.0) }?.1 ?? 9
    return time.rfc3339(fractionDigits: digits)
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

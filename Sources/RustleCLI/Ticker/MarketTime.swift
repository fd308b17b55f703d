internal import ArgumentParser
import Foundation
import RustleMarket

/// Times and intervals of market data as text, always in UTC.
enum MarketTime {
  /// Parses a time: `2026-01-31T09:30:00.5Z`, with any offset, or without one in UTC; a date for its beginning; a whole
  /// number of milliseconds since 1970.
  ///
  /// - Returns: nanoseconds since 1970-01-01T00:00:00Z; nil for any other text, and beyond the years 1678 to 2261.
  static func nanoseconds(_ text: String) -> Int64? {
    if let milliseconds = Int64(text) { return Int64(exactly: Int128(milliseconds) * 1_000_000) }
    let pattern =
      /(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):(\d\d))?)?/
    guard let match = text.wholeMatch(of: pattern), let midnight = midnight(String(match.1)) else { return nil }
    func number(_ text: Substring?) -> Int128 { text.flatMap { Int128($0) } ?? 0 }
    let (hour, minute, second) = (number(match.2), number(match.3), number(match.4))
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let offset = (number(match.7) * 60 + number(match.8)) * (match.6 == "-" ? -60 : 60)
    let seconds = midnight + hour * 3_600 + minute * 60 + second - offset
    let fraction = number(match.5.map { $0 + String(repeating: "0", count: 9 - $0.count) })
    return Int64(exactly: seconds * 1_000_000_000 + fraction)
  }

  /// The seconds from 1970 to a date; nil for an invalid one.
  private static func midnight(_ date: String) -> Int128? {
    let style = Date.ISO8601FormatStyle().year().month().day()
    guard let moment = try? style.parse(date), moment.formatted(style) == date else { return nil }
    return Int128(moment.timeIntervalSince1970)
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
      guard let nanoseconds = interval(text) else {
        throw ValidationError("expected \(option) such as 250ms, 5s, 1m, 1h or 1d, got '\(text)'")
      }
      return .nanoseconds(nanoseconds)
    }
  }

  private static let day: Int64 = 86_400_000_000_000

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", day), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ("ns", 1),
  ]

  /// The text of an interval in the largest unit without a fraction: `1m`, `90s`.
  static func text(_ interval: Duration) -> String {
    let nanoseconds = interval.wholeNanoseconds
    let unit = units.first { nanoseconds.isMultiple(of: $0.nanoseconds) } ?? ("ns", 1)
    return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
  }

  /// The time of day to the millisecond, rounded down: `06:02:56.316Z`.
  static func timeOfDay(_ nanoseconds: Int64, hasMilliseconds: Bool = true) -> String {
    // The remainder takes the sign of the dividend; a time before 1970 counts from its midnight, too.
    let rest = nanoseconds % day
    let milliseconds = (rest < 0 ? rest + day : rest) / 1_000_000
    let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60]
    let clock = parts.map { digits($0, 2) }.joined(separator: ":")
    return hasMilliseconds ? "\(clock).\(digits(milliseconds % 1_000, 3))Z" : clock
  }

  /// A number with leading zeros, without Foundation's formats, which are too slow for a line per update.
  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Date and time of day: `2026-01-31T09:30:00Z`, with the fractional digits that multiples of `unit` need.
  static func dateAndTime(_ nanoseconds: Int64, unit: Int64 = 1_000_000_000) -> String {
    let rest = nanoseconds % 1_000_000_000
    let fraction = rest < 0 ? rest + 1_000_000_000 : rest
    let seconds = (nanoseconds - rest) / 1_000_000_000 - (rest < 0 ? 1 : 0)
    let count = [(1_000_000_000, 0), (1_000_000, 3), (1_000, 6)].first { unit.isMultiple(of: $0.0) }?.1 ?? 9
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    return count == 0 ? text : "\(text.dropLast()).\(digits(fraction, 9).prefix(count))Z"
  }

  /// An age in at most seven columns: `-12 ms`, `3.4 s`, `12 min`.
  static func age(_ nanoseconds: Int64) -> String {
    let seconds = Double(nanoseconds) / 1e9
    switch abs(seconds) {
    case ..<0.999_5: return "\(Int((seconds * 1e3).rounded())) ms"
    case ..<99.95: return String(format: "%.1f s", seconds)
    case ..<5_970: return "\(Int((seconds / 60).rounded())) min"
    case ..<356_400: return "\(Int((seconds / 3_600).rounded())) h"
    default: return "\(Int((seconds / 86_400).rounded())) d"
    }
  }

  /// A field of a JSON object in milliseconds, or in nanoseconds where it is not a whole number of milliseconds.
  static func field(_ name: String, _ nanoseconds: Int64) -> (String, Value) {
    nanoseconds.isMultiple(of: 1_000_000)
      ? ("\(name)_ms", .integer(nanoseconds / 1_000_000)) : ("\(name)_ns", .integer(nanoseconds))
  }

  /// The columns of such a field; a record has one of them.
  static func columns<Record>(
    _ name: String, _ nanoseconds: @escaping @Sendable (Record) -> Int64
  ) -> [Column<Record>] {
    [
      Column("\(name)_ms", in: [.ndjson]) {
        let time = nanoseconds($0)
        return time.isMultiple(of: 1_000_000) ? Value.integer(time / 1_000_000) : .absent
      },
      Column("\(name)_ns", in: [.ndjson]) {
        let time = nanoseconds($0)
        return time.isMultiple(of: 1_000_000) ? Value.absent : .integer(time)
      },
    ]
  }
}

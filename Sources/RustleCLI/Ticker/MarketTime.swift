internal import ArgumentParser
import Foundation

/// Moments and intervals of market data as text. Always UTC.
enum MarketTime {
  /// A moment: `2026-01-31T09:30:00.5Z`, with another offset than `Z` or none, which is UTC; a date alone is its beginning; a whole
  /// number is milliseconds since 1970.
  ///
  /// - Returns: nanoseconds since 1970-01-01T00:00:00Z; nil for any other text, and beyond the years 1678 to 2261.
  static func nanoseconds(_ text: String) -> Int64? {
    if let milliseconds = Int64(text) { return scaled(milliseconds, by: 1_000_000) }
    let pattern =
      /(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):(\d\d))?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    let parts = [match.1, match.2, match.3, match.4 ?? "0", match.5 ?? "0", match.6 ?? "0"].compactMap { Int($0) }
    guard parts.count == 6, (0..<24).contains(parts[3]), parts[4] < 60, parts[5] < 60,
      let midnight = midnight(year: parts[0], month: parts[1], day: parts[2])
    else { return nil }
    let offset = (Int(match.9 ?? "0") ?? 0) * 3_600 + (Int(match.10 ?? "0") ?? 0) * 60
    let seconds = midnight + parts[3] * 3_600 + parts[4] * 60 + parts[5] - (match.8 == "-" ? -offset : offset)
    let fraction = String(match.7 ?? "").padding(toLength: 9, withPad: "0", startingAt: 0)
    guard let whole = scaled(Int64(seconds), by: 1_000_000_000) else { return nil }
    let (sum, isTooFar) = whole.addingReportingOverflow(Int64(fraction) ?? 0)
    return isTooFar ? nil : sum
  }

  /// An interval: a whole number and a unit, of which `units` lists the names. `5m`.
  ///
  /// - Returns: nanoseconds, 1 or more; nil for any other text.
  static func interval(_ text: String) -> Int64? {
    guard let match = text.wholeMatch(of: /(\d+)(ns|us|ms|s|m|h|d)/), let number = Int64(match.1), number > 0,
      let unit = units.first(where: { $0.name == match.2 })
    else { return nil }
    return scaled(number, by: unit.nanoseconds)
  }

  /// An interval as the option `option` takes it.
  static func interval(of option: String, allowsZero: Bool = false) -> @Sendable (String) throws -> Duration {
    { text in
      if allowsZero, text.wholeMatch(of: /0+(ns|us|ms|s|m|h|d)?/) != nil { return .zero }
      guard let nanoseconds = interval(text) else {
        throw ValidationError("expected \(option) such as 250ms, 5s, 1m, 1h or 1d, got '\(text)'")
      }
      return .nanoseconds(nanoseconds)
    }
  }

  /// The interval's text with the largest unit that it is a whole number of: `1m`, `90s`.
  static func text(interval nanoseconds: Int64) -> String {
    for unit in units where nanoseconds.isMultiple(of: unit.nanoseconds) {
      return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
    }
    return "\(nanoseconds)ns"
  }

  /// The time of day to the millisecond, rounded down: `06:02:56.316Z`.
  static func timeOfDay(_ nanoseconds: Int64, hasMilliseconds: Bool = true) -> String {
    // The remainder takes the sign of the dividend; a time before 1970 counts from its midnight all the same.
    let rest = nanoseconds % day
    let milliseconds = (rest < 0 ? rest + day : rest) / 1_000_000
    let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60]
    let clock = parts.map { digits($0, 2) }.joined(separator: ":")
    return hasMilliseconds ? "\(clock).\(digits(milliseconds % 1_000, 3))Z" : clock
  }

  /// With zeros before it. A line of text is written for every update, and Foundation's formats take their time.
  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Date and time of day to the second: `2026-01-31T09:30:00Z`; with as many digits behind it as multiples of `unit` need.
  static func dateAndTime(_ nanoseconds: Int64, unit: Int64 = 1_000_000_000) -> String {
    let days = (Double(nanoseconds) / Double(day)).rounded(.down)
    let parts = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: days * 86_400))
    let date = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    let rest = nanoseconds % 1_000_000_000
    let fraction = digits(rest < 0 ? rest + 1_000_000_000 : rest, 9)
    let count =
      unit.isMultiple(of: 1_000_000_000) ? 0 : unit.isMultiple(of: 1_000_000) ? 3 : unit.isMultiple(of: 1_000) ? 6 : 9
    let end = count == 0 ? "" : ".\(fraction.prefix(count))"
    return "\(date)T\(timeOfDay(nanoseconds, hasMilliseconds: false))\(end)Z"
  }

  /// A field of a JSON object that is not its first, in milliseconds, or in nanoseconds where those do not tell it: `,"t_ms":5`.
  static func field(_ name: String, _ nanoseconds: Int64) -> String {
    nanoseconds.isMultiple(of: 1_000_000)
      ? ",\"\(name)_ms\":\(nanoseconds / 1_000_000)" : ",\"\(name)_ns\":\(nanoseconds)"
  }

  /// How long ago something was, in at most seven columns: `-12 ms`, `3.4 s`, `12 min`.
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

  private static let day: Int64 = 86_400_000_000_000

  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("d", day), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ("ns", 1),
  ]

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Seconds since 1970; nil for a date that there is not.
  private static func midnight(year: Int, month: Int, day: Int) -> Int? {
    let parts = DateComponents(year: year, month: month, day: day)
    guard let date = calendar.date(from: parts),
      calendar.dateComponents([.year, .month, .day], from: date) == parts
    else { return nil }
    return Int(date.timeIntervalSince1970)
  }

  private static func scaled(_ number: Int64, by factor: Int64) -> Int64? {
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    return isTooLarge ? nil : product
  }
}

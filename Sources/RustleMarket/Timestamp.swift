public import Foundation

/// An instant in UTC: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds, from the year 1677 to 2262.
///
/// ```swift
/// let open = Timestamp(rfc3339: "2026-01-30T09:30:00-05:00")!
/// let close = open + .seconds(23_400)
/// print(close, close - open)  // 2026-01-30T21:00:00Z 23400.0 seconds
/// ```
public struct Timestamp: Sendable, Hashable {
  /// The nanoseconds since 1970-01-01T00:00:00Z; negative before it.
  public let nanosecondsSince1970: Int64

  /// The instant this many nanoseconds after 1970-01-01T00:00:00Z.
  public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

  /// 1970-01-01T00:00:00Z.
  public static let unixEpoch = Self(nanosecondsSince1970: 0)
  /// The earliest timestamp: 1677-09-21T00:12:43.145224192Z.
  public static let min = Self(nanosecondsSince1970: .min)
  /// The latest timestamp: 2262-04-11T23:47:16.854775807Z.
  public static let max = Self(nanosecondsSince1970: .max)

  /// The time of the system's clock, to about 0.1 µs.
  public static var now: Self { Self(clamping: Int128(nanosecondsSince1970: .now) ?? 0) }

  init(clamping nanoseconds: Int128) { self.init(nanosecondsSince1970: Int64(clamping: nanoseconds)) }
}

extension Timestamp: InstantProtocol {
  /// A duration between two timestamps: Swift's own, under the name that `InstantProtocol` requires.
  public typealias Duration = Swift.Duration

  /// The timestamp after `duration`, of which fractions of a nanosecond are left out; ``min`` or ``max`` where it is beyond them.
  public func advanced(by duration: Duration) -> Self {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    return Self(clamping: Int128(nanosecondsSince1970) + nanoseconds)
  }

  /// The exact duration from this timestamp to `other`.
  public func duration(to other: Self) -> Duration {
    let (seconds, nanoseconds) = (Int128(other.nanosecondsSince1970) - Int128(nanosecondsSince1970))
      .quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(
      secondsComponent: Int64(seconds), attosecondsComponent: Int64(nanoseconds) * 1_000_000_000)
  }

  /// As ``advanced(by:)``.
  public static func + (timestamp: Self, duration: Duration) -> Self { timestamp.advanced(by: duration) }
  /// As ``advanced(by:)``, by the negative of `duration`.
  public static func - (timestamp: Self, duration: Duration) -> Self { timestamp.advanced(by: .zero - duration) }
  /// The exact duration from `start` to `end`.
  public static func - (end: Self, start: Self) -> Duration { start.duration(to: end) }
  /// Adds `duration`, as ``advanced(by:)``.
  public static func += (timestamp: inout Self, duration: Duration) { timestamp = timestamp + duration }
  /// Subtracts `duration`, as ``advanced(by:)`` by its negative.
  public static func -= (timestamp: inout Self, duration: Duration) { timestamp = timestamp - duration }

  /// Whether `left` is earlier than `right`.
  public static func < (left: Self, right: Self) -> Bool { left.nanosecondsSince1970 < right.nanosecondsSince1970 }
}

extension Timestamp {
  /// The timestamp of `date`, rounded to the nearest nanosecond; nil for a date before ``min`` or after ``max``. A date of our
  /// time is itself a multiple of about 0.1 µs.
  public init?(_ date: Date) {
    guard let nanoseconds = Int128(nanosecondsSince1970: date).flatMap({ Int64(exactly: $0) }) else { return nil }
    self.init(nanosecondsSince1970: nanoseconds)
  }
}

extension Date {
  /// The date of `timestamp`, rounded to the nearest that a date can represent: in our time to a multiple of about 0.1 µs.
  public init(_ timestamp: Timestamp) {
    let (seconds, nanoseconds) = timestamp.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(
      timeIntervalSinceReferenceDate: Double(seconds - Int64(Date.timeIntervalBetween1970AndReferenceDate))
        + Double(nanoseconds) / 1e9)
  }
}

extension Int128 {
  /// Rounded to the nearest; nil for a date thousands of years away.
  fileprivate init?(nanosecondsSince1970 date: Date) {
    // A date holds its distance from 2001; the distance from 1970 would be rounded.
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e11 else { return nil }
    let whole = seconds.rounded(.down)
    let since1970 = Int128(whole) + Int128(Date.timeIntervalBetween1970AndReferenceDate)
    self = since1970 * 1_000_000_000 + Int128(((seconds - whole) * 1e9).rounded())
  }
}

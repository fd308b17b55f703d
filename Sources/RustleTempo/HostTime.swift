internal import RustleCore

/// A time of this machine in whole microseconds: CLOCK_MONOTONIC_RAW on Linux, `mach_absolute_time` on Apple platforms. Programs of one
/// machine agree on it, and those that share a session's tempo count in it.
public struct HostTime: Sendable, Hashable, BitwiseCopyable {
  /// Microseconds since the clock's zero.
  public let microseconds: Int64

  /// The time so many microseconds after the clock's zero; 0 for a negative number.
  public init(microseconds: Int64) { self.microseconds = max(0, microseconds) }

  /// The present time.
  public static var now: Self { Self(microseconds: hostMicroseconds()) }

  /// An instant of Swift's clock as a host time. Both clocks are read, this one before and after the other: the result is off by at most
  /// half of the time between, and by the difference of the clocks' rates until then.
  ///
  /// - Returns: the time, and the bound of the error by the reading.
  public static func at(_ instant: ContinuousClock.Instant) -> (time: Self, error: Duration) {
    let before = now
    let read = ContinuousClock.now
    let after = now
    let middle = before + .microseconds((after.microseconds - before.microseconds) / 2)
    return (middle + read.duration(to: instant), .microseconds((after.microseconds - before.microseconds + 1) / 2))
  }
}

extension HostTime: InstantProtocol {
  /// A duration between two host times: Swift's own, under the name that `InstantProtocol` requires.
  public typealias Duration = Swift.Duration

  /// The time after `duration`, of which fractions of a microsecond are left out; 0 for one before.
  public func advanced(by duration: Duration) -> Self {
    let (seconds, attoseconds) = duration.components
    let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !isOver else { return Self(microseconds: seconds < 0 ? 0 : .max) }
    let (sum, isBeyond) = microseconds.addingReportingOverflow(whole)
    guard !isBeyond else { return Self(microseconds: seconds < 0 ? 0 : .max) }
    let (last, isPast) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return Self(microseconds: isPast ? .max : last)
  }

  /// The exact duration from this time to `other`.
  public func duration(to other: Self) -> Duration { .microseconds(other.microseconds - microseconds) }

  /// As ``advanced(by:)``.
  public static func + (time: Self, duration: Duration) -> Self { time.advanced(by: duration) }
  /// The exact duration from `start` to `end`.
  public static func - (end: Self, start: Self) -> Duration { start.duration(to: end) }
  /// Whether `left` is earlier than `right`.
  public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}

internal import RustleCore
public import RustleMarket

/// A clock that advances only on request, for tests of code that uses Rustle's engines.
///
/// ```swift
/// let clock = try ManualClock()
/// let ticker = try TickerController(clock: clock)
/// let stream = try await ticker.prices(for: ["BTC"])
/// clock.advance(by: .seconds(1))   // the stream has three updates now: at 0, 0.5 and 1 s
/// ```
public final class ManualClock: Sendable {
  let runtime: NativeRuntime

  /// Creates a clock at time 0.
  ///
  /// - Parameter start: the calendar time at 0, of which fractions of a millisecond are left out.
  /// - Throws: `TickerError` with the code `archiveMismatch` or `exhausted`.
  public init(start: Timestamp = .unixEpoch) throws(TickerError) {
    do {
      runtime = try NativeRuntime(wallMilliseconds: start.nanosecondsSince1970 / 1_000_000)
    } catch {
      throw TickerError(error)
    }
  }

  /// Advances the time and returns when the engines on this clock have done everything due by then, each at its own time. It
  /// blocks the calling thread meanwhile.
  ///
  /// - Parameter duration: the step; a negative one counts as zero, and one beyond 584 years as 584 years.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = UInt64(max(0, seconds)).multipliedReportingOverflow(by: 1_000_000_000)
    let rest = UInt64(max(0, attoseconds / 1_000_000_000))
    runtime.advance(nanoseconds: overflow || whole > .max - rest ? .max : whole + rest)
  }
}

extension TickerController {
  /// Creates a ticker on `clock`.
  ///
  /// - Throws: as ``TickerController/init(configuration:)``.
  public init(
    configuration: TickerConfiguration = TickerConfiguration(), clock: ManualClock
  ) throws(TickerError) {
    try self.init(configuration: configuration, runtime: clock.runtime)
  }
}

extension MarketFeed {
  /// Creates a feed on `clock`.
  ///
  /// - Throws: as ``MarketFeed/init(_:)``.
  public init(_ configuration: FeedConfiguration, clock: ManualClock) throws(FeedError) {
    try self.init(configuration, runtime: clock.runtime)
  }
}

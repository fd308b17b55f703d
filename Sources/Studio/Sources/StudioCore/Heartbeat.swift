internal import Synchronization

/// Whether a client is there: it is pinged, and each frame of its own says that it is.
public final class Heartbeat<Time: Clock<Duration>>: Sendable {
  /// The time between two pings.
  public static var period: Duration { .seconds(15) }
  /// The time without a frame of the client, not even the answer to a ping, after which the next ping finds it gone.
  public static var silence: Duration { .seconds(45) }

  private let clock: Time
  private let last: Mutex<Time.Instant>

  /// Creates the heartbeat of a client that has just come.
  public init(clock: Time) {
    self.clock = clock
    last = Mutex(clock.now)
  }

  /// Notes a frame of the client.
  public func heard() { last.withLock { $0 = clock.now } }

  /// Pings the client until nothing was heard of it for ``silence``.
  ///
  /// - Throws: what a ping throws; `CancellationError`.
  public func run(ping: () async throws -> Void) async throws {
    while last.withLock({ $0 }).duration(to: clock.now) < Self.silence {
      try await clock.sleep(for: Self.period)
      try await ping()
    }
  }
}

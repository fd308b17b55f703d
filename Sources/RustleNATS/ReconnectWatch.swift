#if NATS
internal import RustleCore
internal import Synchronization

/// The rounds of attempts of the thread that makes a connection again: libnats asks before each how long to wait.
final class ReconnectRounds: Sendable {
  private let number = Atomic<UInt64>(0)
  private let wait: Duration
  private let onRound: @Sendable () -> Void

  /// - Parameters:
  ///   - wait: the wait before an attempt, to which as much again is added at random.
  ///   - onRound: called by libnats' thread before each round. One that does not return keeps the connection from being made again, and
  ///     from being closed.
  init(wait: Duration, onRound: @escaping @Sendable () -> Void) { (self.wait, self.onRound) = (wait, onRound) }

  /// The number of rounds so far.
  var count: UInt64 { number.load(ordering: .relaxed) }

  /// Begins a round. Returns the wait before it.
  func begin() -> Duration {
    onRound()
    number.add(1, ordering: .relaxed)
    return wait * Double.random(in: 1...2)
  }
}

/// Notices a connection that libnats no longer makes again: ``NATSConnection/leave()`` says why there are such.
///
/// A server that is away for long is no reason: what counts is the time since libnats has begun a round of attempts, or has reached a
/// server. The limit is 10 s and twice what a round takes that finds no server. With more servers than are configured, or where the
/// resolution of a name takes long, a connection may be left that would have been made: another one takes its place, and it ends.
struct ReconnectWatch {
  static let notice = "libnats no longer makes the connection again: another one is made"

  private let limit: Duration
  private var last: (attempts: UInt64, time: ContinuousClock.Instant)?

  /// - Parameter wait: the wait before an attempt, to which as much again is added at random.
  init(_ address: NATSAddress, connectTimeout: Duration, wait: Duration) {
    self.init(limit: .seconds(10) + (wait * 2 + connectTimeout * address.servers.count) * 2)
  }

  init(limit: Duration) { self.limit = limit }

  /// Whether the connection is to be left. The next one is another.
  mutating func isStuck(_ connection: NATSConnection) -> Bool {
    isStuck(connection.state, attempts: connection.attempts, now: .now)
  }

  mutating func isStuck(_ state: NATSConnection.State, attempts: UInt64, now: ContinuousClock.Instant) -> Bool {
    guard state == .reconnecting else {
      last = nil
      return false
    }
    guard let last, last.attempts == attempts else {
      last = (attempts, now)
      return false
    }
    guard now - last.time > limit else { return false }
    self.last = nil
    return true
  }
}
#endif

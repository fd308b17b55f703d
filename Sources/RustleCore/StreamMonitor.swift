/// An engine's view of a stream that it gave away: it can end the stream and count, keeps neither the stream nor its
/// consumer, and so does not keep it from ending.
package struct StreamMonitor: Sendable {
  private let session: SessionID
  private let release: OneShot
  private let readStatistics: @Sendable () -> StreamStatistics
  private let isHeld: @Sendable () -> Bool
  /// The session, where nobody else keeps it.
  private let kept: NativeSession?

  package init<Value>(_ stream: EngineStream<Value>) {
    session = stream.core.session.id
    release = stream.core.session.releasedSignal
    // The lane, not the core: a reference to the core would stand for a consumer.
    switch stream.core.source {
    case .events(let lane): readStatistics = { lane.statistics }
    case .frames(let lane): readStatistics = { lane.statistics }
    }
    isHeld = { [weak core = stream.core] in core != nil }
    kept = nil
  }

  /// The view of a session that the monitor keeps, and whose values are not in its hands.
  init(_ session: NativeSession, statistics: @escaping @Sendable () -> StreamStatistics) {
    self.session = session.id
    release = session.releasedSignal
    readStatistics = statistics
    isHeld = { false }
    kept = session
  }

  package var statistics: StreamStatistics { readStatistics() }

  /// Whether the session is over and no callback will run any more.
  package var isReleased: Bool { release.isFired }

  /// Whether the counts will not change any more: the session is over, and nobody can read what waits.
  var isSettled: Bool { isReleased && (!isHeld() || statistics.waiting == 0) }

  /// Asks for the session's end.
  package func cancel() { session.cancel() }

  /// Returns when the session is over.
  package func released() async { await release.wait() }
}

/// The streams that an engine has given away and whose counts may still change, and the counts of those before.
struct StreamTable: Sendable {
  private var monitors: [StreamMonitor] = []
  private var past = StreamStatistics(produced: 0, delivered: 0, dropped: 0)

  /// Adds a stream.
  mutating func add(_ monitor: StreamMonitor) {
    forgetSettled()
    monitors.append(monitor)
  }

  /// Drops the streams that are over and read or abandoned, keeping their counts.
  mutating func forgetSettled() {
    monitors.removeAll { monitor in
      guard monitor.isSettled else { return false }
      past = past + monitor.statistics
      return true
    }
  }

  /// Asks every stream that is in the table now to end, and returns when all are over.
  func endAll() async {
    for monitor in monitors { monitor.cancel() }
    for monitor in monitors { await monitor.released() }
  }

  /// The number of streams that are not over.
  var liveCount: Int { monitors.count { !$0.isReleased } }

  /// The sum over all streams, past ones included.
  var statistics: StreamStatistics { monitors.reduce(past) { $0 + $1.statistics } }
}

extension StreamStatistics {
  static func + (left: Self, right: Self) -> Self {
    Self(
      produced: left.produced + right.produced, delivered: left.delivered + right.delivered,
      dropped: left.dropped + right.dropped)
  }
}

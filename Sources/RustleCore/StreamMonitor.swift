/// An engine's view of a stream that it returned: it ends the stream and reads its counts, but retains neither the stream nor its
/// consumer, so that dropping the stream ends it.
package struct StreamMonitor: Sendable {
  private let session: SessionID
  private let release: OneShot
  private let readStatistics: @Sendable () -> StreamStatistics
  private let isHeld: @Sendable () -> Bool
  /// The session, where only the monitor retains it.
  private let kept: NativeSession?

  package init<Value>(_ stream: EngineStream<Value>) {
    session = stream.core.session.id
    release = stream.core.session.releasedSignal
    // The lane, not the core: a reference to the core would count as a consumer.
    readStatistics = stream.core.source.statistics
    isHeld = { [dropped = stream.core.dropped] in !dropped.isFired }
    kept = nil
  }

  /// Creates the view of a session that the monitor retains, and whose values it does not hold.
  init(_ session: NativeSession, statistics: @escaping @Sendable () -> StreamStatistics) {
    self.session = session.id
    release = session.releasedSignal
    readStatistics = statistics
    isHeld = { false }
    kept = session
  }

  package var statistics: StreamStatistics { readStatistics() }

  /// Whether the session has ended and no further callback will run.
  package var isReleased: Bool { release.isFired }

  /// Whether the counts are final: the session has ended, and the buffer is empty or has no reader.
  var isSettled: Bool { isReleased && (!isHeld() || statistics.waiting == 0) }

  /// Requests the session's end.
  package func cancel() { session.cancel() }

  /// Returns when the session has ended.
  package func released() async { await release.wait() }
}

/// The streams that an engine has returned and whose counts may still change, and the counts of the others.
struct StreamTable: Sendable {
  private var monitors: [StreamMonitor] = []
  private var past = StreamStatistics(produced: 0, delivered: 0, dropped: 0)

  /// Adds a stream.
  mutating func add(_ monitor: StreamMonitor) {
    forgetSettled()
    monitors.append(monitor)
  }

  /// Removes the streams that have ended and are read or abandoned, and keeps their counts.
  mutating func forgetSettled() {
    monitors.removeAll { monitor in
      guard monitor.isSettled else { return false }
      past = past + monitor.statistics
      return true
    }
  }

  /// Requests the end of every present stream, and returns when all have ended.
  func endAll() async {
    for monitor in monitors { monitor.cancel() }
    for monitor in monitors { await monitor.released() }
  }

  /// The number of streams that have not ended.
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

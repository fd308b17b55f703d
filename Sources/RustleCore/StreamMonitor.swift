/// An engine's view of a stream that it gave away: it can end the stream and count, and does not keep it from ending.
package struct StreamMonitor: Sendable {
  package let session: NativeSession
  private let readStatistics: @Sendable () -> StreamStatistics

  package init<Value>(_ stream: EngineStream<Value>) {
    session = stream.core.session
    // The lane, not the core: a reference to the core would stand for a consumer.
    switch stream.core.source {
    case .events(let lane): readStatistics = { lane.statistics }
    case .frames(let lane): readStatistics = { lane.statistics }
    }
  }

  package var statistics: StreamStatistics { readStatistics() }
}

/// The streams that an engine has given away and that are not over, and the counts of those that are.
package struct StreamTable: Sendable {
  private var monitors: [StreamMonitor] = []
  private var past = StreamStatistics(produced: 0, delivered: 0, dropped: 0)

  package init() {}

  /// Adds a stream.
  package mutating func add<Value>(_ stream: EngineStream<Value>) {
    forgetReleased()
    monitors.append(StreamMonitor(stream))
  }

  /// Drops the streams that are over, keeping their counts.
  package mutating func forgetReleased() {
    for monitor in monitors where monitor.session.isReleased { past = past + monitor.statistics }
    monitors.removeAll { $0.session.isReleased }
  }

  /// Asks every stream to end.
  package func cancelAll() {
    for monitor in monitors { monitor.session.cancel() }
  }

  /// Returns when every stream that is in the table now is over.
  package func allReleased() async {
    for monitor in monitors { await monitor.session.released() }
  }

  /// The number of streams that are not over.
  package var liveCount: Int { monitors.count { !$0.session.isReleased } }

  /// The sum over all streams, past ones included.
  package var statistics: StreamStatistics { monitors.reduce(past) { $0 + $1.statistics } }
}

extension StreamStatistics {
  static func + (left: Self, right: Self) -> Self {
    Self(
      produced: left.produced + right.produced, delivered: left.delivered + right.delivered,
      dropped: left.dropped + right.dropped)
  }
}

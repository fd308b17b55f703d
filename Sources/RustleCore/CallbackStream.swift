internal import Synchronization

/// An `AsyncStream` to which a session's callback yields directly, and the engine's view of it.
///
/// The session ends when the stream is dropped, when its reader's task is cancelled, and when the monitor is dropped; buffered
/// values can still be read then.
package struct CallbackStream<Value: Sendable>: Sendable {
  /// The values. Tasks that read them at the same time take turns; cancelling one of them ends the stream for all.
  package let values: AsyncStream<Value>
  /// Retains the session. A value counts as delivered once it has left the buffer, as of the newest value; the values that are
  /// buffered at the session's end count as delivered then.
  package let monitor: StreamMonitor

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - engine: the engine, by its name among the counts of all streams.
  ///   - capacity: the maximum number of buffered values; beyond it the oldest are dropped.
  ///   - start: starts a session that calls its first argument with each value, one call at a time, and its second after the
  ///     last.
  package init(
    of engine: String, capacity: Int,
    _ start: (
      _ onValue: @escaping @Sendable (Value) -> Void, _ onEnd: @escaping @Sendable (SessionOutcome) -> Void
    ) throws(NativeError) -> NativeSession
  ) throws(NativeError) {
    let (values, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
    let counts = CallbackCounts(.of(engine, NativeSession.onlyLane))
    let session = try start(
      { counts.note(continuation.yield($0), capacity: capacity) },
      { _ in
        counts.end()
        continuation.finish()
      })
    // By number: the stream's end is not to wait for the session's.
    let id = session.id
    continuation.onTermination = { _ in id.cancel() }
    self.values = values
    monitor = StreamMonitor(session) { counts.statistics }
  }
}

/// The counts of a ``CallbackStream``, written by one callback at a time.
private final class CallbackCounts: Sendable {
  private let produced = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)
  private let waiting = Atomic<UInt64>(0)
  private let lane: LaneCounts

  /// - Parameter lane: counts the same values.
  init(_ lane: LaneCounts) { self.lane = lane }

  func note<Value>(_ result: AsyncStream<Value>.Continuation.YieldResult, capacity: Int) {
    switch result {
    case .enqueued(let remaining):
      let before = waiting.exchange(UInt64(capacity - remaining), ordering: .relaxed)
      lane.call(isDropped: false, waiting: capacity - remaining - Int(before))
    case .dropped, .terminated:
      dropped.add(1, ordering: .relaxed)
      lane.call(isDropped: true, waiting: 0)
    @unknown default: break
    }
    // Last, so that a reader of this count sees the value's outcome.
    produced.add(1, ordering: .releasing)
  }

  /// Counts the buffered values as delivered.
  func end() { lane.empty(Int(waiting.exchange(0, ordering: .acquiringAndReleasing))) }

  var statistics: StreamStatistics {
    let produced = produced.load(ordering: .acquiring)
    let (dropped, waiting) = (dropped.load(ordering: .acquiring), waiting.load(ordering: .acquiring))
    return StreamStatistics(
      produced: produced, delivered: produced - min(produced, dropped + waiting), dropped: min(produced, dropped))
  }
}

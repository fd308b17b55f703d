internal import Synchronization

/// An `AsyncStream` that a session's callback yields to, with nothing between the two, and the engine's view of it.
///
/// The session ends when the stream is dropped, when its reader's task is cancelled, and when the monitor is dropped; what waits
/// then can still be read.
package struct CallbackStream<Value: Sendable>: Sendable {
  /// The values. Tasks that read them at the same time take turns; cancelling one of them ends the stream for all.
  package let values: AsyncStream<Value>
  /// Keeps the session. It counts a value as delivered when it has left the buffer, as far as the newest value shows; what waits
  /// at the session's end is the reader's, and counts then.
  package let monitor: StreamMonitor

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - capacity: values that wait at the most; the oldest are dropped beyond that.
  ///   - start: starts a session that calls its first argument with each value, one call at a time, and its second after the
  ///     last.
  package init(
    capacity: Int,
    _ start: (
      _ onValue: @escaping @Sendable (Value) -> Void, _ onEnd: @escaping @Sendable (SessionOutcome) -> Void
    ) throws(NativeError) -> NativeSession
  ) throws(NativeError) {
    let (values, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
    let counts = CallbackCounts()
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

/// What went through a ``CallbackStream``: written by one callback at a time.
private final class CallbackCounts: Sendable {
  private let produced = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)
  private let waiting = Atomic<UInt64>(0)

  func note<Value>(_ result: AsyncStream<Value>.Continuation.YieldResult, capacity: Int) {
    switch result {
    case .enqueued(let remaining): waiting.store(UInt64(capacity - remaining), ordering: .relaxed)
    case .dropped, .terminated: dropped.add(1, ordering: .relaxed)
    @unknown default: break
    }
    // Last: whoever sees it here sees what became of it.
    produced.add(1, ordering: .releasing)
  }

  /// What waits is the reader's from now on.
  func end() { waiting.store(0, ordering: .releasing) }

  var statistics: StreamStatistics {
    let produced = produced.load(ordering: .acquiring)
    let (dropped, waiting) = (dropped.load(ordering: .acquiring), waiting.load(ordering: .acquiring))
    return StreamStatistics(
      produced: produced, delivered: produced - min(produced, dropped + waiting), dropped: min(produced, dropped))
  }
}

internal import CRustle

/// A started session of any engine.
///
/// Dropping the last reference ends the session. To end it and wait for its end: ``cancel()``, then ``released()``.
package final class NativeSession: Sendable {
  /// The name of the lane of an engine that has one.
  static let onlyLane = "values"

  private let handle: NativeHandle
  private let context: SinkContext

  /// Takes ownership of the handle of a session that was started with `context`.
  init(_ raw: UInt64, context: SinkContext) {
    handle = NativeHandle(raw)
    self.context = context
  }

  /// Starts a session of an engine.
  ///
  /// - Parameters:
  ///   - engine: the engine's handle.
  ///   - stream: `RUSTLE_START_…`, whose record `request` is.
  ///   - eventSize: the size of the stream's records; 0 where it has none.
  ///   - context: receives the session's callbacks.
  static func start(
    on engine: UInt64, _ stream: UInt32, _ request: some NativeRecord, eventSize: Int, _ context: SinkContext
  ) throws(NativeError) -> NativeSession {
    var raw: UInt64 = 0
    try unsafe request.withRecord { (request, size) throws(NativeError) in
      try unsafe context.start { sink throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_start(engine, stream, request, size, eventSize, sink, &raw, $0)
        }
      }
    }
    context.counts?.begin()
    return NativeSession(raw, context: context)
  }

  /// Like `start(on:_:_:eventSize:_:)`, for a session that rings a bell.
  static func start(
    on engine: UInt64, _ stream: UInt32, _ request: some NativeRecord, eventSize: Int, bell: Doorbell,
    counts: LaneCounts
  ) throws(NativeError) -> NativeSession {
    let context = unsafe SinkContext(counts: counts, onEvent: { _ in bell.ring() }, onEnd: { _ in bell.finish() })
    return try start(on: engine, stream, request, eventSize: eventSize, context)
  }

  /// The number by which an `onTermination` closure cancels the session without retaining it.
  package var id: SessionID { SessionID(raw: handle.raw) }

  /// The outcome of the session; nil while it runs.
  package var outcome: SessionOutcome? { context.outcome }

  /// Whether the session has ended and no further callback will run.
  package var isReleased: Bool { context.released.isFired }

  /// Fires when the session has ended, also after this object is freed.
  var releasedSignal: OneShot { context.released }

  /// The counts of its lane.
  var counts: LaneCounts? { context.counts }

  /// Callbacks that came after the release: 0, unless the native side breaks its contract.
  var lateCallbackCount: Int { context.lateCallbackCount }

  /// Requests the session's end: sets a flag and wakes the native worker. Idempotent, from any thread, never waits.
  package func cancel() { id.cancel() }

  /// Returns when the session has ended: no callback runs after it. A cancelled task waits too.
  package func released() async { await context.released.wait() }
}

/// A session by its number. A number that outlives its session is stale: a late cancel touches nothing else.
package struct SessionID: Sendable, Hashable {
  let raw: UInt64

  /// Requests the session's end; does nothing when it has been freed.
  package func cancel() { _ = rustle_cancel(raw, nil) }
}

internal import CRustle

/// A started session of any engine.
///
/// Whoever drops the last reference ends the session. To end it and know that it has ended: ``cancel()``, then
/// ``released()``.
package final class NativeSession: Sendable {
  private let handle: NativeHandle
  private let context: SinkContext

  /// Takes over the handle of a session that was started with `context`.
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
  ///   - context: hears of the session.
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
    return NativeSession(raw, context: context)
  }

  /// As `start(on:_:_:eventSize:_:)`, for a session that rings a bell.
  static func start(
    on engine: UInt64, _ stream: UInt32, _ request: some NativeRecord, eventSize: Int, bell: Doorbell
  ) throws(NativeError) -> NativeSession {
    let context = unsafe SinkContext(onEvent: { _ in bell.ring() }, onEnd: { _ in bell.finish() })
    return try start(on: engine, stream, request, eventSize: eventSize, context)
  }

  /// The number by which an `onTermination` closure cancels the session without keeping it alive.
  package var id: SessionID { SessionID(raw: handle.raw) }

  /// How the session ended; nil while it runs.
  package var outcome: SessionOutcome? { context.outcome }

  /// Whether the session is over and no callback will run any more.
  package var isReleased: Bool { context.released.isFired }

  /// Fired when the session is over, also after this object is gone.
  var releasedSignal: OneShot { context.released }

  /// Callbacks that came after the release: 0, unless the native side breaks its contract.
  var lateCallbackCount: Int { context.lateCallbackCount }

  /// Asks for the session's end: sets a flag and wakes the native worker. Idempotent, from any thread, never waits.
  package func cancel() { id.cancel() }

  /// Returns when the session is over: no callback runs after it. Also when the waiting task is cancelled.
  package func released() async { await context.released.wait() }
}

/// A session by its number. A number that outlives its session is stale: a late cancel touches nothing else.
package struct SessionID: Sendable, Hashable {
  let raw: UInt64

  /// Asks for the session's end; does nothing when it is gone.
  package func cancel() { _ = rustle_cancel(raw, nil) }
}

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
    handle = NativeHandle(raw) { raw in
      // The only refusal is a stale handle, and this owner frees it once.
      _ = rustle_session_free(raw, nil)
    }
    self.context = context
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
  package func cancel() { _ = rustle_session_cancel(raw, nil) }
}

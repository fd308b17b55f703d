internal import CRustle
internal import Synchronization

/// The outcome of a session and of the stream of its values.
public enum SessionOutcome: Sendable, Hashable {
  /// The session reached its normal end.
  case ended
  /// The session was cancelled, or its engine was shut down or dropped.
  case cancelled
  /// The session failed for this reason.
  case failed(String)
  /// The session's native worker panicked with this message; the engine refuses further starts.
  case panicked(String)

  init(reason: Int32, message: String) {
    self =
      switch reason {
      case RUSTLE_RELEASE_ENDED: .ended
      case RUSTLE_RELEASE_CANCELLED: .cancelled
      case RUSTLE_RELEASE_PANICKED: .panicked(message)
      default: .failed(message)
      }
  }
}

/// The Swift end of a session, which the native side holds as its context.
///
/// The native threads use it without a lock because its members are constants, `Sendable` closures and atomics. The native side
/// owns one reference from a successful start until the release.
@safe final class SinkContext: Sendable {
  /// Receives one event: a pointer to the engine's record, valid during the call, or nil for a doorbell.
  private let onEvent: @Sendable (UnsafeRawPointer?) -> Void
  private let onEnd: @Sendable (SessionOutcome) -> Void
  /// Counts the session with the others of its lane.
  let counts: LaneCounts?
  /// Written once before the start and read by every callback: orders the closures' creation before their use on another thread
  /// for ThreadSanitizer too, which does not see the native side's synchronization.
  private let isArmed = Atomic<Bool>(false)
  private let end = WrittenOnce<SessionOutcome>()
  private let late = Atomic<Int>(0)
  /// Fires as the last step of the release: from then on no callback and no code of the context runs.
  let released = OneShot()

  init(
    counts: LaneCounts? = nil,
    onEvent: @escaping @Sendable (UnsafeRawPointer?) -> Void, onEnd: @escaping @Sendable (SessionOutcome) -> Void
  ) {
    unsafe self.onEvent = onEvent
    self.onEnd = onEnd
    self.counts = counts
  }

  /// Callbacks that came after the release: 0, unless the native side breaks its contract.
  var lateCallbackCount: Int { late.load(ordering: .relaxed) }

  /// The outcome of the session; nil while it runs.
  var outcome: SessionOutcome? { end.value }

  /// Calls `start` with a sink for this context. A start that throws has not taken the sink; its reference is released.
  func start(_ start: (RustleSink) throws(NativeError) -> Void) throws(NativeError) {
    isArmed.store(true, ordering: .releasing)
    let retained = unsafe Unmanaged.passRetained(self)
    let sink = unsafe RustleSink(
      context: retained.toOpaque(), on_signal: sinkOnSignal, on_release: sinkOnRelease)
    do {
      try unsafe start(sink)
    } catch {
      unsafe retained.release()
      throw error
    }
  }

  fileprivate func signal(_ event: UnsafeRawPointer?) {
    _ = isArmed.load(ordering: .acquiring)
    if released.isFired { late.add(1, ordering: .relaxed) }
    unsafe onEvent(event)
  }

  /// Handles the release. Returns the event to fire as the last step; nil for a second release.
  fileprivate func release(_ outcome: SessionOutcome) -> OneShot? {
    _ = isArmed.load(ordering: .acquiring)
    guard end.write(outcome) else {
      late.add(1, ordering: .relaxed)
      return nil
    }
    counts?.end(outcome)
    onEnd(outcome)
    return released
  }
}

// The functions that the native threads call, at the top level of a module without default isolation: a closure literal in
// actor-isolated code is isolated too and traps when another thread calls it.

private func sinkOnSignal(_ context: UnsafeMutableRawPointer?, _ event: UnsafeRawPointer?) {
  guard let context = unsafe context else { return }
  let sink = unsafe Unmanaged<SinkContext>.fromOpaque(context)
  unsafe sink._withUnsafeGuaranteedRef { unsafe $0.signal(event) }
}

private func sinkOnRelease(
  _ context: UnsafeMutableRawPointer?, _ reason: Int32, _ message: UnsafePointer<UInt8>?, _ length: Int
) {
  guard let context = unsafe context else { return }
  let text = unsafe String(decoding: UnsafeBufferPointer(start: message, count: length), as: UTF8.self)
  let sink = unsafe Unmanaged<SinkContext>.fromOpaque(context)
  let last = unsafe sink._withUnsafeGuaranteedRef {
    $0.release(SessionOutcome(reason: reason, message: text))
  }
  guard let last else { return }
  unsafe sink.release()
  // Waiting tasks may free what the callbacks and the context use: neither runs from here on.
  last.fire()
}

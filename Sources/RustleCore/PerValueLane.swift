internal import Synchronization

/// The lane of per-value buffering: every native callback is one element of a bounded `AsyncStream`.
///
/// The native side calls ``receive(_:)`` and ``finish()``, one call at a time; neither blocks or takes a lock of this package.
@usableFromInline
final class PerValueLane<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation
  @usableFromInline let sequenceNumber: @Sendable (Value) -> UInt64
  private let produced = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - capacity: the maximum number of buffered values, one of `StreamBuffering.capacities`; beyond it the oldest are dropped.
  ///   - sequenceNumber: a value's number in the session: 0, 1, 2 … A missing number means a dropped value.
  init(capacity: Int, sequenceNumber: @escaping @Sendable (Value) -> UInt64) {
    let policy = AsyncStream<Value>.Continuation.BufferingPolicy.bufferingNewest(capacity)
    (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    self.sequenceNumber = sequenceNumber
  }

  /// Buffers a value.
  func receive(_ value: Value) {
    // Before the value can be counted as delivered, so that no reader sees more delivered than produced.
    produced.add(1, ordering: .releasing)
    switch continuation.yield(value) {
    case .enqueued: break
    case .dropped, .terminated: dropped.add(1, ordering: .releasing)
    @unknown default: break
    }
  }

  /// Ends the stream once the buffered values have been read.
  func finish() { continuation.finish() }

  /// Cancels `session` when the stream has no reader any more.
  func connect(to session: SessionID) {
    // By number: a reference would keep the session alive as long as the stream. Cancelling sets a flag and takes no lock of this
    // package, so that any caller may do it.
    continuation.onTermination = { _ in session.cancel() }
  }

  var statistics: StreamStatistics {
    // First what left, then what came in: in the other order more could have left than come in.
    let (delivered, dropped) = (delivered.load(ordering: .acquiring), dropped.load(ordering: .acquiring))
    return StreamStatistics(produced: produced.load(ordering: .acquiring), delivered: delivered, dropped: dropped)
  }

  func makeCursor() -> Cursor { Cursor(lane: self, base: stream.makeAsyncIterator()) }

  @usableFromInline
  func countDelivered() { delivered.add(1, ordering: .releasing) }

  /// Reads the stream and reports missing sequence numbers as gaps.
  @usableFromInline struct Cursor {
    @usableFromInline let lane: PerValueLane
    @usableFromInline var base: AsyncStream<Value>.Iterator
    @usableFromInline var expected: UInt64 = 0

    init(lane: PerValueLane, base: AsyncStream<Value>.Iterator) {
      self.lane = lane
      self.base = base
    }

    /// Appends the next value, and before it the gap if there is one, waiting if necessary. Returns false at the end and when the
    /// task is cancelled.
    @inlinable
    mutating func fill(_ buffer: inout [StreamElement<Value>], isolation actor: isolated (any Actor)?) async -> Bool {
      // A stream whose task is cancelled still delivers its buffered values.
      guard !Task.isCancelled, let value = await base.next(isolation: actor) else { return false }
      lane.countDelivered()
      let number = lane.sequenceNumber(value)
      if number > expected { buffer.append(.gap(number - expected)) }
      expected = number + 1
      buffer.append(.value(value))
      return true
    }
  }
}

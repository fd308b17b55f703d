internal import Synchronization

/// The events lane: every native callback is one element of a bounded `AsyncStream`.
///
/// The native side calls ``receive(_:)`` and ``finish()``, one call at a time; neither blocks or takes a lock of ours.
@usableFromInline
final class EventLane<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation
  @usableFromInline let sequenceNumber: @Sendable (Value) -> UInt64
  private let produced = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - capacity: values that wait at the most, at least 1; the oldest are dropped beyond that.
  ///   - sequenceNumber: a value's number in the session: 0, 1, 2 … A hole says that values were dropped.
  init(capacity: Int, sequenceNumber: @escaping @Sendable (Value) -> UInt64) {
    let policy = AsyncStream<Value>.Continuation.BufferingPolicy.bufferingNewest(max(1, capacity))
    (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    self.sequenceNumber = sequenceNumber
  }

  /// Takes a value in.
  func receive(_ value: Value) {
    produced.add(1, ordering: .relaxed)
    switch continuation.yield(value) {
    case .enqueued: break
    case .dropped, .terminated: dropped.add(1, ordering: .relaxed)
    @unknown default: break
    }
  }

  /// Ends the stream once what waits has been read.
  func finish() { continuation.finish() }

  /// Cancels `session` when nobody reads the stream any more.
  func connect(to session: SessionID) {
    // By number: a reference would keep the session alive for as long as somebody holds the stream. Cancelling sets a flag
    // and takes no lock of ours, so that it does not matter who is calling.
    continuation.onTermination = { _ in session.cancel() }
  }

  var statistics: StreamStatistics {
    StreamStatistics(
      produced: produced.load(ordering: .relaxed), delivered: delivered.load(ordering: .relaxed),
      dropped: dropped.load(ordering: .relaxed))
  }

  func makeCursor() -> Cursor { Cursor(lane: self, base: stream.makeAsyncIterator()) }

  @usableFromInline
  func countDelivered() { delivered.add(1, ordering: .relaxed) }

  /// Reads the stream and shows the holes in the values' numbers.
  @usableFromInline struct Cursor {
    @usableFromInline let lane: EventLane
    @usableFromInline var base: AsyncStream<Value>.Iterator
    @usableFromInline var expected: UInt64 = 0

    init(lane: EventLane, base: AsyncStream<Value>.Iterator) {
      self.lane = lane
      self.base = base
    }

    /// Appends the next value, and before it the gap if there is one, waiting for it if need be. Returns false at the end
    /// and when the task is cancelled.
    @inlinable
    mutating func fill(_ buffer: inout [StreamElement<Value>], isolation actor: isolated (any Actor)?) async -> Bool {
      guard let value = await base.next(isolation: actor) else { return false }
      lane.countDelivered()
      let number = lane.sequenceNumber(value)
      if number > expected { buffer.append(.gap(number - expected)) }
      expected = number + 1
      buffer.append(.value(value))
      return true
    }
  }
}

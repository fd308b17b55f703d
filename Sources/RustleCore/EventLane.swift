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
  ///   - capacity: values that wait at the most, one of `StreamBuffering.capacities`; the oldest are dropped beyond that.
  ///   - sequenceNumber: a value's number in the session: 0, 1, 2 … A hole says that values were dropped.
  init(capacity: Int, sequenceNumber: @escaping @Sendable (Value) -> UInt64) {
    let policy = AsyncStream<Value>.Continuation.BufferingPolicy.bufferingNewest(capacity)
    (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    self.sequenceNumber = sequenceNumber
  }

  /// Takes a value in.
  func receive(_ value: Value) {
    // Before the value can be counted out: whoever sees it among those that left sees it here too.
    produced.add(1, ordering: .releasing)
    switch continuation.yield(value) {
    case .enqueued: break
    case .dropped, .terminated: dropped.add(1, ordering: .releasing)
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
    // What left first, and then what came in: the other way round more could have left than had come.
    let (delivered, dropped) = (delivered.load(ordering: .acquiring), dropped.load(ordering: .acquiring))
    return StreamStatistics(produced: produced.load(ordering: .acquiring), delivered: delivered, dropped: dropped)
  }

  func makeCursor() -> Cursor { Cursor(lane: self, base: stream.makeAsyncIterator()) }

  @usableFromInline
  func countDelivered() { delivered.add(1, ordering: .releasing) }

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
      // A stream whose task is cancelled still gives what it has.
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

/// A signal that the native side rings when a ring buffer stops being empty, and that the consumer waits for.
final class Doorbell: Sendable {
  let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    // One pending ring is enough: it means that the buffer is to be drained.
    (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func ring() { continuation.yield() }
  func finish() { continuation.finish() }
}

/// The counts of a ring buffer on the native side.
struct RingStatistics: Sendable {
  let counts: StreamStatistics
  /// Values that were dropped after the last one, which no value reports.
  let unreported: UInt64
}

/// The lane of batched buffering: values wait in a ring buffer on the native side until the consumer drains them.
@usableFromInline
final class BatchedLane<Value: Sendable>: Sendable {
  /// Appends at most the given number of waiting values to the array, with gaps in their places, and returns the number of
  /// values; nil after an error, which ends the stream.
  @usableFromInline typealias Drain = @Sendable (inout [StreamElement<Value>], Int) -> Int?

  private let bell: Doorbell
  @usableFromInline let drain: Drain
  private let readStatistics: @Sendable () -> RingStatistics?
  private let settled = WrittenOnce<StreamStatistics>()
  private let refusal: WrittenOnce<String>

  /// - Parameters:
  ///   - bell: rings when the ring buffer stops being empty.
  ///   - drain: drains the ring buffer, as `Drain`; its error ends the stream.
  ///   - statistics: the ring buffer's counts; nil when the native session has been freed.
  init(
    bell: Doorbell, drain: @escaping @Sendable (inout [StreamElement<Value>], Int) throws(NativeError) -> Int,
    statistics: @escaping @Sendable () -> RingStatistics?
  ) {
    let refusal = WrittenOnce<String>()
    self.bell = bell
    self.refusal = refusal
    self.drain = { buffer, most in
      do throws(NativeError) { return try drain(&buffer, most) } catch {
        if refusal.write(error.message) { error.log() }
        return nil
      }
    }
    readStatistics = statistics
  }

  /// The failure of the stream whose ring buffer could not be drained.
  var failure: SessionOutcome? { refusal.value.map { .failed($0) } }

  var statistics: StreamStatistics {
    settled.value ?? readStatistics()?.counts ?? settled.value
      ?? StreamStatistics(produced: 0, delivered: 0, dropped: 0)
  }

  /// Stores the counts before the native session is freed.
  func settle() {
    if let last = readStatistics()?.counts { settled.write(last) }
  }

  /// Returns the gap at the end: the values that were dropped after the last one.
  @usableFromInline
  func lastGap() -> StreamElement<Value>? {
    guard let unreported = readStatistics()?.unreported, unreported > 0 else { return nil }
    return .gap(unreported)
  }

  func makeCursor() -> Cursor { Cursor(lane: self, rings: bell.rings.makeAsyncIterator()) }

  /// Drains the ring buffer, and waits for the bell when it is empty.
  @usableFromInline struct Cursor {
    @usableFromInline let lane: BatchedLane
    @usableFromInline var rings: AsyncStream<Void>.Iterator
    @usableFromInline var isOver = false

    init(lane: BatchedLane, rings: AsyncStream<Void>.Iterator) {
      self.lane = lane
      self.rings = rings
    }

    /// Appends the waiting values, waiting for one if necessary. Returns false at the end and when the task is cancelled.
    @inlinable
    mutating func fill(
      _ buffer: inout [StreamElement<Value>], maximumCount: Int, isolation actor: isolated (any Actor)?
    ) async -> Bool {
      while !Task.isCancelled {
        guard let count = lane.drain(&buffer, maximumCount) else { return false }
        if count > 0 { return true }
        if await rings.next(isolation: actor) == nil {
          // No ring follows the last one: one more drain finds the values before it.
          if Task.isCancelled || isOver { return false }
          guard let count = lane.drain(&buffer, maximumCount) else { return false }
          if count > 0 { return true }
          isOver = true
          guard let gap = lane.lastGap() else { return false }
          buffer.append(gap)
          return true
        }
      }
      return false
    }
  }
}

internal import Synchronization

/// Rung by the native side when a ring stops being empty; the consumer waits for it.
final class Doorbell: Sendable {
  let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    // One waiting ring is as good as many: it says that it is worth a look.
    (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func ring() { continuation.yield() }
  func finish() { continuation.finish() }
}

/// What went through a ring on the native side.
struct RingStatistics: Sendable {
  let counts: StreamStatistics
  /// Values that were lost after the last one, of which no value tells.
  let unreported: UInt64
}

/// The frame lane: values wait in a ring on the native side until the consumer drains them.
@usableFromInline
final class FrameLane<Value: Sendable>: Sendable {
  /// Appends at most the given number of waiting values to the array, with gaps in their places, and returns how many
  /// values there were.
  @usableFromInline typealias Drain = @Sendable (inout [StreamElement<Value>], Int) -> Int

  private let bell: Doorbell
  @usableFromInline let drain: Drain
  private let readStatistics: @Sendable () -> RingStatistics?
  private let settled = AtomicLazyReference<Settled>()
  /// Set after the counts, and read before them: orders the two for ThreadSanitizer, which does not see into their type.
  private let isSettled = Atomic<Bool>(false)

  /// - Parameters:
  ///   - bell: rung when the ring stops being empty.
  ///   - drain: empties the ring.
  ///   - statistics: the ring's counts; nil when the native session is gone.
  init(bell: Doorbell, drain: @escaping Drain, statistics: @escaping @Sendable () -> RingStatistics?) {
    self.bell = bell
    self.drain = drain
    readStatistics = statistics
  }

  var statistics: StreamStatistics {
    last ?? readStatistics()?.counts ?? last ?? StreamStatistics(produced: 0, delivered: 0, dropped: 0)
  }

  private var last: StreamStatistics? {
    isSettled.load(ordering: .acquiring) ? settled.load()?.statistics : nil
  }

  /// Keeps the counts as they are: the native session is about to go.
  func settle() {
    guard let last = readStatistics()?.counts else { return }
    _ = settled.storeIfNil(Settled(last))
    isSettled.store(true, ordering: .releasing)
  }

  private final class Settled: Sendable {
    let statistics: StreamStatistics
    init(_ statistics: StreamStatistics) { self.statistics = statistics }
  }

  /// The gap that stands at the end: what was lost after the last value.
  @usableFromInline
  func lastGap() -> StreamElement<Value>? {
    guard let unreported = readStatistics()?.unreported, unreported > 0 else { return nil }
    return .gap(unreported)
  }

  func makeCursor() -> Cursor { Cursor(lane: self, rings: bell.rings.makeAsyncIterator()) }

  /// Drains the ring, and waits for the bell when it is empty.
  @usableFromInline struct Cursor {
    @usableFromInline let lane: FrameLane
    @usableFromInline var rings: AsyncStream<Void>.Iterator
    @usableFromInline var isOver = false

    init(lane: FrameLane, rings: AsyncStream<Void>.Iterator) {
      self.lane = lane
      self.rings = rings
    }

    /// Appends what waits, waiting for something if need be. Returns false at the end and when the task is cancelled.
    @inlinable
    mutating func fill(
      _ buffer: inout [StreamElement<Value>], most: Int, isolation actor: isolated (any Actor)?
    ) async -> Bool {
      while !Task.isCancelled {
        if lane.drain(&buffer, most) > 0 { return true }
        if await rings.next(isolation: actor) == nil {
          // The bell is silent for ever, after the last ring: one more look finds what came before it.
          if Task.isCancelled || isOver { return false }
          if lane.drain(&buffer, most) > 0 { return true }
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

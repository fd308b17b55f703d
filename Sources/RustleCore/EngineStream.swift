internal import Logging
internal import Synchronization

/// The values of one native session, for one consumer.
///
/// An `AsyncSequence` whose elements are values and, in the place of dropped ones, ``StreamElement/gap(_:)``. A gap comes before
/// the next value, or before the end: the values and gaps of a stream that is read to its end add up to what the engine made. It
/// can be read value by value, by ``batches(upTo:)``, or as an `AsyncStream` of the values alone.
///
/// The end:
/// - the engine ends, is cancelled, shut down or dropped: the buffered values are delivered first, then nil;
/// - the consuming task is cancelled: nil at once, and the session is cancelled;
/// - the iterator is dropped, as by `break`, or the last copy of an unread stream: the session is cancelled.
///
/// Only the first iterator delivers elements: a session has one consumer. A further one is logged and ends at once.
public struct EngineStream<Value: Sendable>: AsyncSequence, Sendable {
  /// A value, or a gap where values were dropped.
  public typealias Element = StreamElement<Value>
  /// Reading does not throw: a failure of the engine ends the stream like any other end, and ``outcome`` reports it.
  public typealias Failure = Never

  let core: Core

  /// The state that the copies of a stream and its iterator share.
  final class Core: Sendable {
    let session: NativeSession
    let source: Source
    let isClaimed = Atomic<Bool>(false)
    /// Fires when neither the stream nor its iterator is left. A weak reference would say the same; but an object that had one keeps a
    /// side table at an address that LeakSanitizer cannot read.
    let dropped = OneShot()

    init(session: NativeSession, source: Source) {
      self.session = session
      self.source = source
      // Of the lane, not of this object: a reference to it would count as a consumer.
      session.counts?.add(ObjectIdentifier(self), source.statistics)
    }

    deinit {
      session.cancel()
      // While the session still has its counts.
      if case .batched(let lane) = source { lane.settle() }
      session.counts?.remove(ObjectIdentifier(self))
      dropped.fire()
    }
  }

  enum Source: Sendable {
    case perValue(PerValueLane<Value>)
    case batched(BatchedLane<Value>)

    /// Reads the counts so far.
    var statistics: @Sendable () -> StreamStatistics {
      switch self {
      case .perValue(let lane): { lane.statistics }
      case .batched(let lane): { lane.statistics }
      }
    }
  }

  /// The counts so far. Exact once the stream has ended; before, they are of slightly different moments.
  public var statistics: StreamStatistics { core.source.statistics() }

  /// The outcome of the engine's side of the stream: ended, cancelled, or failed with a reason; nil while it runs. Buffered
  /// values can still be read after the end, unless it failed because they cannot be read.
  public var outcome: SessionOutcome? {
    if case .batched(let lane) = core.source, let failure = lane.failure { return failure }
    return core.session.outcome
  }

  /// Creates an iterator. The first one delivers the elements, and dropping it ends the session; further ones end at once.
  public func makeAsyncIterator() -> Iterator {
    if core.isClaimed.exchange(true, ordering: .acquiringAndReleasing) {
      Logger(label: "rustle").error("a stream was iterated a second time: it has one consumer, this one gets nothing")
      return Iterator(core: nil, cursor: nil)
    }
    let cursor: Iterator.Cursor =
      switch core.source {
      case .perValue(let lane): .perValue(lane.makeCursor())
      case .batched(let lane): .batched(lane.makeCursor())
      }
    return Iterator(core: core, cursor: cursor)
  }

  /// Reads the stream's elements, one or many at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline enum Cursor {
      case perValue(PerValueLane<Value>.Cursor)
      case batched(BatchedLane<Value>.Cursor)
    }

    // The work for each value is inlinable, here and in the lanes, so that a consumer's module specializes it for its type of
    // value. Unspecialized code costs several times as much (docs/benchmarks.md).

    @usableFromInline var hold: Hold?
    /// nil once the end was seen.
    @usableFromInline var cursor: Cursor?
    /// Elements that have left the lane; those from `position` on are not delivered yet.
    @usableFromInline var fetched: [StreamElement<Value>] = []
    @usableFromInline var position = 0

    init(core: Core?, cursor: Cursor?) {
      hold = core.map(Hold.init)
      self.cursor = cursor
    }

    /// Returns the next element, or nil at the end; it waits in the isolation of the caller.
    @inlinable
    public mutating func next() async -> StreamElement<Value>? {
      await next(isolation: #isolation)
    }

    /// Returns the next element, or nil at the end; it waits in the isolation of `actor`.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamElement<Value>? {
      if position == fetched.count || Task.isCancelled {
        // Moved out during the wait: two accesses to this iterator would overlap.
        var buffer: [StreamElement<Value>] = []
        swap(&buffer, &fetched)
        buffer.removeAll(keepingCapacity: true)
        position = 0
        // 256 at a time fit the processor's first-level cache.
        let more = await fill(&buffer, maximumCount: 256, isolation: actor)
        swap(&buffer, &fetched)
        if !more { return nil }
      }
      let element = fetched[position]
      position += 1
      return element
    }

    /// Replaces the content of `buffer` by the buffered elements, at least one and at most `maximumCount` values (1 or more),
    /// waiting for the first if necessary. The memory of `buffer` is reused. Returns false, with an empty buffer, at the end.
    @inlinable
    public mutating func next(
      into buffer: inout [StreamElement<Value>], maximumCount: Int, isolation actor: isolated (any Actor)? = #isolation
    ) async -> Bool {
      buffer.removeAll(keepingCapacity: true)
      if Task.isCancelled { position = fetched.count }
      if position == fetched.count {
        return await fill(&buffer, maximumCount: Swift.max(1, maximumCount), isolation: actor)
      }
      let end = Swift.min(fetched.count, position + Swift.max(1, maximumCount))
      buffer.append(contentsOf: fetched[position..<end])
      position = end
      return true
    }

    /// Appends the buffered elements, waiting for one if necessary. Returns false from the end on.
    @inlinable
    mutating func fill(
      _ buffer: inout [StreamElement<Value>], maximumCount: Int, isolation actor: isolated (any Actor)?
    ) async -> Bool {
      switch cursor.take() {
      case .perValue(var events):
        guard await events.fill(&buffer, isolation: actor) else { return end() }
        cursor = .perValue(events)
      case .batched(var frames):
        guard await frames.fill(&buffer, maximumCount: maximumCount, isolation: actor) else { return end() }
        cursor = .batched(frames)
      case nil: return end()
      }
      return true
    }

    /// Ends the session here, not when the iterator is dropped: it delivers nothing more.
    @usableFromInline
    mutating func end() -> Bool {
      hold = nil
      return false
    }

    /// Cancels the session when the iterator is dropped, even if the stream is still referenced.
    @usableFromInline final class Hold: Sendable {
      private let core: Core
      init(_ core: Core) { self.core = core }
      deinit { core.session.cancel() }
    }
  }

  /// Returns the same elements in batches of those that are buffered, at most `maximumCount` (1 or more) each.
  public func batches(upTo maximumCount: Int = 4_096) -> EngineStreamBatches<Value> {
    EngineStreamBatches(stream: self, maximumCount: maximumCount)
  }
}

/// The elements of an ``EngineStream`` in batches.
public struct EngineStreamBatches<Value: Sendable>: AsyncSequence, Sendable {
  /// One element or more, in the order of the engine.
  public typealias Element = [StreamElement<Value>]
  /// Reading does not throw.
  public typealias Failure = Never

  let stream: EngineStream<Value>
  let maximumCount: Int

  /// Creates the iterator of the stream's one consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator(), maximumCount: maximumCount)
  }

  /// Reads the buffered elements. The memory of a batch that the consumer has released is reused for the next one.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: EngineStream<Value>.Iterator
    @usableFromInline var batch: [StreamElement<Value>] = []
    @usableFromInline let maximumCount: Int

    init(base: EngineStream<Value>.Iterator, maximumCount: Int) {
      self.base = base
      self.maximumCount = maximumCount
    }

    /// Returns the buffered elements, at least one, or nil at the end; it waits in the isolation of the caller.
    @inlinable
    public mutating func next() async -> [StreamElement<Value>]? {
      await next(isolation: #isolation)
    }

    /// Returns the buffered elements, at least one, or nil at the end; it waits in the isolation of `actor`.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> [StreamElement<Value>]? {
      await base.next(into: &batch, maximumCount: maximumCount, isolation: actor) ? batch : nil
    }
  }
}

extension EngineStream {
  /// Returns the values without gaps as an `AsyncStream`, which becomes this stream's one consumer. Tasks that read it
  /// concurrently take turns: each value goes to one of them.
  public func asyncStream() -> AsyncStream<Value> {
    let puller = Puller(makeAsyncIterator())
    return AsyncStream { await puller.next() }
  }

  /// Serializes the calls of an `AsyncStream`, whose closure may be called from any task.
  private actor Puller {
    private var iterator: Iterator?
    private let turns = Turns()

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async -> Value? {
      // A closure that returned nil because another task waits would end the `AsyncStream` for every reader.
      guard await turns.take() else { return nil }
      defer { turns.leave() }
      guard var taken = iterator.take() else { return nil }
      while let element = await taken.next(isolation: self) {
        guard case .value(let value) = element else { continue }
        iterator = taken
        return value
      }
      return nil
    }
  }
}

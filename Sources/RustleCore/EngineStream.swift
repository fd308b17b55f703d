internal import Logging
internal import Synchronization

/// The values of one native session, for one consumer.
///
/// It is an `AsyncSequence` whose elements are values and, in their places, ``StreamElement/gap(_:)``: what a consumer that
/// is too slow loses is told before the next value, or before the end: of a stream that is read to its end, values and gaps
/// together are what the engine made. It can be read value by value, by ``batches(upTo:)``, or as an `AsyncStream` of
/// the values alone.
///
/// How it ends:
/// - the engine comes to an end, or is cancelled, shut down or dropped: what waits is delivered first, then nil;
/// - the consuming task is cancelled: nil at once, and the session is cancelled;
/// - the iterator is dropped, as `break` does, or the last copy of a stream that nobody reads: the session is cancelled.
///
/// Only the first iterator delivers anything: a session has one consumer. A further one is logged and ends at once.
public struct EngineStream<Value: Sendable>: AsyncSequence, Sendable {
  /// A value, or a gap where values were lost.
  public typealias Element = StreamElement<Value>
  /// Reading throws nothing: a stream that a failure of its engine ends is over like any other, and ``outcome`` tells.
  public typealias Failure = Never

  let core: Core

  /// What the copies of a stream and its iterator share.
  final class Core: Sendable {
    let session: NativeSession
    let source: Source
    let isClaimed = Atomic<Bool>(false)

    init(session: NativeSession, source: Source) {
      self.session = session
      self.source = source
    }

    deinit {
      session.cancel()
      // While the session can still be asked.
      if case .frames(let lane) = source { lane.settle() }
    }
  }

  enum Source: Sendable {
    case events(EventLane<Value>)
    case frames(FrameLane<Value>)
  }

  /// What went through so far. Exact once the stream has ended; before, the counts are of slightly different moments.
  public var statistics: StreamStatistics {
    switch core.source {
    case .events(let lane): lane.statistics
    case .frames(let lane): lane.statistics
    }
  }

  /// How the engine's side of the stream ended; nil while it runs. What waits can still be read after the end. A consumer
  /// whose loop is over reads here whether the engine came to its end, was cancelled, or failed, and why.
  public var outcome: SessionOutcome? { core.session.outcome }

  /// The first iterator delivers the elements; dropping it ends the session. Further ones end at once.
  public func makeAsyncIterator() -> Iterator {
    if core.isClaimed.exchange(true, ordering: .acquiringAndReleasing) {
      Logger(label: "rustle").error("a stream was iterated a second time: it has one consumer, this one gets nothing")
      return Iterator(core: nil, cursor: nil)
    }
    let cursor: Iterator.Cursor =
      switch core.source {
      case .events(let lane): .events(lane.makeCursor())
      case .frames(let lane): .frames(lane.makeCursor())
      }
    return Iterator(core: core, cursor: cursor)
  }

  /// Reads the stream's elements, one or many at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline enum Cursor {
      case events(EventLane<Value>.Cursor)
      case frames(FrameLane<Value>.Cursor)
    }

    // What is done for every value is inlinable, here and in the lanes: a consumer's module then makes code of its own for
    // its type of value. Code that learns the type when it runs costs several times as much (docs/benchmarks.md).

    @usableFromInline var hold: Hold?
    /// nil once the end was seen.
    @usableFromInline var cursor: Cursor?
    /// Elements that have left the lane; those from `position` on are still to be handed out.
    @usableFromInline var fetched: [StreamElement<Value>] = []
    @usableFromInline var position = 0

    init(core: Core?, cursor: Cursor?) {
      hold = core.map(Hold.init)
      self.cursor = cursor
    }

    /// The next element, or nil at the end; it waits in the isolation of the caller.
    @inlinable
    public mutating func next() async -> StreamElement<Value>? {
      await next(isolation: #isolation)
    }

    /// The next element, or nil at the end; it waits in the isolation of `actor`.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamElement<Value>? {
      if position == fetched.count || Task.isCancelled {
        // Moved out for the time of the wait: two accesses to this iterator would overlap.
        var buffer: [StreamElement<Value>] = []
        swap(&buffer, &fetched)
        buffer.removeAll(keepingCapacity: true)
        position = 0
        // A quarter of a thousand at a time: they fit the processor's nearest memory.
        let more = await fill(&buffer, most: 256, isolation: actor)
        swap(&buffer, &fetched)
        if !more { return nil }
      }
      let element = fetched[position]
      position += 1
      return element
    }

    /// Replaces what is in `buffer` by the elements that wait, at least one and at most `most` values (1 or more), waiting
    /// for the first if need be. The buffer's memory is used again. Returns false, with an empty buffer, at the end.
    @inlinable
    public mutating func next(
      into buffer: inout [StreamElement<Value>], most: Int, isolation actor: isolated (any Actor)? = #isolation
    ) async -> Bool {
      buffer.removeAll(keepingCapacity: true)
      if Task.isCancelled { position = fetched.count }
      if position == fetched.count { return await fill(&buffer, most: Swift.max(1, most), isolation: actor) }
      let end = Swift.min(fetched.count, position + Swift.max(1, most))
      buffer.append(contentsOf: fetched[position..<end])
      position = end
      return true
    }

    /// Appends what waits, waiting for something if need be. Returns false, for ever after, at the end.
    @inlinable
    mutating func fill(
      _ buffer: inout [StreamElement<Value>], most: Int, isolation actor: isolated (any Actor)?
    ) async -> Bool {
      switch cursor.take() {
      case .events(var events):
        guard await events.fill(&buffer, isolation: actor) else { return end() }
        cursor = .events(events)
      case .frames(var frames):
        guard await frames.fill(&buffer, most: most, isolation: actor) else { return end() }
        cursor = .frames(frames)
      case nil: return end()
      }
      return true
    }

    /// Whoever keeps the iterator gets nothing more: the session ends here, not when the iterator goes.
    @usableFromInline
    mutating func end() -> Bool {
      hold = nil
      return false
    }

    /// Cancels the session when the iterator goes, whoever still holds the stream.
    @usableFromInline final class Hold: Sendable {
      private let core: Core
      init(_ core: Core) { self.core = core }
      deinit { core.session.cancel() }
    }
  }

  /// The same elements, as many at a time as wait, at most `most` (1 or more).
  public func batches(upTo most: Int = 4_096) -> EngineStreamBatches<Value> {
    EngineStreamBatches(stream: self, most: most)
  }
}

/// The elements of an ``EngineStream``, many at a time.
public struct EngineStreamBatches<Value: Sendable>: AsyncSequence, Sendable {
  /// One element or more, in the order of the engine.
  public typealias Element = [StreamElement<Value>]
  /// Reading throws nothing.
  public typealias Failure = Never

  let stream: EngineStream<Value>
  let most: Int

  /// Reads the stream in its one consumer's place.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator(), most: most)
  }

  /// Reads the elements that wait. The memory of a batch that the consumer has let go of is used again for the next one.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: EngineStream<Value>.Iterator
    @usableFromInline var batch: [StreamElement<Value>] = []
    @usableFromInline let most: Int

    init(base: EngineStream<Value>.Iterator, most: Int) {
      self.base = base
      self.most = most
    }

    /// The elements that wait, at least one, or nil at the end; it waits in the isolation of the caller.
    @inlinable
    public mutating func next() async -> [StreamElement<Value>]? {
      await next(isolation: #isolation)
    }

    /// The elements that wait, at least one, or nil at the end; it waits in the isolation of `actor`.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> [StreamElement<Value>]? {
      await base.next(into: &batch, most: most, isolation: actor) ? batch : nil
    }
  }
}

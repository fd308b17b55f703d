/// What a ``Tuner`` shows while it listens to an input.
public struct TunerUpdates<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == PCMBuffer {
  /// An update.
  public typealias Element = TunerUpdate
  /// What the input throws, or ``AudioError``.
  public typealias Failure = any Error

  let tuner: Tuner
  let buffers: Buffers
  /// Seconds of sound from one update to the next; 0: every frame.
  let interval: Double

  /// Reads the input in its one consumer's place.
  public func makeAsyncIterator() -> Iterator {
    Iterator(tuner: tuner, buffers: buffers.makeAsyncIterator(), interval: interval)
  }

  /// Feeds the tuner, and reads what is shown.
  public struct Iterator: AsyncIteratorProtocol {
    private let tuner: Tuner
    private var feed: BufferFeed<Buffers.AsyncIterator, TunerUpdate>
    private let interval: Double
    private var due = -Double.infinity

    init(tuner: Tuner, buffers: Buffers.AsyncIterator, interval: Double) {
      self.tuner = tuner
      feed = BufferFeed(buffers)
      self.interval = interval
    }

    /// The next update, nil after the last.
    public mutating func next() async throws -> TunerUpdate? {
      try await next(isolation: #isolation)
    }

    /// The next update, nil after the last; it waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> TunerUpdate? {
      // The newest that came too early to be given: the last of all, when there is none in time.
      var early: TunerUpdate?
      while let update = try await feed.next(isolation: actor, { [tuner] in try await tuner.process($0) }) {
        guard update.time >= due else {
          early = update
          continue
        }
        // Frames are no divisors of the interval: the next is due by the clock, not by the frame, unless there was a hole.
        due = due.isFinite ? Swift.max(due + interval, update.time + 0.5 * interval) : update.time + interval
        return update
      }
      return early
    }
  }
}

/// The updates of a ``Tuner`` that measures an input.
public struct TunerUpdates<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == PCMBuffer {
  /// An update.
  public typealias Element = TunerUpdate
  /// The input's error, or ``AudioError``.
  public typealias Failure = any Error

  let tuner: Tuner
  let buffers: Buffers
  /// Seconds of sound from one update to the next; 0: every frame.
  let interval: Double

  /// Reads the input as its only consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(tuner: tuner, buffers: buffers.makeAsyncIterator(), interval: interval)
  }

  /// An iterator that delivers buffers to the tuner and returns its updates.
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

    /// Returns the next update, nil after the last.
    public mutating func next() async throws -> TunerUpdate? {
      try await next(isolation: #isolation)
    }

    /// Returns the next update, nil after the last; waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> TunerUpdate? {
      // The newest update before the interval's end: the last of all, if none follows in time.
      var early: TunerUpdate?
      while let update = try await feed.next(
        isolation: actor, { [tuner] in try await tuner.process($0) }, atEnd: { [tuner] in try await tuner.finish() })
      {
        guard update.time >= due else {
          early = update
          continue
        }
        // Frames do not divide the interval evenly: the next update is due by the clock, not by the frame, except after a gap.
        due = due.isFinite ? Swift.max(due + interval, update.time + 0.5 * interval) : update.time + interval
        return update
      }
      return early
    }
  }
}

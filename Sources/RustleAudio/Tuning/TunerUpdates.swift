/// What a ``Tuner`` shows while it listens to an input.
public struct TunerUpdates<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == AudioBuffer {
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
    private var buffers: Buffers.AsyncIterator
    private let interval: Double
    /// What the last buffer gave, and the place of what has not been looked at.
    private var waiting: [TunerUpdate] = []
    private var place = 0
    /// The newest that came too early to be given.
    private var early: TunerUpdate?
    private var due = -Double.infinity
    private var isOver = false

    init(tuner: Tuner, buffers: Buffers.AsyncIterator, interval: Double) {
      self.tuner = tuner
      self.buffers = buffers
      self.interval = interval
    }

    /// The next update, nil after the last.
    public mutating func next() async throws -> TunerUpdate? {
      try await next(isolation: #isolation)
    }

    /// The next update, nil after the last; it waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> TunerUpdate? {
      if isOver { return nil }
      do {
        return try await read(isolation: actor)
      } catch {
        isOver = true
        throw error
      }
    }

    private mutating func read(isolation actor: isolated (any Actor)?) async throws -> TunerUpdate? {
      while true {
        if let update = timely() { return update }
        guard let buffer = try await buffers.next(isolation: actor) else {
          isOver = true
          return early
        }
        (waiting, place) = (try await tuner.process(buffer), 0)
      }
    }

    /// The next of what waits whose time has come.
    private mutating func timely() -> TunerUpdate? {
      while place < waiting.count {
        let update = waiting[place]
        place += 1
        guard update.time >= due else {
          early = update
          continue
        }
        // Frames are no divisors of the interval: the next is due by the clock, not by the frame, unless there was a hole.
        due = due.isFinite ? Swift.max(due + interval, update.time + 0.5 * interval) : update.time + interval
        early = nil
        return update
      }
      return nil
    }
  }
}

/// The state of a ``Tuner`` after one analysis frame.
public struct TunerUpdate: Sendable, Equatable {
  /// The time of the analysis frame's middle, in seconds since the beginning of the sound; dropped frames count.
  public let time: Double
  /// The measured frame, before any correction. Its time is ``time``.
  public let frame: PitchFrame
  /// The reading of this frame alone; nil without a pitch.
  public let reading: TuningReading?
  /// The smoothed reading; nil when there is none.
  public let needle: NeedleSmoother.Needle?
  /// The target frequencies of the readings.
  public let tuning: Tuning
  /// Whether the reference is being learned.
  public let isLearning: Bool
  /// The frames of sound dropped so far; each gap restarts the measurement.
  public let droppedFrames: Int64
  /// The device's overruns so far.
  public let overruns: Int
  /// Whether several notes sound at once in most of the last second: ``PolyphonyMeter/isPresentNow``. The reading is then of one of
  /// them, or of a common root, however sure it is.
  public var isPolyphonic: Bool { polyphony.isPresentNow }
  let polyphony: PolyphonyVerdict

  package init(
    time: Double, frame: PitchFrame, reading: TuningReading?, needle: NeedleSmoother.Needle?, tuning: Tuning,
    isLearning: Bool, droppedFrames: Int64, overruns: Int, polyphony: PolyphonyVerdict = .init()
  ) {
    self.time = time
    self.frame = frame
    self.reading = reading
    self.needle = needle
    self.tuning = tuning
    self.isLearning = isLearning
    self.droppedFrames = droppedFrames
    self.overruns = overruns
    self.polyphony = polyphony
  }

  /// The index in ``Instrument/strings`` of the string that is tuned, from 0; nil: none.
  public var stringIndex: Int? { needle?.reading.stringIndex }

  /// Returns the needle's deviation in words, for example `A4, 12.3 cents flat`, `A4, in tune (held)` or `no tone`.
  ///
  /// - Parameters:
  ///   - tolerance: the cents on either side that are in tune.
  ///   - digits: after the decimal point, 0 to 3.
  public func words(tolerance: Double = TuningReading.defaultTolerance, digits: Int = 1) -> String {
    guard let needle else { return "no tone" }
    return needle.reading.words(tolerance: tolerance, digits: digits) + (needle.isHeld ? " (held)" : "")
  }
}

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

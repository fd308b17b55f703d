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

  package init(
    time: Double, frame: PitchFrame, reading: TuningReading?, needle: NeedleSmoother.Needle?, tuning: Tuning,
    isLearning: Bool, droppedFrames: Int64, overruns: Int
  ) {
    self.time = time
    self.frame = frame
    self.reading = reading
    self.needle = needle
    self.tuning = tuning
    self.isLearning = isLearning
    self.droppedFrames = droppedFrames
    self.overruns = overruns
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

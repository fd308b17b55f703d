/// What a ``Tuner`` shows after one frame of sound.
public struct TunerUpdate: Sendable, Equatable {
  /// The time of the frame's middle in its recording, in seconds. Sound that was lost is counted.
  public let time: Double
  /// What was measured, before any correction. Its time is ``time``.
  public let frame: PitchFrame
  /// What is shown of this frame alone; nil when it has no pitch.
  public let reading: TuningReading?
  /// What is shown, steadied; nil when there is nothing.
  public let needle: NeedleSmoother.Needle?
  /// What the readings compare with.
  public let tuning: Tuning
  /// Whether the reference is being learned.
  public let isLearning: Bool
  /// The frames of sound that were lost so far; with each loss the measurement begins anew.
  public let droppedFrames: Int64
  /// How often the device ran over so far.
  public let overruns: Int

  /// The place in ``Instrument/strings`` of the string that is tuned; nil when there is none.
  public var string: Int? { needle?.reading.string }

  /// In words what a needle and its colour show, for example `A4, 12.3 cents flat`, `A4, in tune (held)` or `no tone`.
  ///
  /// - Parameters:
  ///   - tolerance: how many cents on either side are in tune.
  ///   - digits: behind the point, 0 to 3.
  public func words(tolerance: Double = TuningReading.defaultTolerance, digits: Int = 1) -> String {
    guard let needle else { return "no tone" }
    return needle.reading.words(tolerance: tolerance, digits: digits) + (needle.isHeld ? " (held)" : "")
  }
}

/// The parameters of a ``NeedleSmoother``.
public struct NeedleOptions: Sendable, Hashable {
  /// The least confidence of a frame that counts, 0 to 1.
  public var minimumConfidence: Double
  /// The cents by which another note or string must be nearer than the shown one to replace it, 0 to 100. At 15 a note of equal
  /// temperament is left 57.5 cents from its middle rather than 50.
  public var noteMargin: Double
  /// The number of consecutive frames for which it must be nearer, 1 to 100; the needle does not move meanwhile.
  public var noteFrames: Int
  /// The number of frames of the median, 1 to 101; 1: no median.
  public var medianFrames: Int
  /// The time constant in seconds, 0 to 10: the needle moves 63 % of the way to a new value in it; 0: it jumps.
  public var timeConstant: Double
  /// The seconds for which the last reading is held after the tone ended, 0 to 60.
  public var holdTime: Double

  /// Creates options; each has its documented range.
  ///
  /// - Parameters:
  ///   - minimumConfidence: the least confidence of a frame that counts.
  ///   - noteMargin: in cents.
  ///   - noteFrames: consecutive frames for which another note must be nearer.
  ///   - medianFrames: the number of frames of the median.
  ///   - timeConstant: in seconds.
  ///   - holdTime: in seconds.
  public init(
    minimumConfidence: Double = 0.5, noteMargin: Double = 15, noteFrames: Int = 3, medianFrames: Int = 5,
    timeConstant: Double = 0.1, holdTime: Double = 1
  ) {
    self.minimumConfidence = minimumConfidence
    self.noteMargin = noteMargin
    self.noteFrames = noteFrames
    self.medianFrames = medianFrames
    self.timeConstant = timeConstant
    self.holdTime = holdTime
  }

  /// No smoothing and no hold: every frame as it is measured.
  public static let raw = Self(
    minimumConfidence: 0, noteMargin: 0, noteFrames: 1, medianFrames: 1, timeConstant: 0, holdTime: 0)

  /// Refuses values out of range.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first one.
  public func check() throws(AudioError) {
    try Self.check("minimum confidence", minimumConfidence, 0...1, "")
    try Self.check("note margin", noteMargin, 0...100, " cents")
    try Self.check("note frames", Double(noteFrames), 1...100, "")
    try Self.check("median frames", Double(medianFrames), 1...101, "")
    try Self.check("time constant", timeConstant, 0...10, " s")
    try Self.check("hold time", holdTime, 0...60, " s")
  }

  private static func check(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
  ) throws(AudioError) {
    guard range.contains(value) else {
      throw .validation(
        name, expected: "\(range.lowerBound.plain) to \(range.upperBound.plain)\(unit)", got: value.plain)
    }
  }
}

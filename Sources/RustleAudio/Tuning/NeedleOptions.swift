/// How a ``NeedleSmoother`` steadies what it shows.
public struct NeedleOptions: Sendable, Hashable {
  /// A frame whose confidence is below this says nothing, 0 to 1.
  public var minimumConfidence: Double
  /// By how many cents another note, or string, must be nearer than the one shown to take its place, 0 to 100. At 15 a note of
  /// equal temperament is left 57.5 cents from its middle rather than 50.
  public var noteMargin: Double
  /// For how many frames in a row it must be so, 1 to 100; the needle stands meanwhile.
  public var noteFrames: Int
  /// Of how many frames the median is taken, 1 to 101; 1 for none.
  public var medianFrames: Int
  /// The time in seconds in which the needle goes 63 % of the way to a new value, 0 to 10; 0: it jumps.
  public var timeConstant: Double
  /// For how many seconds the last reading is shown after the tone ended, 0 to 60.
  public var holdTime: Double

  /// Options; each has its documented range.
  ///
  /// - Parameters:
  ///   - minimumConfidence: below it a frame says nothing.
  ///   - noteMargin: in cents.
  ///   - noteFrames: frames in a row that another note must be nearer.
  ///   - medianFrames: of the median.
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

  /// Every frame as it comes: nothing is steadied and nothing held.
  public static let raw = Self(
    minimumConfidence: 0, noteMargin: 0, noteFrames: 1, medianFrames: 1, timeConstant: 0, holdTime: 0)

  /// Refuses what is out of range.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first fault.
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

/// The highest peaks of the blocks since the last value, so that a value for several of them hides none.
public struct PeakHold: Sendable {
  private var peaks: [Float] = []
  private var frames = 0

  /// Creates one without peaks.
  public init() {}

  /// Adds a block.
  ///
  /// - Parameters:
  ///   - new: its peaks, one for each channel; another number of channels begins anew.
  ///   - frames: its length.
  ///   - least: the frames after which there is a value.
  /// - Returns: the highest peak of each channel since the last value; nil: there are too few frames.
  public mutating func add(_ new: [Float], frames: Int, least: Int) -> [Float]? {
    if new.count == peaks.count {
      peaks = zip(peaks, new).map(max)
    } else {
      (peaks, self.frames) = (new, 0)
    }
    self.frames += frames
    guard self.frames >= least else { return nil }
    defer { (peaks, self.frames) = ([], 0) }
    return peaks
  }
}

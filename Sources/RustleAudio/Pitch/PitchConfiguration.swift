internal import RustleCore

/// What a ``PitchTracker`` looks for, and how. It is checked when a tracker is made of it.
public struct PitchConfiguration: Sendable, Hashable {
  /// The sample rates that are taken, in Hz.
  public static let sampleRateRange = 1_000.0...768_000

  /// In Hz, one of ``sampleRateRange``.
  public var sampleRate: Double
  /// The frequencies that are looked for, in Hz, above 0; at most 0.45 of the sample rate counts.
  public var range: ClosedRange<Double>
  /// How.
  public var method: PitchMethod
  /// The samples of a frame, a power of two from 256 to 32,768; nil: the least that holds 2.25 periods of the range's lower end.
  /// A window that does not hold them raises that end: ``PitchTracker/range`` tells.
  public var window: Int?
  /// The samples from frame to frame, 1 to 1,048,576.
  public var hop: Int

  /// A configuration; by default the harmonic method from 25 to 4500 Hz, with the window that this asks for.
  public init(
    sampleRate: Double, range: ClosedRange<Double> = 25...4_500, method: PitchMethod = .harmonic, window: Int? = nil,
    hop: Int = 512
  ) {
    self.sampleRate = sampleRate
    self.range = range
    self.method = method
    self.window = window
    self.hop = hop
  }

  func native() throws(AudioError) -> NativePitchConfiguration {
    // Numbers that the native side's record does not hold, or takes for something else.
    if let window, window <= 0 {
      throw .validation("pitch window", expected: "a power of two of samples from 256 to 32768", got: "\(window)")
    }
    if hop < 0 { throw .validation("hop", expected: "1 to 1048576 samples", got: "\(hop)") }
    return NativePitchConfiguration(
      sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, method: method.native,
      window: window ?? 0, hop: hop)
  }
}

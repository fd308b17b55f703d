internal import RustleCore

/// The parameters of a ``PitchTracker``, which checks them.
public struct PitchConfiguration: Sendable, Hashable {
  /// The accepted sample rates, in Hz.
  public static let sampleRateRange = 1_000.0...768_000

  /// The sample rate in Hz, within ``sampleRateRange``.
  public var sampleRate: Double
  /// The range of pitch in Hz, above 0; frequencies above 0.45 of the sample rate are ignored.
  public var range: ClosedRange<Double>
  /// The method.
  public var method: PitchMethod
  /// The samples of a frame, a power of two from 256 to 32,768; nil: the least that holds 2.25 periods of the range's lower end,
  /// and with the harmonic method a half, a quarter and an eighth of it where the sound moves, begins or ends within it. A
  /// shorter window raises that end: see ``PitchTracker/range``.
  public var window: Int?
  /// The hop size in samples, 1 to 1,048,576.
  public var hop: Int
  /// Whether one note is known to sound: others are not looked for, and do not lower the confidence;
  /// ``PitchFrame/isPolyphonic`` is then false. By default false.
  public var expectsOneNote = false

  /// Creates a configuration; by default the harmonic method from 25 to 4500 Hz, with the window that this range needs.
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

  /// Creates a configuration for a voice: 60 to 600 Hz, a frame every 10 ms. ``PitchFrame/voicedVoiceConfidence`` suits it.
  public static func voice(sampleRate: Double) -> Self {
    let hop = sampleRate.isFinite ? min(max(sampleRate / 100, 1), 1_048_576) : 1
    return Self(sampleRate: sampleRate, range: 60...600, hop: Int(hop.rounded()))
  }

  func native() throws(AudioError) -> NativePitchConfiguration {
    // Values that the native side's record cannot represent, or that have another meaning in it.
    if let window, window <= 0 {
      throw .validation("pitch window", expected: "a power of two of samples from 256 to 32768", got: "\(window)")
    }
    if hop < 0 { throw .validation("hop", expected: "1 to 1048576 samples", got: "\(hop)") }
    return NativePitchConfiguration(
      sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, method: method.native,
      window: window ?? 0, hop: hop, expectsOneNote: expectsOneNote)
  }
}

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
  /// shorter frame raises that end: see ``PitchTracker/range``.
  public var frameLength: Int?
  /// The hop size in samples, 1 to 1,048,576.
  public var hop: Int
  /// Whether one note is known to sound: others are not looked for, and do not lower the confidence;
  /// ``PitchFrame/isPolyphonic`` is then false. By default false.
  public var expectsOneNote = false

  /// Creates a configuration; by default the harmonic method from 25 to 4500 Hz, with the frame length that this range needs.
  public init(
    sampleRate: Double, range: ClosedRange<Double> = 25...4_500, method: PitchMethod = .harmonic,
    frameLength: Int? = nil,
    hop: Int = 512
  ) {
    self.sampleRate = sampleRate
    self.range = range
    self.method = method
    self.frameLength = frameLength
    self.hop = hop
  }

  /// Creates a configuration for a voice: 60 to 600 Hz, a frame every 10 ms. ``PitchFrame/voicedVoiceConfidence`` suits it.
  public static func voice(sampleRate: Double) -> Self {
    let hop = sampleRate.isFinite ? min(max(sampleRate / 100, 1), 1_048_576) : 1
    return Self(sampleRate: sampleRate, range: 60...600, hop: Int(hop.rounded()))
  }

  func native() throws(AudioError) -> NativePitchConfiguration {
    // Values that the native side's record cannot represent, or that have another meaning in it.
    if let frameLength, frameLength <= 0 {
      throw .validation(
        "pitch frame length", expected: "a power of two of samples from 256 to 32768", got: "\(frameLength)")
    }
    if hop < 0 { throw .validation("hop", expected: "1 to 1048576 samples", got: "\(hop)") }
    return NativePitchConfiguration(
      sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, method: method.native,
      frameLength: frameLength ?? 0, hop: hop, expectsOneNote: expectsOneNote)
  }
}

/// A method of pitch detection. The raw value is the name in commands.
public enum PitchMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Candidates of two families, periods and combs of partials, chosen where they agree; then harmonic least squares. Its
  /// confidence is calibrated: the share of frames like this that have the reported pitch.
  case harmonic
  /// YIN: the cumulative mean normalised difference function. Its confidence is 1 minus that function.
  case yin
  /// McLeod's pitch method: the normalised square difference function. Its confidence is that function's value.
  case mpm
  /// The harmonic product spectrum. It fails on tones that lack one of the first partials, such as a sine. Its confidence is the
  /// share of the energy in the partials.
  case hps
  /// The largest peak of the spectrum: the strongest partial, whether it is the first or not. Its confidence is the share of the
  /// energy in that peak.
  case peak

  var native: NativePitchMethod {
    switch self {
    case .harmonic: .harmonic
    case .yin: .yin
    case .mpm: .mpm
    case .hps: .harmonicProduct
    case .peak: .spectralPeak
    }
  }
}

/// The choice of each frame's pitch. The raw value is the name in commands.
public enum PitchDecoding: String, Sendable, Hashable, CaseIterable, Codable {
  /// From the frame alone, as ``PitchTracker/process(_:into:)`` does.
  case frame
  /// As the likeliest path through the candidates of all frames, with a cost for leaps and for changes between voiced and
  /// unvoiced. A method with one candidate has one path.
  case viterbi

  var native: NativeDecoding {
    switch self {
    case .frame: .frame
    case .viterbi: .viterbi
    }
  }
}

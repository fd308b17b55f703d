internal import RustleCore

/// The pitch of a signal at one time.
public struct PitchFrame: Sendable, Hashable {
  /// The confidence from which on a frame counts as voiced, where nobody says otherwise: right as often as wrong.
  public static let voicedConfidence = 0.5

  /// The time of the window's middle, in samples from the signal's beginning.
  public var sample: Int64
  /// The same in seconds.
  public var time: Double
  /// The fundamental frequency in Hz, of an inharmonic tone that of its first partial; nil: the frame has none in the range.
  public var frequency: Double?
  /// 0 to 1. With ``PitchMethod/harmonic`` the share of frames like this whose pitch is there and right, within 50 cents; with
  /// the other methods what they have in its place, which is no probability.
  public var confidence: Double
  /// The standard deviation of ``frequency`` in cents, if what is not the tone is noise; 0 where a method does not tell.
  public var deviation: Double
  /// B, where partial k is at k f0 sqrt(1 + B k^2): to 0.02; 0 of a harmonic tone, where the frame does not show
  /// it (two partials never do), and where the method does not tell.
  public var inharmonicity: Double
  /// The tone's power over that of the rest, in dB; minus infinity where there is no tone or a method does not tell.
  public var harmonicity: Double
  /// The frame's level without its mean, in dB relative to a full-scale square wave; minus infinity for silence.
  public var level: Double

  /// A frame, for tests and for pitches from elsewhere.
  public init(
    sample: Int64, time: Double, frequency: Double?, confidence: Double, deviation: Double = 0,
    inharmonicity: Double = 0, harmonicity: Double = -.infinity, level: Double = -.infinity
  ) {
    self.sample = sample
    self.time = time
    self.frequency = frequency
    self.confidence = confidence
    self.deviation = deviation
    self.inharmonicity = inharmonicity
    self.harmonicity = harmonicity
    self.level = level
  }

  /// Whether the frame has a pitch, with a confidence of at least ``voicedConfidence``.
  public var isVoiced: Bool { isVoiced(from: Self.voicedConfidence) }

  /// Whether the frame has a pitch, with a confidence of at least `confidence`.
  public func isVoiced(from confidence: Double) -> Bool { frequency != nil && self.confidence >= confidence }

  init(_ frame: NativePitchFrame, sampleRate: Double) {
    self.init(
      sample: Int64(clamping: frame.sample), time: Double(frame.sample) / sampleRate,
      frequency: frame.frequency > 0 ? frame.frequency : nil, confidence: frame.confidence, deviation: frame.deviation,
      inharmonicity: frame.inharmonicity, harmonicity: frame.harmonicity, level: frame.level)
  }
}

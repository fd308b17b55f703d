internal import Foundation
internal import RustleCore

/// The pitch of a signal at one moment.
public struct PitchFrame: Sendable, Hashable {
  /// The default confidence from which on a frame counts as voiced: right as often as wrong.
  public static let voicedConfidence = 0.5
  /// The confidence from which on a frame of a voice counts as voiced: onsets and creak are less sure, and a voice is expected.
  public static let voicedVoiceConfidence = 0.3

  /// The time of the frame's middle, in samples from the signal's beginning.
  public var sample: Int64
  /// The time of the frame's middle, in seconds from the signal's beginning.
  public var time: Double
  /// The fundamental frequency in Hz, or the first partial's of an inharmonic tone; nil: none in the range.
  public var frequency: Double?
  /// The confidence, 0 to 1. With ``PitchMethod/harmonic`` it is a probability, measured on similar frames: that one note sounds, and
  /// that its pitch is within 50 cents of ``frequency``. With ``PitchConfiguration/expectsOneNote`` it is that of the second alone,
  /// if the first is true, and several notes do not lower it. The other methods have measures of their own, which are not probabilities.
  public var confidence: Double
  /// The standard deviation of ``frequency`` in cents, if the rest of the frame is noise; 0 where a method does not report it.
  public var deviation: Double
  /// B, where partial k is at k f0 sqrt(1 + B k^2): to 0.02; 0 of a harmonic tone, where the frame does not show it (two partials
  /// never do), and where the method does not report it.
  public var inharmonicity: Double
  /// The tone's power over that of the rest, in dB; minus infinity where there is no tone or a method does not report it.
  public var harmonicity: Double
  /// The frame's level without its mean, in dB relative to a full-scale square wave; minus infinity for silence.
  public var level: Double
  /// Whether the frame is of several notes; ``frequency`` is then that of one of them, or of a common root. False where the method
  /// does not report it. Notes an octave or a twelfth apart are one.
  public var isPolyphonic: Bool

  /// Creates a frame, for tests and for pitches from other sources.
  public init(
    sample: Int64, time: Double, frequency: Double?, confidence: Double, deviation: Double = 0,
    inharmonicity: Double = 0, harmonicity: Double = -.infinity, level: Double = -.infinity, isPolyphonic: Bool = false
  ) {
    self.sample = sample
    self.time = time
    self.frequency = frequency
    self.confidence = confidence
    self.deviation = deviation
    self.inharmonicity = inharmonicity
    self.harmonicity = harmonicity
    self.level = level
    self.isPolyphonic = isPolyphonic
  }

  /// Whether the frame has a pitch, with a confidence of at least ``voicedConfidence``.
  public var isVoiced: Bool { isVoiced(from: Self.voicedConfidence) }

  /// Whether the frame has a pitch, with a confidence of at least `confidence`.
  public func isVoiced(from confidence: Double) -> Bool { frequency != nil && self.confidence >= confidence }

  init(_ frame: NativePitchFrame, sampleRate: Double) {
    self.init(
      sample: Int64(clamping: frame.sample), time: Double(frame.sample) / sampleRate,
      frequency: frame.frequency > 0 ? frame.frequency : nil, confidence: frame.confidence, deviation: frame.deviation,
      inharmonicity: frame.inharmonicity, harmonicity: frame.harmonicity, level: frame.level,
      isPolyphonic: frame.polyphonic != 0)
  }
}

extension Sequence<PitchFrame> {
  /// The stretches of successive voiced frames, for curves. A leap of more than a fourth begins another stretch.
  ///
  /// - Parameter confidence: the least confidence of a voiced frame, 0 to 1.
  public func voicedStretches(from confidence: Double = PitchFrame.voicedConfidence) -> [[PitchFrame]] {
    // Five equal-tempered semitones.
    let fourth = pow(2, 5.0 / 12)
    var stretches: [[PitchFrame]] = []
    var last: Double?
    for frame in self {
      guard frame.isVoiced(from: confidence), let frequency = frame.frequency else {
        last = nil
        continue
      }
      if let last, Swift.max(last, frequency) <= fourth * Swift.min(last, frequency) {
        stretches[stretches.count - 1].append(frame)
      } else {
        stretches.append([frame])
      }
      last = frequency
    }
    return stretches
  }
}

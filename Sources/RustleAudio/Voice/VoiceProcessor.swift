internal import RustleCore

/// The voice in one channel's signal that comes in pieces of any length: pitch, formants, noise, and in sum jitter and shimmer.
///
/// Each frame begins ``hop`` samples after the one before; its measures are of windows of different lengths with the same
/// middle, and the longest has to be complete. However the signal is cut, the numbers are the same. The memory does not grow with
/// the signal.
///
/// ```swift
/// var voice = try VoiceProcessor(sampleRate: 48_000)
/// var frames: [VoiceFrame] = []
/// try voice.process(samples.span, into: &frames)
/// let summary = try voice.summary()
/// print(summary.medianPitch ?? 0, summary.perturbation.jitter)
/// ```
public struct VoiceProcessor: ~Copyable, Sendable {
  /// In Hz.
  public let sampleRate: Double
  /// What it measures.
  public let configuration: VoiceConfiguration
  /// The samples of the longest window: the first frame comes with as many.
  public let window: Int
  /// The samples from frame to frame.
  public let hop: Int
  private var native: NativeVoice

  /// A processor at the beginning of a signal.
  ///
  /// - Parameters:
  ///   - sampleRate: in Hz, 8000 to 192,000.
  ///   - configuration: what is measured.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for what is out of bounds.
  public init(sampleRate: Double, configuration: VoiceConfiguration = VoiceConfiguration()) throws(AudioError) {
    let described = try configuration.native(sampleRate: sampleRate)
    native = try AudioError.rethrowing { () throws(NativeError) in try NativeVoice(described) }
    self.sampleRate = sampleRate
    self.configuration = configuration
    window = native.window
    hop = native.hop
  }

  /// Takes in the signal's next samples, any number, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>, into frames: inout [VoiceFrame]) throws(AudioError) {
    let sampleRate = sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.process(samples) { frames.append(VoiceFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// All frames of the signal so far in sum.
  ///
  /// Its jitter and shimmer are of periods that are found as they come; ``measureVoicePerturbation(in:sampleRate:range:)`` sees
  /// the whole signal and begins in the middle of each voiced stretch, as Praat does. The two differ by the chance of where in a
  /// period they begin.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public func summary() throws(AudioError) -> VoiceSummary {
    do {
      return VoiceSummary(try native.summary(), measuresHarmonicity: configuration.measuresHarmonicity)
    } catch {
      throw AudioError(error)
    }
  }

  /// Forgets the signal and its sum; the next sample is the first of another.
  public mutating func reset() { native.reset() }

  /// The frames of a whole signal, 1 + (L - N) / hop of L samples and a window of N, rounded down, and their sum.
  ///
  /// - Throws: As the initialiser.
  public static func analyze(
    _ samples: Span<Float>, sampleRate: Double, configuration: VoiceConfiguration = VoiceConfiguration()
  ) throws(AudioError) -> (frames: [VoiceFrame], summary: VoiceSummary) {
    var processor = try VoiceProcessor(sampleRate: sampleRate, configuration: configuration)
    var frames: [VoiceFrame] = []
    try processor.process(samples, into: &frames)
    return (frames, try processor.summary())
  }
}

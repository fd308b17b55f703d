internal import RustleCore

/// The measures of a voice in one channel's signal that arrives in pieces of any length: pitch, formants and noise in frames,
/// jitter and shimmer in the summary.
///
/// Each frame begins ``hop`` samples after the previous one; its measures are of analysis frames of different lengths with
/// the same middle, and the longest has to be complete. The lengths of the pieces do not change the result. Memory does not grow with the
/// signal.
///
/// ```swift
/// var voice = try VoiceProcessor(sampleRate: 48_000)
/// var frames: [VoiceFrame] = []
/// try voice.process(samples.span, into: &frames)
/// let summary = try voice.summary()
/// print(summary.medianPitch ?? 0, summary.perturbation.jitter)
/// ```
public struct VoiceProcessor: ~Copyable, Sendable {
  /// The sample rate in Hz.
  public let sampleRate: Double
  /// The measures and their parameters.
  public let configuration: VoiceConfiguration
  /// The samples of the longest analysis frame, which complete the first frame.
  public let frameLength: Int
  /// The hop size in samples.
  public let hop: Int
  private var native: NativeVoice

  /// Creates a processor that has received no samples.
  ///
  /// - Parameters:
  ///   - sampleRate: in Hz, 8000 to 192,000.
  ///   - configuration: the measures and their parameters.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a value out of its range.
  public init(sampleRate: Double, configuration: VoiceConfiguration = VoiceConfiguration()) throws(AudioError) {
    let described = try configuration.native(sampleRate: sampleRate)
    native = try AudioError.rethrowing { () throws(NativeError) in try NativeVoice(described) }
    self.sampleRate = sampleRate
    self.configuration = configuration
    frameLength = native.description.frameLength
    hop = native.description.hop
  }

  /// Processes the signal's next samples, any number, and appends the frames that they complete to `frames`.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public mutating func process(_ samples: Span<Float>, into frames: inout [VoiceFrame]) throws(AudioError) {
    let sampleRate = sampleRate
    try AudioError.rethrowing { () throws(NativeError) in
      try native.process(samples) { frames.append(VoiceFrame($0, sampleRate: sampleRate)) }
    }
  }

  /// Returns the summary of all frames so far.
  ///
  /// Its jitter and shimmer are of periods that are found as the signal arrives;
  /// ``measureVoicePerturbation(in:sampleRate:range:)`` has the whole signal and begins in the middle of each voiced stretch, as
  /// Praat does. The two differ by their starting point within a period.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public func summary() throws(AudioError) -> VoiceSummary {
    do {
      return VoiceSummary(try native.summary(), measuresHarmonicity: configuration.measuresHarmonicity)
    } catch {
      throw AudioError(error)
    }
  }

  /// Discards the signal and its summary; the next sample is the first of another signal.
  public mutating func reset() { native.reset() }

  /// Returns the frames of a whole signal, 1 + (L - N) / hop of L samples in frames of N, rounded down, and their summary.
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

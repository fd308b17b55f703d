/// The pitch of a short piece of sound.
public struct DetectedPitch: Sendable, Hashable {
  /// The pitch in Hz; nil: the sound is not voiced.
  public var frequency: Double?
  /// The mean confidence, 0 to 1: of the voiced frames of a voiced sound, of all frames otherwise.
  public var confidence: Double
  /// Whether at least half of the frames are voiced.
  public var isVoiced: Bool
  /// The mean of all frames' confidences: the probability that a moment of the sound has a pitch, and that the pitch is right.
  public var voicedProbability: Double
}

/// Returns the pitch of a sound with a steady pitch: the median over the voiced frames, if at least half are voiced.
///
/// ```swift
/// let pitch = try detectPitch(in: samples.span, sampleRate: 44_100)
/// print(pitch.frequency ?? 0, pitch.confidence)
/// ```
///
/// A frame holds 2.25 periods of the range's lower end, 2048 samples at 44,100 Hz in the default range. A shorter sound is
/// measured with a shorter frame, which raises the lower end; one of fewer than 256 samples has no pitch.
///
/// ``PitchTracker`` reports the pitch of each frame, ``Tuner`` that of live sound with its note, ``VoiceAnalyzer`` that of a voice
/// with other measures.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 1000 to 768,000.
///   - range: the range of pitch in Hz, above 0. The default is that of speech; 60 to 1100 Hz includes basses, children and
///     sopranos.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func detectPitch(
  in samples: Span<Float>, sampleRate: Double, range: ClosedRange<Double> = 80...400
) throws(AudioError) -> DetectedPitch {
  var configuration = PitchConfiguration(sampleRate: sampleRate, range: range)
  // Invalid arguments are refused also for a sound that is too short for any frame.
  configuration.frameLength = try PitchTracker(configuration).frameLength
  var length = configuration.frameLength ?? 0
  while length > samples.count { length /= 2 }
  let none = DetectedPitch(frequency: nil, confidence: 0, isVoiced: false, voicedProbability: 0)
  let raised = 2.25 * sampleRate / Double(max(length, 1))
  guard length >= 256, raised < min(range.upperBound, 0.45 * sampleRate) else { return none }
  configuration.frameLength = length
  configuration.hop = length / 4
  let frames = try PitchTracker.contour(of: samples, configuration: configuration)
  let voiced = frames.filter(\.isVoiced)
  let all = frames.reduce(0) { $0 + $1.confidence } / Double(max(frames.count, 1))
  let found = voiced.compactMap(\.frequency)
  guard 2 * voiced.count >= frames.count, let median = found.median else {
    return DetectedPitch(frequency: nil, confidence: all, isVoiced: false, voicedProbability: all)
  }
  let confidence = voiced.reduce(0) { $0 + $1.confidence } / Double(voiced.count)
  return DetectedPitch(frequency: median, confidence: confidence, isVoiced: true, voicedProbability: all)
}

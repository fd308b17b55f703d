/// The pitch of a short piece of sound.
public struct DetectedPitch: Sendable, Hashable {
  /// In Hz; nil: the sound is not voiced.
  public var frequency: Double?
  /// 0 to 1: the mean of the frames' confidences, of the voiced ones where the sound is voiced.
  public var confidence: Double
  /// Whether at least half of the frames are voiced.
  public var isVoiced: Bool
  /// The mean of all frames' confidences: the probability that a time in the sound has a pitch, and that it was found.
  public var voicedProbability: Double
}

/// The pitch of a piece of sound in which it hardly moves: the median over the voiced frames, where at least half are voiced.
///
/// ```swift
/// let pitch = try detectPitch(in: samples.span, sampleRate: 44_100)
/// print(pitch.frequency ?? 0, pitch.confidence)
/// ```
///
/// A frame holds 2.25 periods of the range's lower end, 2048 samples at 44,100 Hz in the default range. A piece that is shorter
/// is looked at as far as a shorter frame goes, for which the lower end is raised; one of fewer than 256 samples has no pitch.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 1000 to 768,000.
///   - range: the pitches that are looked for in Hz, above 0. The default is that of speech; 60 to 1100 Hz has room for basses,
///     children and sopranos.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func detectPitch(
  in samples: Span<Float>, sampleRate: Double, range: ClosedRange<Double> = 80...400
) throws(AudioError) -> DetectedPitch {
  var configuration = PitchConfiguration(sampleRate: sampleRate, range: range)
  // Also of a piece that is too short for any frame, arguments are refused that would be of a longer one.
  configuration.window = try PitchTracker(configuration).window
  var window = configuration.window ?? 0
  while window > samples.count { window /= 2 }
  let none = DetectedPitch(frequency: nil, confidence: 0, isVoiced: false, voicedProbability: 0)
  let raised = 2.25 * sampleRate / Double(max(window, 1))
  guard window >= 256, raised < min(range.upperBound, 0.45 * sampleRate) else { return none }
  configuration.window = window
  configuration.hop = window / 4
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

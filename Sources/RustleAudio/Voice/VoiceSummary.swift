internal import RustleCore

/// The steadiness of a voice's periods, by the definitions of Praat's voice report. All are 0 where there are too few periods.
public struct VoicePerturbation: Sendable, Hashable {
  /// The number of measured periods.
  public var periods: Int
  /// The mean period, in seconds.
  public var meanPeriod: Double
  /// Local jitter: the mean difference of neighbouring periods over the mean period, a plain ratio.
  public var jitter: Double
  /// The relative average perturbation: the mean difference of a period from the mean of three around it, over the mean period.
  public var jitterRAP: Double
  /// The five-point period perturbation quotient: as ``jitterRAP``, from the mean of five periods.
  public var jitterPPQ5: Double
  /// Local shimmer: the mean difference of neighbouring amplitudes over the mean amplitude, a plain ratio.
  public var shimmer: Double
  /// The mean of the absolute level differences of neighbouring amplitudes, in dB.
  public var shimmerDecibels: Double
  /// The mean difference of an amplitude from the mean of three around it, over the mean amplitude.
  public var shimmerAPQ3: Double
  /// The mean difference of an amplitude from the mean of five around it, over the mean amplitude.
  public var shimmerAPQ5: Double

  init(_ native: NativePerturbation) {
    periods = Int(clamping: native.periods)
    meanPeriod = native.meanPeriod
    jitter = native.jitter
    jitterRAP = native.jitterRAP
    jitterPPQ5 = native.jitterPPQ5
    shimmer = native.shimmer
    shimmerDecibels = native.shimmerDecibels
    shimmerAPQ3 = native.shimmerAPQ3
    shimmerAPQ5 = native.shimmerAPQ5
  }
}

/// The summary of a voice's frames, however many. All measures are of the voiced frames.
public struct VoiceSummary: Sendable, Hashable {
  /// The number of frames.
  public var frames: Int
  /// The number of voiced frames.
  public var voicedFrames: Int
  /// The median pitch in Hz, right within half a cent; nil: no frame is voiced.
  public var medianPitch: Double?
  /// The mean pitch in Hz; nil: no frame is voiced.
  public var meanPitch: Double?
  /// The standard deviation of the pitch in Hz, as of a sample; nil for fewer than two frames.
  public var pitchDeviation: Double?
  /// The mean confidence, 0 to 1; 0 where no frame is voiced.
  public var meanConfidence: Double
  /// The mean harmonics-to-noise ratio in dB, of the voiced frames that have one; nil: no frame is voiced.
  public var meanHarmonicsToNoise: Double?
  /// Jitter and shimmer.
  public var perturbation: VoicePerturbation

  /// - Parameter measuresHarmonicity: whether the ratio was measured.
  init(_ native: NativeVoiceSummary, measuresHarmonicity: Bool) {
    frames = Int(clamping: native.frames)
    voicedFrames = Int(clamping: native.voiced)
    let isVoiced = native.voiced > 0
    medianPitch = isVoiced ? native.medianPitch : nil
    meanPitch = isVoiced ? native.meanPitch : nil
    pitchDeviation = native.voiced > 1 ? native.pitchDeviation : nil
    meanConfidence = native.meanConfidence
    meanHarmonicsToNoise = isVoiced && measuresHarmonicity ? native.meanHNR : nil
    perturbation = VoicePerturbation(native.perturbation)
  }
}

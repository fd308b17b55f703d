internal import RustleCore

/// A voice at one time.
public struct VoiceFrame: Sendable, Hashable {
  /// The time of the frame's middle, in samples from the beginning of the signal.
  public var sample: Int64
  /// The same in seconds.
  public var time: Double
  /// The pitch in Hz; nil: there is none in the range. It counts when ``isVoiced`` says so.
  public var pitch: Double?
  /// 0 to 1: the share of frames like this whose pitch is there and right.
  public var confidence: Double
  /// Whether there is a voice: a pitch with a confidence of at least ``PitchFrame/voicedConfidence``.
  public var isVoiced: Bool
  /// The level in dB relative to a full-scale square wave; minus infinity for silence.
  public var level: Double
  /// The harmonics-to-noise ratio in dB, of a voiced frame; minus infinity where nothing is periodic, nil where it is not
  /// measured.
  public var harmonicsToNoise: Double?
  /// The formants; none where they are not looked for. Those of an unvoiced frame are the noise's.
  public var formants: Formants
  /// The spectrum's mean frequency in Hz; nil of silence and where it is not measured.
  public var centroid: Double?
  /// The frames of sound that were lost before this one, since the frame before; silence stands in their place. 0 of a signal
  /// without holes.
  public var droppedFrames: Int64

  /// A frame, for tests and for measures from elsewhere.
  public init(
    sample: Int64, time: Double, pitch: Double?, confidence: Double, isVoiced: Bool, level: Double = -.infinity,
    harmonicsToNoise: Double? = nil, formants: Formants = Formants(), centroid: Double? = nil, droppedFrames: Int64 = 0
  ) {
    self.sample = sample
    self.time = time
    self.pitch = pitch
    self.confidence = confidence
    self.isVoiced = isVoiced
    self.level = level
    self.harmonicsToNoise = harmonicsToNoise
    self.formants = formants
    self.centroid = centroid
    self.droppedFrames = droppedFrames
  }

  init(_ native: NativeVoiceFrame, sampleRate: Double) {
    self.init(
      sample: Int64(clamping: native.sample), time: Double(native.sample) / sampleRate,
      pitch: native.pitch > 0 ? native.pitch : nil, confidence: native.confidence, isVoiced: native.isVoiced,
      level: native.level, harmonicsToNoise: native.hnr.isNaN ? nil : native.hnr, formants: Formants(native.formants),
      centroid: native.centroid > 0 ? native.centroid : nil)
  }
}

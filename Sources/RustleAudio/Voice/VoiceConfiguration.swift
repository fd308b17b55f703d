internal import RustleCore

/// How formants are found. The raw value is the name in commands.
public enum FormantMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// By linear prediction with little weight for the samples in which the vocal folds are open or closing, on the mean of the
  /// periods within 25 ms that repeat a frame: the nearer to the truth of the two, the more so the higher the voice and the
  /// louder the noise.
  case weighted
  /// By Burg's method, as in Praat.
  case burg

  var native: NativeFormantMethod {
    switch self {
    case .weighted: .weighted
    case .burg: .burg
    }
  }
}

/// Which formants are looked for, and how. It is checked when it is used.
public struct FormantConfiguration: Sendable, Hashable {
  /// Five formants are expected up to here, in Hz, 3000 to 8000: 5000 suits men, 5500 women, 6500 children. The sound is
  /// resampled to twice this, whatever its rate.
  public var ceiling: Double
  /// How the prediction filter is found.
  public var method: FormantMethod
  /// The order of the prediction, 4 to 32; nil: two for each formant that is expected, and with ``FormantMethod/weighted`` two
  /// more.
  public var order: Int?
  /// The effective length of the window in seconds, 0.01 to 0.1; the window itself, whose ends hardly count, is twice as long.
  public var length: Double

  /// A configuration; by default a ceiling of 5500 Hz, the weighted method, and 25 ms.
  public init(
    ceiling: Double = 5_500, method: FormantMethod = .weighted, order: Int? = nil, length: Double = 0.025
  ) {
    self.ceiling = ceiling
    self.method = method
    self.order = order
    self.length = length
  }

  func native() throws(AudioError) -> NativeFormantConfiguration {
    // Numbers that the native side takes for "chosen", or does not hold.
    if let order, order <= 0 { throw .validation("prediction order", expected: "4 to 32", got: "\(order)") }
    if length == 0 { throw .validation("formant window", expected: "0.01 to 0.1 s", got: "0 s") }
    return NativeFormantConfiguration(ceiling: ceiling, length: length, order: order ?? 0, method: method.native)
  }
}

/// What is measured of a voice along a signal. It is checked when a ``VoiceProcessor`` or a ``VoiceAnalyzer`` is made of it.
public struct VoiceConfiguration: Sendable, Hashable {
  /// The pitches that are looked for, in Hz, within 40 to 2000 and below a quarter of the sample rate.
  public var range: ClosedRange<Double>
  /// The samples from frame to frame, 1 to 1,048,576; nil: a quarter of the window that the pitch is found in, which is 512 at
  /// 44,100 Hz in the default range.
  public var hop: Int?
  /// How formants are looked for; nil: not at all.
  public var formants: FormantConfiguration?
  /// Whether the harmonics-to-noise ratio of each voiced frame is measured.
  public var measuresHarmonicity: Bool
  /// Whether the spectrum's mean frequency in each frame is measured.
  public var measuresCentroid: Bool

  /// A configuration; by default everything, of voices from 60 to 1100 Hz: from a bass's C2 to a soprano's C6, children's
  /// between.
  public init(
    range: ClosedRange<Double> = 60...1_100, hop: Int? = nil, formants: FormantConfiguration? = FormantConfiguration(),
    measuresHarmonicity: Bool = true, measuresCentroid: Bool = true
  ) {
    self.range = range
    self.hop = hop
    self.formants = formants
    self.measuresHarmonicity = measuresHarmonicity
    self.measuresCentroid = measuresCentroid
  }

  func native(sampleRate: Double) throws(AudioError) -> NativeVoiceConfiguration {
    if let hop, hop <= 0 { throw .validation("hop", expected: "1 to 1048576 samples", got: "\(hop)") }
    let formants: NativeFormantConfiguration? = if let formants { try formants.native() } else { nil }
    return NativeVoiceConfiguration(
      sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, hop: hop, formants: formants,
      harmonicity: measuresHarmonicity, centroid: measuresCentroid)
  }
}

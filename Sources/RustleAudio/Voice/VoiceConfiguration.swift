internal import RustleCore

/// A method to find formants. The raw value is the name in commands.
public enum FormantMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Linear prediction with little weight for the samples in which the vocal folds are open or closing, on the mean of the
  /// periods within 25 ms that repeat a frame: the more accurate of the two, most of all for high voices and loud noise.
  case weighted
  /// Burg's method, as in Praat.
  case burg

  var native: NativeFormantMethod {
    switch self {
    case .weighted: .weighted
    case .burg: .burg
    }
  }
}

/// The parameters of a formant analysis, which are checked when they are used.
public struct FormantConfiguration: Sendable, Hashable {
  /// The frequency up to which five formants are expected, in Hz, 3000 to 8000: 5000 suits men, 5500 women, 6500 children. The
  /// sound is resampled to twice this, whatever its rate.
  public var ceiling: Double
  /// The method of finding the prediction filter.
  public var method: FormantMethod
  /// The order of the prediction, 4 to 32; nil: two for each expected formant, and with ``FormantMethod/weighted`` two
  /// more.
  public var order: Int?
  /// The effective length of the window function in seconds, 0.01 to 0.1; the function itself, whose ends hardly count, is twice
  /// as long.
  public var length: Double

  /// Creates a configuration; by default a ceiling of 5500 Hz, the weighted method, and 25 ms.
  public init(
    ceiling: Double = 5_500, method: FormantMethod = .weighted, order: Int? = nil, length: Double = 0.025
  ) {
    self.ceiling = ceiling
    self.method = method
    self.order = order
    self.length = length
  }

  func native() throws(AudioError) -> NativeFormantConfiguration {
    // Values that mean "automatic" to the native side, or that it cannot represent.
    if let order, order <= 0 { throw .validation("prediction order", expected: "4 to 32", got: "\(order)") }
    if length == 0 { throw .validation("formant window", expected: "0.01 to 0.1 s", got: "0 s") }
    return NativeFormantConfiguration(ceiling: ceiling, length: length, order: order ?? 0, method: method.native)
  }
}

/// The measures of a voice and their parameters, which a ``VoiceProcessor`` or a ``VoiceAnalyzer`` checks.
public struct VoiceConfiguration: Sendable, Hashable {
  /// The range of pitch in Hz, within 40 to 2000 and below a quarter of the sample rate.
  public var range: ClosedRange<Double>
  /// The hop size in samples, 1 to 1,048,576; nil: a quarter of the pitch's frame length, which is 512 at 44,100 Hz in the
  /// default range.
  public var hop: Int?
  /// The parameters of the formant analysis; nil: no formants.
  public var formants: FormantConfiguration?
  /// Whether the harmonics-to-noise ratio of each voiced frame is measured.
  public var measuresHarmonicity: Bool
  /// Whether the spectrum's mean frequency in each frame is measured.
  public var measuresCentroid: Bool

  /// Creates a configuration; by default all measures, for voices from 60 to 1100 Hz: from a bass's C2 to a soprano's C6,
  /// children's between.
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

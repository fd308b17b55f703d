internal import RustleCore

/// What a ``NoiseMeter`` shows. Levels are in dB with the calibration, or relative to full scale without one; minus infinity is
/// silence.
public struct NoiseReading: Sendable, Hashable {
  /// The length of the measurement in seconds.
  public let seconds: Double
  /// The time-weighted level now, such as LAF.
  public let level: Double
  /// The equivalent level of the measurement, such as LAeq.
  public let equivalent: Double
  /// The highest time-weighted level, such as LAFmax.
  public let maximum: Double
  /// The lowest time-weighted level, such as LAFmin; nil in the first 5 time constants, which do not count.
  public let minimum: Double?
  /// The C-weighted peak, LCpeak.
  public let peak: Double
  /// The exposure level: that of the same energy within one second, such as LAE.
  public let exposure: Double
  /// Samples of the metered channels at the highest value of 16 bits or beyond: above 0, levels are too low.
  public let overloads: Int
  /// Loudness; nil when it is not measured.
  public let loudness: Loudness?
  /// The place on the ``DisplayScale`` of the unweighted, uncalibrated power.
  public let place: Double
  /// The class of that place.
  public let noiseClass: NoiseClass
  /// What the levels are.
  public let calibration: Calibration
  /// The weightings of the levels.
  public let frequencyWeighting: FrequencyWeighting
  /// The time constant of the levels.
  public let timeWeighting: TimeWeighting

  /// Loudness as broadcasters measure it (ITU-R BS.1770-4, EBU R 128), in LUFS; minus infinity is silence.
  public struct Loudness: Sendable, Hashable {
    /// Of the last 0.4 s.
    public let momentary: Double
    /// The highest momentary loudness.
    public let momentaryMaximum: Double
    /// Of the last 3 s.
    public let shortTerm: Double
    /// The highest short-term loudness.
    public let shortTermMaximum: Double
    /// Of the measurement, through both gates.
    public let integrated: Double
    /// The loudness range in LU.
    public let range: Double
    /// The highest peak between the samples of any channel, in dBTP.
    public let truePeak: Double
  }

  init(_ reading: NativeMeterReading, _ configuration: NoiseMeterConfiguration) {
    seconds = reading.seconds
    level = reading.level
    equivalent = reading.equivalent
    maximum = reading.highest
    minimum = reading.lowest.isNaN ? nil : reading.lowest
    peak = reading.peak
    exposure = reading.exposure
    overloads = Int(clamping: reading.overloads)
    loudness =
      configuration.measuresLoudness
      ? Loudness(
        momentary: reading.momentary, momentaryMaximum: reading.momentaryHighest, shortTerm: reading.shortTerm,
        shortTermMaximum: reading.shortTermHighest, integrated: reading.integrated, range: reading.range,
        truePeak: reading.truePeak) : nil
    place = reading.place
    noiseClass = NoiseClass(number: reading.noiseClass)
    calibration = configuration.calibration
    frequencyWeighting = configuration.frequencyWeighting
    timeWeighting = configuration.timeWeighting
  }

  /// The usual name of the level, for example `LAF`.
  public var levelName: String { "L\(frequencyWeighting.rawValue)\(timeWeighting.rawValue)" }
  /// The usual name of the equivalent level, for example `LAeq`.
  public var equivalentName: String { "L\(frequencyWeighting.rawValue)eq" }
}

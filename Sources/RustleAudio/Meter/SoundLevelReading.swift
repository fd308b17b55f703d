internal import RustleCore

/// What a ``SoundLevelMeter`` shows. Levels are in dB with the calibration, or relative to full scale without one; minus infinity
/// is silence.
public struct SoundLevelReading: Sendable, Hashable {
  /// The length of the measurement in seconds.
  public package(set) var seconds: Double
  /// The time-weighted level now, such as LAF.
  public package(set) var level: Double
  /// The equivalent level of the measurement, such as LAeq.
  public package(set) var equivalentContinuousLevel: Double
  /// The highest time-weighted level, such as LAFmax.
  public package(set) var maximum: Double
  /// The lowest time-weighted level, such as LAFmin; nil in the first 5 time constants, which do not count.
  public package(set) var minimum: Double?
  /// The C-weighted peak, LCpeak.
  public package(set) var peak: Double
  /// The exposure level: that of the same energy within one second, such as LAE.
  public package(set) var soundExposureLevel: Double
  /// Samples of the metered channels at the highest value of 16 bits or beyond: above 0, levels are too low.
  public package(set) var overloads: Int
  /// Loudness; nil when it is not measured.
  public package(set) var loudness: Loudness?
  /// The place on the ``DisplayScale`` of the unweighted, uncalibrated power.
  public package(set) var place: Double
  /// The class of that place.
  public package(set) var levelZone: LevelZone
  /// What the levels are.
  public package(set) var calibration: Calibration
  /// The weightings of the levels.
  public package(set) var frequencyWeighting: FrequencyWeighting
  /// The time constant of the levels.
  public package(set) var timeWeighting: TimeWeighting

  /// Loudness as broadcasters measure it (ITU-R BS.1770-4, EBU R 128), in LUFS; minus infinity is silence.
  public struct Loudness: Sendable, Hashable {
    /// Of the last 0.4 s.
    public package(set) var momentary: Double
    /// The highest momentary loudness.
    public package(set) var momentaryMaximum: Double
    /// Of the last 3 s.
    public package(set) var shortTerm: Double
    /// The highest short-term loudness.
    public package(set) var shortTermMaximum: Double
    /// Of the measurement, through both gates.
    public package(set) var integrated: Double
    /// The loudness range in LU.
    public package(set) var range: Double
    /// The highest peak between the samples of any channel, in dBTP.
    public package(set) var truePeak: Double

    package init(
      momentary: Double, momentaryMaximum: Double, shortTerm: Double, shortTermMaximum: Double, integrated: Double,
      range: Double, truePeak: Double
    ) {
      self.momentary = momentary
      self.momentaryMaximum = momentaryMaximum
      self.shortTerm = shortTerm
      self.shortTermMaximum = shortTermMaximum
      self.integrated = integrated
      self.range = range
      self.truePeak = truePeak
    }
  }

  /// What a meter shows before there is sound: silence.
  package init(_ configuration: SoundLevelMeterConfiguration = SoundLevelMeterConfiguration()) {
    seconds = 0
    (level, equivalentContinuousLevel, maximum, minimum) = (-.infinity, -.infinity, -.infinity, nil)
    (peak, soundExposureLevel, overloads, loudness) = (-.infinity, -.infinity, 0, nil)
    (place, levelZone) = (0, .silent)
    calibration = configuration.calibration
    frequencyWeighting = configuration.frequencyWeighting
    timeWeighting = configuration.timeWeighting
  }

  init(_ reading: NativeMeterReading, _ configuration: SoundLevelMeterConfiguration) {
    seconds = reading.seconds
    level = reading.level
    equivalentContinuousLevel = reading.equivalentContinuousLevel
    maximum = reading.highest
    minimum = reading.lowest.isNaN ? nil : reading.lowest
    peak = reading.peak
    soundExposureLevel = reading.soundExposureLevel
    overloads = Int(clamping: reading.overloads)
    loudness =
      configuration.measuresLoudness
      ? Loudness(
        momentary: reading.momentary, momentaryMaximum: reading.momentaryHighest, shortTerm: reading.shortTerm,
        shortTermMaximum: reading.shortTermHighest, integrated: reading.integrated, range: reading.range,
        truePeak: reading.truePeak) : nil
    place = reading.place
    levelZone = LevelZone(number: reading.levelZone)
    calibration = configuration.calibration
    frequencyWeighting = configuration.frequencyWeighting
    timeWeighting = configuration.timeWeighting
  }

  /// The usual name of the level, for example `LAF`.
  public var levelName: String { "L\(frequencyWeighting.rawValue)\(timeWeighting.rawValue)" }
  /// The usual name of the equivalent level, for example `LAeq`.
  public var equivalentName: String { "L\(frequencyWeighting.rawValue)eq" }
  /// The usual name of the exposure level, for example `LAE`.
  public var exposureName: String { "L\(frequencyWeighting.rawValue)E" }
}

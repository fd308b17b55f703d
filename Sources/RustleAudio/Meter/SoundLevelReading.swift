internal import RustleCore

/// A reading of a ``SoundLevelMeter``. Levels are in dB with the calibration, or relative to full scale without one; minus
/// infinity is silence.
public struct SoundLevelReading: Sendable, Hashable {
  /// The length of the measurement in seconds.
  public package(set) var seconds: Double
  /// The current time-weighted level in dB, such as LAF.
  public package(set) var level: Double
  /// The time-averaged level of the measurement in dB, such as LAeq.
  public package(set) var equivalentContinuousLevel: Double
  /// The highest time-weighted level in dB, such as LAFmax.
  public package(set) var maximum: Double
  /// The lowest time-weighted level in dB, such as LAFmin; nil in the first 5 time constants, which do not count.
  public package(set) var minimum: Double?
  /// The peak sound level in dB, ``peakName``: C-weighted, whatever ``frequencyWeighting`` is.
  public package(set) var peak: Double
  /// The sound exposure level in dB: the level of the same energy within one second, such as LAE.
  public package(set) var soundExposureLevel: Double
  /// Samples of the metered channels at the highest value of 16 bits or beyond: above 0, levels are too low.
  public package(set) var overloads: Int
  /// The levels, in dB, exceeded for 5, 10, 50, 90 and 95 percent of the measurement.
  public package(set) var exceeded: [ExceedanceLevel]
  /// The levels of the bands, in dB, by ascending frequency; empty if they are not measured.
  public package(set) var bands: [SoundLevelMeter.Band] = []
  /// The dropped frames of the input since the meter was created, which are not measured.
  public package(set) var droppedFrames: Int64 = 0
  /// The overruns of the input's device.
  public package(set) var overruns = 0
  /// The loudness in LUFS; nil if not measured.
  public package(set) var loudness: Loudness?
  /// The value of the unweighted, uncalibrated power on the ``DisplayScale``, 0 to 120.
  public package(set) var displayValue: Double
  /// The zone of that value.
  public package(set) var levelZone: LevelZone
  /// The calibration of the levels.
  public package(set) var calibration: Calibration
  /// The frequency weighting of the levels.
  public package(set) var frequencyWeighting: FrequencyWeighting
  /// The time weighting of the levels.
  public package(set) var timeWeighting: TimeWeighting

  /// An exceedance level of the measurement, such as LAF10 for 10 percent; see ``SoundLevelMeter/level(exceededFor:)``.
  public struct ExceedanceLevel: Sendable, Hashable {
    /// The percentage of the time.
    public let percent: Int
    /// The level in dB; nil in the first 5 time constants.
    public let level: Double?

    /// The percentages of ``SoundLevelReading/exceeded``.
    static let percentages = [5, 10, 50, 90, 95]

    package init(percent: Int, level: Double?) {
      self.percent = percent
      self.level = level
    }
  }

  /// Loudness in LUFS, as broadcasters measure it (ITU-R BS.1770-4, EBU R 128); minus infinity is silence.
  public struct Loudness: Sendable, Hashable {
    /// The momentary loudness in LUFS, of the last 0.4 s.
    public package(set) var momentary: Double
    /// The highest momentary loudness in LUFS.
    public package(set) var momentaryMaximum: Double
    /// The short-term loudness in LUFS, of the last 3 s.
    public package(set) var shortTerm: Double
    /// The highest short-term loudness in LUFS.
    public package(set) var shortTermMaximum: Double
    /// The integrated loudness in LUFS since the beginning of the measurement, with the gates of BS.1770: -70 LUFS, and 10 LU
    /// below the mean of what passes that. Minus infinity when nothing passes.
    public package(set) var integrated: Double
    /// The loudness range in LU (EBU Tech 3342), with the configured ``LoudnessRangeStep``; nil in the first 3 s, since it is
    /// computed from short-term loudness.
    public package(set) var range: Double?
    /// The true peak, the highest of any channel also between samples, in dBTP.
    public package(set) var truePeak: Double

    package init(
      momentary: Double, momentaryMaximum: Double, shortTerm: Double, shortTermMaximum: Double, integrated: Double,
      range: Double?, truePeak: Double
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

  /// A reading before any sound: silence.
  package init(_ configuration: SoundLevelMeterConfiguration = SoundLevelMeterConfiguration()) {
    seconds = 0
    (level, equivalentContinuousLevel, maximum, minimum) = (-.infinity, -.infinity, -.infinity, nil)
    (peak, soundExposureLevel, overloads, loudness) = (-.infinity, -.infinity, 0, nil)
    exceeded = ExceedanceLevel.percentages.map { ExceedanceLevel(percent: $0, level: nil) }
    (displayValue, levelZone) = (0, .silent)
    calibration = configuration.calibration
    frequencyWeighting = configuration.frequencyWeighting
    timeWeighting = configuration.timeWeighting
  }

  init(
    _ reading: NativeMeterReading, _ configuration: SoundLevelMeterConfiguration, exceeded: [ExceedanceLevel],
    bands: [SoundLevelMeter.Band], droppedFrames: Int64, overruns: Int
  ) {
    self.exceeded = exceeded
    self.bands = bands
    self.droppedFrames = droppedFrames
    self.overruns = overruns
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
        shortTermMaximum: reading.shortTermHighest, integrated: reading.integrated,
        range: reading.seconds < 3 ? nil : reading.range, truePeak: reading.truePeak) : nil
    displayValue = reading.displayValue
    levelZone = LevelZone(number: reading.levelZone)
    calibration = configuration.calibration
    frequencyWeighting = configuration.frequencyWeighting
    timeWeighting = configuration.timeWeighting
  }

  /// The name of the level, for example `LAF`.
  public var levelName: String { "L\(frequencyWeighting.rawValue)\(timeWeighting.rawValue)" }
  /// The name of the time-averaged level, for example `LAeq`.
  public var equivalentContinuousLevelName: String { "L\(frequencyWeighting.rawValue)eq" }
  /// The name of the peak sound level: `LCpeak`.
  public var peakName: String { "LCpeak" }
  /// The name of the sound exposure level, for example `LAE`.
  public var soundExposureLevelName: String { "L\(frequencyWeighting.rawValue)E" }
}

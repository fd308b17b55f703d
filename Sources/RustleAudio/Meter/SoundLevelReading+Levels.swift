extension SoundLevelReading {
  /// A level with its standard symbol, for a list.
  public struct NamedLevel: Sendable, Hashable {
    /// The symbol, for example `LAFmax`.
    public let name: String
    /// The level in ``unit``; nil before there is one, minus infinity for silence.
    public let level: Double?
    /// The unit, for example `dBFS`.
    public let unit: String

    /// Creates a named level.
    public init(_ name: String, _ level: Double?, _ unit: String) {
      self.name = name
      self.level = level
      self.unit = unit
    }
  }

  /// The levels since the beginning of the measurement, the sound exposure level last.
  public var levels: [NamedLevel] {
    let unit = calibration.unit
    return [
      NamedLevel(equivalentContinuousLevelName, equivalentContinuousLevel, unit),
      NamedLevel("\(levelName)max", maximum, unit),
      NamedLevel("\(levelName)min", minimum, unit), NamedLevel(peakName, peak, unit),
      NamedLevel(soundExposureLevelName, soundExposureLevel, unit),
    ]
  }

  /// The exceedance levels, such as `LAF10`, in the order of ``exceeded``.
  public var exceedanceLevels: [NamedLevel] {
    exceeded.map { NamedLevel("\(levelName)\($0.percent)", $0.level, calibration.unit) }
  }
}

extension SoundLevelReading {
  /// The weightings in words: `A-weighted, fast (F, 125 ms)`.
  package var weightingText: String {
    (frequencyWeighting == .z ? "not weighted (Z)" : "\(frequencyWeighting.rawValue)-weighted")
      + (timeWeighting == .fast ? ", fast (F, 125 ms)" : ", slow (S, 1 s)")
  }

  /// The faults of the measurement as sentences for people; none of a faultless one.
  package var faultTexts: [String] {
    let samples = overloads == 1 ? "1 sample" : "\(overloads) samples"
    return [
      overloads > 0 ? "OVERLOAD: \(samples) at or beyond full scale; levels may read too low" : nil,
      droppedFrames > 0 || overruns > 0
        ? "DROPPED: \(droppedFrames) frames, \(overruns) overruns of the device; not measured" : nil,
    ].compactMap(\.self)
  }
}

import RustleAudio

/// A level with its standard name, such as `LAFmax`, and its unit.
typealias NamedLevel = (name: String, level: Double?, unit: String)

extension SoundLevelReading {
  /// Whether the zone's name may be shown next to a level: not next to a sound pressure level, which it does not describe.
  var hasWordOfLevel: Bool { !calibration.isCalibrated }
  /// The colour of a level.
  var ink: Painter.Ink { hasWordOfLevel ? levelZone.ink : .bold }

  /// The calibration and the unit of the levels, in words.
  var calibrationText: String {
    "\(calibration): levels in " + (hasWordOfLevel ? "dBFS, relative to full scale" : "dB re 20 \u{B5}Pa")
  }

  /// The weightings in words: `A-weighted, fast (F, 125 ms)`.
  var weightingText: String {
    (frequencyWeighting == .z ? "not weighted (Z)" : "\(frequencyWeighting.rawValue)-weighted")
      + (timeWeighting == .fast ? ", fast (F, 125 ms)" : ", slow (S, 1 s)")
  }

  /// The levels since the beginning, the sound exposure level last.
  var levels: [NamedLevel] {
    [
      (equivalentName, equivalentContinuousLevel, calibration.unit), ("\(levelName)max", maximum, calibration.unit),
      ("\(levelName)min", minimum, calibration.unit), (peakName, peak, calibration.unit),
      (exposureName, soundExposureLevel, calibration.unit),
    ]
  }

  /// The exceedance levels, such as `LAF10`.
  var exceedanceLevels: [NamedLevel] { exceeded.map { ("\(levelName)\($0.percent)", $0.level, calibration.unit) } }

  /// The faults, in a word each.
  var faults: [String] {
    [
      overloads > 0 ? "OVERLOAD" : nil, droppedFrames > 0 ? "DROPPED \(droppedFrames)" : nil,
      overruns > 0 ? "OVERRUNS \(overruns)" : nil,
    ].compactMap(\.self)
  }

  /// The faults and their consequences.
  var faultTexts: [String] {
    let samples = overloads == 1 ? "1 sample" : "\(overloads) samples"
    return [
      overloads > 0 ? "OVERLOAD: \(samples) at or beyond full scale; levels may read too low" : nil,
      droppedFrames > 0 || overruns > 0
        ? "DROPPED: \(droppedFrames) frames, \(overruns) overruns of the device; not measured" : nil,
    ].compactMap(\.self)
  }
}

extension LevelZone {
  /// The colour of the zone.
  var ink: Painter.Ink {
    switch self {
    case .silent: .blue
    case .quiet: .green
    case .average: .magenta
    case .noisy: .yellow
    case .loud: .red
    }
  }
}

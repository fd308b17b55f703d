import RustleAudio
import RustleAudioFiles

/// The state that the meter command shows: the meter's reading, and the losses of its input.
@dynamicMemberLookup
struct MeterState: Equatable, Sendable {
  /// The percentages of the shown exceedance levels.
  static let percentages = [5, 10, 50, 90, 95]
  /// The seconds of sound in a value of short-term loudness (EBU Tech 3341, section 2.2).
  private static let shortTerm = 3.0

  /// The meter's reading. Its loudness range is not a number in the first three seconds.
  var reading = SoundLevelReading()
  /// The exceedance levels of `percentages`; nil in the first 10 ms.
  var exceeded: [Double?] = percentages.map { _ in nil }
  var bands: [SoundLevelMeter.Band] = []
  /// The share of the readings in each level zone, from silent to loud; empty where it was not counted.
  var shares: [Double] = []
  /// The dropped frames and the overruns of a device.
  var droppedFrames: Int64 = 0
  var overruns = 0

  subscript<Value>(dynamicMember path: WritableKeyPath<SoundLevelReading, Value>) -> Value {
    get { reading[keyPath: path] }
    set { reading[keyPath: path] = newValue }
  }

  subscript<Value>(dynamicMember path: KeyPath<SoundLevelReading, Value>) -> Value { reading[keyPath: path] }

  /// The unit of the levels: `dB`, or `dBFS` without a calibration.
  var unit: String { reading.calibration.unit }
  /// Whether the zone's name may be shown next to a level: not next to a sound pressure level, which it does not describe.
  var hasWordOfLevel: Bool { !reading.calibration.isCalibrated }
  /// The colour of a level.
  var ink: Painter.Ink { hasWordOfLevel ? reading.levelZone.ink : .bold }

  /// The calibration and the unit of the levels, in words.
  var calibrationText: String {
    "\(reading.calibration): levels in " + (hasWordOfLevel ? "dBFS, relative to full scale" : "dB re 20 \u{B5}Pa")
  }

  /// The weightings in words: `A-weighted, fast (F, 125 ms)`.
  var weightingText: String {
    let weighting = reading.frequencyWeighting
    return (weighting == .z ? "not weighted (Z)" : "\(weighting.rawValue)-weighted")
      + (reading.timeWeighting == .fast ? ", fast (F, 125 ms)" : ", slow (S, 1 s)")
  }

  /// The levels since the beginning with their standard names, the sound exposure level last.
  var levels: [(name: String, level: Double?)] {
    [
      (reading.equivalentName, reading.equivalentContinuousLevel), ("\(reading.levelName)max", reading.maximum),
      ("\(reading.levelName)min", reading.minimum), ("LCpeak", reading.peak),
      (reading.exposureName, reading.soundExposureLevel),
    ]
  }

  /// The exceedance levels with their names, such as `LAF10`.
  var exceedanceLevels: [(name: String, level: Double?)] {
    zip(Self.percentages, exceeded).map { ("\(reading.levelName)\($0)", $1) }
  }

  /// The faults, in a word each.
  var faults: [String] {
    var faults: [String] = []
    if reading.overloads > 0 { faults.append("OVERLOAD") }
    if droppedFrames > 0 { faults.append("DROPPED \(droppedFrames)") }
    if overruns > 0 { faults.append("OVERRUNS \(overruns)") }
    return faults
  }

  /// The faults and their consequences.
  var faultTexts: [String] {
    var texts: [String] = []
    if reading.overloads > 0 {
      let samples = reading.overloads == 1 ? "1 sample" : "\(reading.overloads) samples"
      texts.append("OVERLOAD: \(samples) at or beyond full scale; levels may read too low")
    }
    if droppedFrames > 0 || overruns > 0 {
      texts.append("DROPPED: \(droppedFrames) frames, \(overruns) overruns of the device; not measured")
    }
    return texts
  }
}

extension MeterState {
  /// The state of a meter with this reading.
  init(_ reading: SoundLevelReading, of meter: SoundLevelMeter, tally: SoundTally) async throws {
    self.reading = reading
    // The range is computed from short-term loudness, which needs three seconds (EBU Tech 3342, section 2).
    if reading.seconds < Self.shortTerm { self.reading.loudness?.range = .nan }
    exceeded = []
    for percent in Self.percentages { exceeded.append(try await meter.level(exceededFor: Double(percent))) }
    bands = try await meter.bands()
    droppedFrames = tally.droppedFrames
    overruns = tally.overruns
  }
}

import RustleAudio

/// What the meter command shows: what the meter read, and what there is to say about its input.
@dynamicMemberLookup
struct MeterState: Equatable, Sendable {
  /// The percentages of the exceedance levels that are shown.
  static let percentages = [5, 10, 50, 90, 95]
  /// The seconds of sound in a value of short-term loudness (EBU Tech 3341, section 2.2).
  private static let shortTerm = 3.0

  /// The loudness range of it is not a number in the first three seconds.
  var reading = SoundLevelReading()
  /// The levels that were exceeded for `percentages` of the time; nil in the first 10 ms.
  var exceeded: [Double?] = percentages.map { _ in nil }
  var bands: [SoundLevelMeter.Band] = []
  /// The share of the readings so far in each class, from silent to loud; empty where it was not counted.
  var shares: [Double] = []
  /// Frames that were lost on their way from a device, and how often the device ran over.
  var droppedFrames: Int64 = 0
  var overruns = 0

  subscript<Value>(dynamicMember path: WritableKeyPath<SoundLevelReading, Value>) -> Value {
    get { reading[keyPath: path] }
    set { reading[keyPath: path] = newValue }
  }

  subscript<Value>(dynamicMember path: KeyPath<SoundLevelReading, Value>) -> Value { reading[keyPath: path] }

  /// The unit of the levels: `dB`, or `dBFS` without a calibration.
  var unit: String { reading.calibration.unit }
  /// Whether the word of the scale from 0 to 120 may stand beside a level: not beside a sound pressure level, for which it would
  /// be taken.
  var hasWordOfLevel: Bool { !reading.calibration.isCalibrated }
  /// The colour of a level.
  var ink: Painter.Ink { hasWordOfLevel ? reading.levelZone.ink : .bold }

  /// The calibration in words, and what its absence means.
  var calibrationText: String {
    "\(reading.calibration): levels in " + (hasWordOfLevel ? "dBFS, relative to full scale" : "dB re 20 \u{B5}Pa")
  }

  /// For example `A-weighted, fast (F, 125 ms)`.
  var weightingText: String {
    let weighting = reading.frequencyWeighting
    return (weighting == .z ? "not weighted (Z)" : "\(weighting.rawValue)-weighted")
      + (reading.timeWeighting == .fast ? ", fast (F, 125 ms)" : ", slow (S, 1 s)")
  }

  /// The levels since the beginning by their usual names, the sound exposure level last.
  var levels: [(name: String, level: Double?)] {
    [
      (reading.equivalentName, reading.equivalentContinuousLevel), ("\(reading.levelName)max", reading.maximum),
      ("\(reading.levelName)min", reading.minimum), ("LCpeak", reading.peak),
      (reading.exposureName, reading.soundExposureLevel),
    ]
  }

  /// The exceedance levels by their usual names, such as `LAF10`.
  var exceedanceLevels: [(name: String, level: Double?)] {
    zip(Self.percentages, exceeded).map { ("\(reading.levelName)\($0)", $1) }
  }

  /// What is wrong, in a word each.
  var faults: [String] {
    var faults: [String] = []
    if reading.overloads > 0 { faults.append("OVERLOAD") }
    if droppedFrames > 0 { faults.append("LOST \(droppedFrames)") }
    if overruns > 0 { faults.append("OVERRUNS \(overruns)") }
    return faults
  }

  /// What is wrong, and what that means.
  var faultTexts: [String] {
    var texts: [String] = []
    if reading.overloads > 0 {
      let samples = reading.overloads == 1 ? "1 sample" : "\(reading.overloads) samples"
      texts.append("OVERLOAD: \(samples) at or beyond full scale; levels may read too low")
    }
    if droppedFrames > 0 || overruns > 0 {
      texts.append("LOST: \(droppedFrames) frames, \(overruns) overruns of the device; they do not count")
    }
    return texts
  }
}

extension MeterState {
  /// What a meter shows now.
  init(_ reading: SoundLevelReading, of meter: SoundLevelMeter, tally: SoundTally) async throws {
    self.reading = reading
    // It is made of short-term loudness, of which there is none yet (EBU Tech 3342, section 2).
    if reading.seconds < Self.shortTerm { self.reading.loudness?.range = .nan }
    exceeded = []
    for percent in Self.percentages { exceeded.append(try await meter.level(exceededFor: Double(percent))) }
    bands = try await meter.bands()
    droppedFrames = tally.droppedFrames
    overruns = tally.overruns
  }
}

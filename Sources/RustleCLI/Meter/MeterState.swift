import RustleAudio

/// What the meter command shows: what the meter read, and what there is to say about its input.
struct MeterState: Equatable, Sendable {
  /// Loudness in LUFS, its range in LU, not a number in the first three seconds, the true peak in dBTP.
  struct Loudness: Equatable, Sendable {
    var momentary: Double
    var momentaryMaximum: Double
    var shortTerm: Double
    var shortTermMaximum: Double
    var integrated: Double
    var range: Double
    var truePeak: Double
  }

  /// The equivalent level of one band, in dB.
  struct Band: Equatable, Sendable {
    var center: Double
    var level: Double
  }

  /// The level that was exceeded for so many percent of the time; nil in the first 10 ms.
  struct Exceeded: Equatable, Sendable {
    var percent: Int
    var level: Double?
  }

  /// The seconds of sound in a value of short-term loudness (EBU Tech 3341, section 2.2).
  private static let shortTerm = 3.0

  /// The percentages that are shown.
  static let percentages = [5, 10, 50, 90, 95]

  var seconds = 0.0
  var frequencyWeighting = FrequencyWeighting.a
  var timeWeighting = TimeWeighting.fast
  var calibration = Calibration.uncalibrated
  /// Levels are in dB with the calibration; minus infinity is silence.
  var level = -Double.infinity
  var equivalent = -Double.infinity
  var maximum = -Double.infinity
  var minimum: Double?
  var peak = -Double.infinity
  var exposure = -Double.infinity
  var exceeded: [Exceeded] = []
  /// The place on the scale from 0 to 120.
  var place = 0.0
  var noiseClass = NoiseClass.silent
  var loudness: Loudness?
  var bands: [Band] = []
  /// The share of the readings so far in each class, from silent to loud; empty where it was not counted.
  var shares: [Double] = []
  /// Samples at or beyond full scale.
  var overloads = 0
  /// Frames that were lost on their way from a device, and how often the device ran over.
  var lostFrames: Int64 = 0
  var overruns = 0

  /// The usual name of the level: `LAF`.
  var levelName: String { "L\(frequencyWeighting.rawValue)\(timeWeighting.rawValue)" }
  /// The usual name of the equivalent level: `LAeq`.
  var equivalentName: String { "L\(frequencyWeighting.rawValue)eq" }
  /// The usual name of the exposure level: `LAE`.
  var exposureName: String { "L\(frequencyWeighting.rawValue)E" }
  /// The unit of the levels: `dB`, or `dBFS` without a calibration.
  var unit: String { calibration.unit }

  /// Whether the word of the scale from 0 to 120 may stand beside a level: not beside a sound pressure level, for which it would
  /// be taken.
  var hasWordOfLevel: Bool { !calibration.isCalibrated }
  /// The colour of a level.
  var ink: Painter.Ink { hasWordOfLevel ? noiseClass.ink : .bold }

  /// The calibration in words, and what its absence means.
  var calibrationText: String {
    "\(calibration): levels in "
      + (calibration.isCalibrated ? "dB re 20 \u{B5}Pa" : "dBFS, relative to full scale")
  }
}

extension MeterState {
  /// What a meter shows now.
  init(_ reading: NoiseReading, of meter: NoiseMeter, tally: SoundTally) async throws {
    self.init()
    seconds = reading.seconds
    frequencyWeighting = reading.frequencyWeighting
    timeWeighting = reading.timeWeighting
    calibration = reading.calibration
    level = reading.level
    equivalent = reading.equivalent
    maximum = reading.maximum
    minimum = reading.minimum
    peak = reading.peak
    exposure = reading.exposure
    for percent in Self.percentages {
      exceeded.append(Exceeded(percent: percent, level: try await meter.level(exceededFor: Double(percent))))
    }
    place = reading.place
    noiseClass = reading.noiseClass
    loudness = reading.loudness.map {
      Loudness(
        momentary: $0.momentary, momentaryMaximum: $0.momentaryMaximum, shortTerm: $0.shortTerm,
        shortTermMaximum: $0.shortTermMaximum, integrated: $0.integrated,
        // It is made of short-term loudness, of which there is none yet (EBU Tech 3342, section 2).
        range: reading.seconds < Self.shortTerm ? .nan : $0.range, truePeak: $0.truePeak)
    }
    bands = try await meter.bands().map { Band(center: $0.center, level: $0.level) }
    overloads = reading.overloads
    lostFrames = tally.lostFrames
    overruns = tally.overruns
  }
}

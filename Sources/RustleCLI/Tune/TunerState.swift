import RustleAudio

/// What the tuner shows at one moment.
struct TunerState: Equatable, Sendable {
  /// Note and cents; nil when there is no tone.
  var reading: TuningReading?
  /// Whether the tone is over and the reading the last one.
  var isHeld = false
  /// Of the newest frame, 0 to 1.
  var confidence = 0.0
  /// Of the newest frame, in dB relative to full scale; negative infinity in silence.
  var level = -Double.infinity
}

extension TunerState {
  init(_ update: TunerUpdate) {
    self.init(
      reading: update.needle?.reading, isHeld: update.needle?.isHeld ?? false, confidence: update.frame.confidence,
      level: update.frame.level)
  }
}

/// How the tuner shows it.
struct TunerViewOptions: Equatable, Sendable {
  var tuning = Tuning.standard
  var instrument = Instrument.chromatic
  /// How many cents on either side are in tune.
  var tolerance = TuningReading.usualTolerance
  /// The cents at either end of the needle's scale.
  var span = 50.0
  /// Digits of the cents behind the point, 0 to 3.
  var digits = 1
}

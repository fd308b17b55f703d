internal import Rustle
internal import StudioCore

/// The values of analyzers as clients receive them.
extension Sound {
  /// The level, Leq, minimum, maximum, momentary loudness and peak, the display value, each 8 bytes; the zone; whether it is calibrated.
  nonisolated static func payload(_ reading: SoundLevelReading) -> [UInt8] {
    var payload: [UInt8] = []
    let minimum = reading.minimum ?? .nan
    let loudness = reading.loudness?.momentary ?? -.infinity
    for value in [
      reading.level, reading.equivalentContinuousLevel, minimum, reading.maximum, loudness, reading.peak,
      reading.displayValue,
    ] { payload.append(number: value) }
    payload.append(integer: UInt8(reading.levelZone.rawValue))
    payload.append(integer: UInt8(reading.calibration.isCalibrated ? 1 : 0))
    return payload
  }

  /// The pitch and the formants F1 to F3 in Hz (0: none), the harmonics-to-noise ratio in dB, the level in dBFS, and the confidence.
  nonisolated static func payload(_ frame: VoiceFrame) -> [UInt8] {
    let pitch = frame.isVoiced ? frame.pitch : nil
    var payload: [UInt8] = []
    for value in [
      pitch ?? 0, frame.formants.f1 ?? 0, frame.formants.f2 ?? 0, frame.formants.f3 ?? 0,
      frame.harmonicsToNoise ?? .nan,
      frame.level, frame.confidence,
    ] { payload.append(number: value) }
    return payload
  }

  /// Frequency (0: none), confidence, cents, level, target; then the note's number, whether it is held, whether it is in tune, and the
  /// string (255: none).
  nonisolated static func payload(_ update: TunerUpdate) -> [UInt8] {
    let reading = update.needle?.reading
    var payload: [UInt8] = []
    for value in [
      reading?.frequency ?? 0, update.frame.confidence, reading?.cents ?? 0, update.frame.level, reading?.target ?? 0,
    ] { payload.append(number: value) }
    payload.append(integer: Int16(clamping: reading?.note.midi ?? -1))
    payload.append(integer: UInt8(update.needle?.isHeld == true ? 1 : 0))
    payload.append(integer: UInt8(reading?.direction() == .inTune ? 1 : 0))
    payload.append(integer: UInt8(clamping: reading?.stringIndex ?? 255))
    payload += Array((reading?.noteText ?? "").utf8)
    return payload
  }
}

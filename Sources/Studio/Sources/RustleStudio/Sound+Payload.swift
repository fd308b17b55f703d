internal import Foundation
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

  /// Frequency (0: none), confidence, cents, level, target; then the note's number, whether it is held, whether it is in tune, the
  /// string (255: none), and whether several notes sound at once.
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
    payload.append(integer: UInt8(update.isPolyphonic ? 1 : 0))
    payload += Array((reading?.noteText ?? "").utf8)
    return payload
  }

  /// The characters of a device's name that count: those that a setting of an account may have.
  private nonisolated static let maximumNameLength = 64

  /// The name as a setting has it.
  nonisolated static func short(_ name: String) -> String {
    let scalars = name.precomposedStringWithCanonicalMapping.unicodeScalars
    return String(String.UnicodeScalarView(scalars.prefix(maximumNameLength)))
  }
}

/// The peaks before and after the equalizer: those of short blocks in one value.
struct LevelValues {
  private var held = PeakHold()

  /// Adds a buffer.
  ///
  /// - Parameters:
  ///   - before: what the equalizer was given.
  ///   - after: what it has made of it, of the same length.
  ///   - least: the frames after which there is a value.
  /// - Returns: the highest peak of each channel since the last value, before and then after, each in dBFS, 4 bytes;
  ///   nil: there are too few frames.
  mutating func add(_ before: PCMBuffer, _ after: PCMBuffer, least: Int) -> [UInt8]? {
    let peaks = [before, after].flatMap { buffer in
      SignalLevel.levels(of: buffer.samples, channels: buffer.format.channels).map { Float($0.peak) }
    }
    let highest = held.add(peaks, frames: before.samples.count / before.format.channels, least: least)
    return highest.map { highest in
      var payload: [UInt8] = []
      for peak in highest { payload.append(number: peak) }
      return payload
    }
  }
}

internal import Foundation

/// The relation of a level relative to full scale to the sound pressure at a microphone. Each reading reports its calibration.
public struct Calibration: Sendable, Hashable {
  /// The calibration offset in dB, -300 to 300: reading in dB re 20 µPa = level in dBFS + offset. Above 0 for most microphones: a
  /// sound of 94 dB at a level of -24.4 dBFS has the offset 118.4. Nil: not known, and levels stay relative to full scale.
  public var offset: Double?
  /// The microphone's deviation at each frequency, corrected before levels and bands are measured.
  public var response: MicrophoneResponse?

  /// Creates a calibration of an offset and a response, each of them optional.
  public init(offset: Double? = nil, response: MicrophoneResponse? = nil) {
    self.offset = offset
    self.response = response
  }

  /// No calibration: levels are in dB relative to full scale.
  public static let uncalibrated = Self()

  /// Returns the calibration with which a meter that shows `reading` would have shown `reference`: measured with a calibrator (94
  /// or 114 dB at 1 kHz), or beside a calibrated meter, from the time-averaged levels of the same time.
  ///
  /// - Parameters:
  ///   - reading: the shown level, with this calibration, in dB.
  ///   - reference: the true level, in dB re 20 µPa.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for levels that are not finite.
  public func matching(reading: Double, to reference: Double) throws(AudioError) -> Self {
    guard reading.isFinite && reference.isFinite else {
      throw .validation("reading", expected: "levels of a sound", got: "\(reading) and \(reference) dB")
    }
    return Self(offset: (offset ?? 0) + reference - reading, response: response)
  }

  /// Whether levels are sound pressure levels.
  public var isCalibrated: Bool { offset != nil }
  /// The unit of a level: `dB`, re 20 µPa, or `dBFS`.
  public var unit: String { isCalibrated ? "dB" : "dBFS" }
}

extension Calibration: CustomStringConvertible {
  /// A description, for example `calibrated, +94.0 dB, response of 31 points` or `not calibrated`.
  public var description: String {
    let parts = [
      offset.map { "calibrated, \($0 < 0 ? "" : "+")\(($0 * 10).rounded() / 10) dB" } ?? "not calibrated",
      response.map { "response of \($0.points.count) points" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

/// A calibration by a sound of known level, such as that of a calibrator (94 or 114 dB at 1 kHz).
///
/// ```swift
/// var measurement = CalibrationMeasurement(reference: 94)
/// for try await reading in try await meter.readings(of: capture) {
///   measurement.add(reading)
///   if reading.seconds >= 5 { break }
/// }
/// let calibration = try measurement.calibration()
/// ```
public struct CalibrationMeasurement: Sendable {
  /// The greatest accepted drift of the sound's level, in dB. A calibrator holds its level to tenths of a decibel; speech, music
  /// and a loose coupling do not.
  public static let maximumDrift = 0.5
  /// The least duration of a piece of sound whose level is compared, in seconds.
  private static let piece = 0.5

  /// The level of the sound, in dB re 20 µPa.
  public let reference: Double
  /// The last reading; nil before the first.
  public private(set) var reading: SoundLevelReading?
  private var last: (seconds: Double, energy: Double) = (0, 0)
  private var powers: ClosedRange<Double>?

  /// - Parameter reference: the level of the sound, in dB re 20 µPa.
  public init(reference: Double) { self.reference = reference }

  /// Adds a reading of one measurement, in order. The calibration is computed from the last one.
  public mutating func add(_ reading: SoundLevelReading) {
    self.reading = reading
    // A reading may end one sample before half a second.
    guard reading.seconds - last.seconds >= Self.piece - 1e-3 else { return }
    let energy = reading.seconds * pow(10, (reading.equivalentContinuousLevel - offset) / 10)
    let power = max(0, energy - last.energy) / (reading.seconds - last.seconds)
    powers = powers.map { min($0.lowerBound, power)...max($0.upperBound, power) } ?? power...power
    last = (reading.seconds, energy)
  }

  private var offset: Double { reading?.calibration.offset ?? 0 }

  /// The decibels from the softest to the loudest time-averaged level of pieces of half a second or more; infinite if a piece was
  /// silent, nil without sound.
  public var drift: Double? {
    guard let powers, powers.upperBound > 0 else { return nil }
    return 10 * log10(powers.upperBound / powers.lowerBound)
  }

  /// Returns the calibration with which the last reading's time-averaged level is the reference.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for silence, for samples at or beyond full scale, and for a drift
  ///   above ``maximumDrift``.
  public func calibration() throws(AudioError) -> Calibration {
    guard let reading, reading.equivalentContinuousLevel.isFinite else {
      throw refusal("of \(reference.plain) dB", "silence", "Check the calibrator and the choice of the device.")
    }
    guard reading.overloads == 0 else {
      throw refusal(
        "below full scale", "\(reading.overloads) samples at or beyond it",
        "Reduce the gain of the input, and calibrate again.")
    }
    let drift = drift ?? 0
    guard drift <= Self.maximumDrift else {
      throw refusal(
        "whose level drifts by at most \(Self.maximumDrift) dB",
        drift.isFinite ? "a drift of \(String(format: "%.1f", drift)) dB" : "silence in it",
        "Hold the calibrator still on the microphone, and calibrate again.")
    }
    return try reading.calibration.matching(reading: reading.equivalentContinuousLevel, to: reference)
  }

  private func refusal(_ expected: String, _ got: String, _ advice: String) -> AudioError {
    AudioError(.validation, "expected a sound \(expected), got \(got)", advice: advice)
  }
}

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

import Foundation
import RustleAudio
import RustlePlot

/// Writes the result of a calibration: the offset at which the meter shows the reference level.
actor CalibrationWriter: MeterSink {
  private let reference: Double
  private let lines: MeterLines
  private let output: LineWriter
  private var drift = LevelDrift()

  init(reference: Double, lines: MeterLines, output: LineWriter) {
    self.reference = reference
    self.lines = lines
    self.output = output
  }

  func show(_ state: MeterState) { drift.add(seconds: state.seconds, equivalent: state.equivalentContinuousLevel) }

  func finish(_ state: MeterState) throws {
    let calibration = try MeterCalibration(state, drift: drift.decibels ?? 0, reference: reference)
    try output.write(calibration.text(lines.format, profile: lines.profile))
  }
}

/// The calibration of a microphone by a sound of known level.
struct MeterCalibration {
  /// In dB. A calibrator holds its level to tenths of a decibel; speech, music and a loose coupling do not.
  private static let maximumDrift = 0.5

  let state: MeterState
  /// The level of the sound, in dB.
  let reference: Double
  /// The calibration offset, in dB.
  let offset: Double

  /// - Parameter drift: the range of the sound's level, in dB.
  /// - Throws: `CommandFailure` for silence, for an overload, and for a drift above ``maximumDrift``.
  init(_ state: MeterState, drift: Double = 0, reference: Double) throws {
    func refusal(_ expected: String, _ got: String, advice: String) -> CommandFailure {
      CommandFailure(.badData, "--calibrate: expected a sound \(expected), got \(got)", advice: advice)
    }
    guard state.equivalentContinuousLevel.isFinite else {
      throw refusal(
        "of \(Numbers.plain(reference)) dB", "silence",
        advice: "check the calibrator and the choice of the device")
    }
    guard state.overloads == 0 else {
      throw refusal(
        "below full scale", "\(state.overloads) samples at or beyond it",
        advice: "reduce the gain of the input, and calibrate again")
    }
    guard drift <= Self.maximumDrift else {
      let got = drift.isFinite ? "a drift of \(String(format: "%.1f", drift)) dB" : "silence in it"
      throw refusal(
        "whose level drifts by at most \(Self.maximumDrift) dB", got,
        advice: "hold the calibrator still on the microphone, and calibrate again")
    }
    self.state = state
    self.reference = reference
    offset = try state.calibration.matching(reading: state.equivalentContinuousLevel, to: reference).offset ?? 0
  }

  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    let columns: [Column<Self>] = [
      Column("t_s", \.state.seconds), Column("weighting", \.state.frequencyWeighting.rawValue),
      Column("equivalent_dbfs", \.state.equivalentContinuousLevel), Column("reference_db", \.reference),
      Column("offset_db", \.offset),
    ]
    let table = Table(columns, kind: "calibration", format: format, profile: profile, heading: "") {
      let measured = Numbers.text($0.state.equivalentContinuousLevel, "%.2f", profile.glyphs)
      let seconds = String(format: "%.1f", $0.state.seconds)
      // A hundredth of a decibel is finer than any calibrator.
      return "\($0.state.equivalentName) over \(seconds) s: \(measured) dBFS, to be \(Numbers.plain($0.reference)) dB\n"
        + String(format: "--calibration %.2f\n", $0.offset)
    }
    return table.header + table.line(self)
  }
}

/// The drift of a sound's level during a measurement, from the time-averaged levels of pieces of half a second or more,
/// without time weighting.
struct LevelDrift: Sendable {
  /// The least duration of a piece, in seconds.
  static let piece = 0.5

  private var last: (seconds: Double, energy: Double) = (0, 0)
  private var powers: ClosedRange<Double>?

  /// - Parameters:
  ///   - seconds: since the beginning; never falls.
  ///   - equivalent: the time-averaged level since the beginning, in dB.
  mutating func add(seconds: Double, equivalent: Double) {
    // A reading may end one sample before half a second.
    guard seconds - last.seconds >= Self.piece - 1e-3 else { return }
    let energy = seconds * pow(10, equivalent / 10)
    let power = max(0, energy - last.energy) / (seconds - last.seconds)
    powers = powers.map { min($0.lowerBound, power)...max($0.upperBound, power) } ?? power...power
    last = (seconds, energy)
  }

  /// The decibels from the softest piece to the loudest; infinite if a piece was silent, nil without sound.
  var decibels: Double? {
    guard let powers, powers.upperBound > 0 else { return nil }
    return 10 * log10(powers.upperBound / powers.lowerBound)
  }
}

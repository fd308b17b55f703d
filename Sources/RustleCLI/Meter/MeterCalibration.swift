import Foundation
import RustleAudio

/// Writes what a calibration found: the offset at which the meter would have shown the reference.
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

/// What a sound of a known level says about a microphone.
struct MeterCalibration {
  /// A calibrator holds its level to tenths of a decibel; speech, music and a loose coupling do not.
  private static let maximumDrift = 0.5

  let state: MeterState
  /// The level that the sound has, in dB.
  let reference: Double
  /// What has to be added to levels, in dB.
  let offset: Double

  /// - Parameter drift: by how many dB the sound moved.
  /// - Throws: a `CommandFailure` for silence, from which nothing can be learnt, and for sound that was too loud or did not hold
  ///   its level.
  init(_ state: MeterState, drift: Double = 0, reference: Double) throws {
    func refusal(_ expected: String, _ got: String, advice: String) -> CommandFailure {
      CommandFailure(.badData, "--calibrate: expected a sound \(expected), got \(got)", advice: advice)
    }
    guard state.equivalentContinuousLevel.isFinite else {
      throw refusal(
        "of \(Numbers.plain(reference)) dB", "silence",
        advice: "check that the calibrator is on and that the right device is chosen")
    }
    guard state.overloads == 0 else {
      throw refusal(
        "below full scale", "\(state.overloads) samples at or beyond it",
        advice: "turn the gain of the input down, and calibrate again")
    }
    guard drift <= Self.maximumDrift else {
      let got = drift.isFinite ? "one that moved by \(String(format: "%.1f", drift)) dB" : "one with silence in it"
      throw refusal(
        "that moves by at most \(Self.maximumDrift) dB", got,
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

/// By how much a sound moves while it is measured, from its equivalent levels: those of pieces of half a second or more, which
/// no time weighting has smoothed.
struct LevelDrift: Sendable {
  /// The sound of a piece, in seconds.
  static let piece = 0.5

  private var last: (seconds: Double, energy: Double) = (0, 0)
  private var powers: ClosedRange<Double>?

  /// - Parameters:
  ///   - seconds: since the beginning; never falls.
  ///   - equivalent: the level since the beginning, in dB.
  mutating func add(seconds: Double, equivalent: Double) {
    // A reading may end a sample before half a second is over.
    guard seconds - last.seconds >= Self.piece - 1e-3 else { return }
    let energy = seconds * pow(10, equivalent / 10)
    let power = max(0, energy - last.energy) / (seconds - last.seconds)
    powers = powers.map { min($0.lowerBound, power)...max($0.upperBound, power) } ?? power...power
    last = (seconds, energy)
  }

  /// The decibels from the softest piece to the loudest; infinite where one was silent, nil for less than two pieces of sound
  /// or none.
  var decibels: Double? {
    guard let powers, powers.upperBound > 0 else { return nil }
    return 10 * log10(powers.upperBound / powers.lowerBound)
  }
}

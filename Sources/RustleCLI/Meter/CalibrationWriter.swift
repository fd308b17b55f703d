import Foundation
import RustleAudio

/// Writes what a calibration found: the offset at which the meter would have shown the reference.
actor CalibrationWriter: MeterSink {
  private let reference: Double
  private let lines: MeterLines
  private let output: LineWriter
  private var drift = LevelDrift()

  /// A calibrator holds its level to tenths of a decibel; speech, music and a loose coupling do not.
  static let mostDrift = 0.5

  init(reference: Double, lines: MeterLines, output: LineWriter) {
    self.reference = reference
    self.lines = lines
    self.output = output
  }

  func show(_ state: MeterState) { drift.add(seconds: state.seconds, equivalent: state.equivalent) }

  func finish(_ state: MeterState) throws {
    try output.write(Self.text(state, drift: drift.decibels ?? 0, reference: reference, lines: lines))
  }

  /// - Parameter drift: by how many dB the sound moved.
  /// - Throws: a `CommandFailure` for silence, from which nothing can be learnt, and for sound that was too loud or did not hold
  ///   its level.
  static func text(_ state: MeterState, drift: Double = 0, reference: Double, lines: MeterLines) throws -> String {
    guard state.equivalent.isFinite else {
      throw CommandFailure(
        .badData, "--calibrate: expected a sound of \(plain(reference)) dB, got silence",
        advice: "check that the calibrator is on and that the right device is chosen")
    }
    guard state.overloads == 0 else {
      throw CommandFailure(
        .badData, "--calibrate: expected a sound below full scale, got \(state.overloads) samples at or beyond it",
        advice: "turn the gain of the input down, and calibrate again")
    }
    guard drift <= mostDrift else {
      let got = drift.isFinite ? "one that moved by \(String(format: "%.1f", drift)) dB" : "one with silence in it"
      throw CommandFailure(
        .badData, "--calibrate: expected a sound that moves by at most \(plain(mostDrift)) dB, got \(got)",
        advice: "hold the calibrator still on the microphone, and calibrate again")
    }
    let offset = try state.calibration.matching(reading: state.equivalent, to: reference).offset ?? 0
    // A hundredth of a decibel is finer than any calibrator.
    let rounded = String(format: "%.2f", offset)
    switch lines.format {
    case .ndjson:
      var line = JSONLine()
      line.add("kind", .string("calibration"))
      line.add("t_s", .number(state.seconds))
      line.add("weighting", .string(state.frequencyWeighting.rawValue))
      line.add("equivalent_dbfs", .number(state.equivalent))
      line.add("reference_db", .number(reference))
      line.add("offset_db", .number(offset))
      return line.text
    case .csv:
      return CSVLine.text(["t_s", "weighting", "equivalent_dbfs", "reference_db", "offset_db"])
        + CSVLine.text([
          String(state.seconds), state.frequencyWeighting.rawValue, String(state.equivalent), String(reference),
          String(offset),
        ])
    case .auto, .text:
      let glyphs = Glyphs(for: lines.profile)
      let measured = String(format: "%.2f", state.equivalent).replacing("-", with: String(glyphs.minus))
      let seconds = String(format: "%.1f", state.seconds)
      return "\(state.equivalentName) over \(seconds) s: \(measured) dBFS, to be \(plain(reference)) dB\n"
        + "--calibration \(rounded)\n"
    }
  }

  private static func plain(_ level: Double) -> String { String(format: "%.6g", level) }
}

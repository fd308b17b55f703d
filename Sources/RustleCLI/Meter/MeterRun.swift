import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// One measurement: readings go to the live view, or as lines to standard output; the picture and the summary follow.
actor MeterRun {
  private let input: SoundInput
  private let meter: SoundLevelMeter
  private let lines: MeterLines
  /// Whether readings are written, and not only the summary.
  private let showsReadings: Bool
  private let png: String?
  /// The calibration in place of readings and summary.
  private var calibration: CalibrationMeasurement?
  private var progress: ProgressLine
  private var history = LevelHistory()
  private var hasHeader = false
  private var isOver = false

  init(
    _ input: SoundInput, with meter: SoundLevelMeter, lines: MeterLines, showsReadings: Bool, png: String?,
    calibration: CalibrationMeasurement?, progress: sending ProgressLine
  ) {
    self.input = input
    self.meter = meter
    self.lines = lines
    self.showsReadings = showsReadings
    self.png = png
    self.calibration = calibration
    self.progress = progress
  }

  /// Measures until the end of the sound or of the run.
  ///
  /// - Parameter interval: the sound between two readings.
  nonisolated func measure(every interval: Duration, view: LiveMeter?) async throws -> RunEnding {
    try await input.run(view: view) { [self] in
      for try await reading in try await meter.readings(of: input, every: interval) { try await show(reading, view) }
    } finish: { [self] ending in
      try await finish(ending, view)
    }
  }

  private func show(_ reading: SoundLevelReading, _ view: LiveMeter?) async throws {
    guard !isOver else { return }
    history.add(reading)
    calibration?.add(reading)
    progress.update(input.tally.frames)
    if let view { return await view.show(reading) }
    if showsReadings { try write(lines.readings.line(reading)) }
  }

  /// Draws the picture and writes the summary, after which nothing more is written.
  private func finish(_ ending: RunEnding, _ view: LiveMeter?) async throws {
    guard !isOver else { return }
    isOver = true
    progress.end()
    let reading = try await meter.reading
    // A measurement that began anew has no reading yet.
    if reading.seconds < history.points.last?.seconds ?? 0 { history = LevelHistory() }
    // The picture first: a closed pipe must not prevent it.
    if let png {
      let (points, subject) = (history.points, lines.subject)
      let seconds = points.map(\.seconds)
      try LevelPicture.write(
        [
          (reading.levelName, seconds, points.map(\.level)),
          (reading.equivalentName, seconds, points.map(\.equivalentContinuousLevel)),
        ], title: subject.title, subtitle: "\(subject.line); \(reading.weightingText); \(reading.calibration)",
        unit: reading.calibration.unit, to: png)
    }
    if ending == .readerGone { return }
    if let view { return try await view.finish(reading, history) }
    if var calibration {
      calibration.add(reading)
      return try LineWriter.standardOutput.write(
        calibration.text(lines.readings.format, profile: lines.readings.profile))
    }
    let isText = lines.readings.format.isForPeople
    let summary = lines.summary(reading, history)
    if isText && !showsReadings { return try LineWriter.standardOutput.write(summary) }
    try write((isText ? "\n" : "") + summary)
  }

  /// Writes text, after the header.
  private func write(_ text: String) throws {
    try LineWriter.standardOutput.write((hasHeader ? "" : lines.readings.header) + text)
    hasHeader = true
  }
}

extension CalibrationMeasurement {
  /// The offset with which the meter shows the reference level.
  ///
  /// - Throws: `CommandFailure` for a sound that calibrates nothing.
  func text(_ format: OutputFormat, profile: TerminalProfile) throws -> String {
    let calibration = try CommandFailure.naming("--calibrate") { () -> Calibration in try self.calibration() }
    guard let reading, let offset = calibration.offset else { return "" }
    let reference = reference
    let columns: [Column<SoundLevelReading>] = [
      Column("t_s", \.seconds), Column("weighting", \.frequencyWeighting.rawValue),
      Column("equivalent_dbfs", \.equivalentContinuousLevel), Column("reference_db") { _ in reference },
      Column("offset_db") { _ in offset },
    ]
    let table = Table(columns, kind: "calibration", format: format, profile: profile, heading: "") {
      let measured = Numbers.text($0.equivalentContinuousLevel, "%.2f", profile.glyphs)
      let seconds = String(format: "%.1f", $0.seconds)
      // A hundredth of a decibel is finer than any calibrator.
      return "\($0.equivalentName) over \(seconds) s: \(measured) dBFS, to be \(Numbers.plain(reference)) dB\n"
        + String(format: "--calibration %.2f\n", offset)
    }
    return table.header + table.line(reading)
  }
}

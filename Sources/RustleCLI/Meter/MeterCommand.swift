internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct MeterCommand: AsyncParsableCommand, FileAnalysis {
  static let configuration = CommandConfiguration(
    commandName: "meter",
    abstract: "Measure sound levels and loudness.",
    usage: """
      rustle meter [<input> ...] [--device <name>] [--weighting <weighting>]
                   [--calibration <db>] [--png <path>] [--json]
      """,
    discussion: """
      A device is measured in real time: in a live view on a terminal (q quits, space pauses the view, r begins a new \
      measurement, ? shows help), with one line for each interval elsewhere. A file is measured as fast as it can be read. \
      A summary follows, with the levels exceeded for 5, 10, 50, 90 and 95 percent of the time.

      Several files have a result each, and one of all: their levels and their loudness together, with the gates over all. \
      A file that cannot be measured is reported on standard error; the exit status is that of the first such file.

      Levels are in dB relative to full scale (dBFS) without a calibration; --calibrate measures the offset for \
      --calibration, with a sound whose level drifts by at most 0.5 dB. The display scale from 0 to 120 has five zones: \
      silent below 50, quiet below 75, average below 90, noisy below 100, loud up to 120. It shows the power relative to \
      full scale, not a sound pressure level; next to calibrated levels a zone is shown with its scale only.

      EXAMPLES:
        rustle meter --demo
        rustle meter take1.flac --bands third --png take1.png
        rustle meter --device default --calibrate 94 --duration 10
        rustle meter --device default --calibration 118.4 --response mic.cal
        arecord -f cd -t raw | rustle meter - --raw s16le --rate 44100 --channels 2
        rustle meter album/*.flac --format csv > album.csv
        rustle meter take1.flac --json | tail -n 1 | python3 -m json.tool

      NDJSON FIELDS:
      \(SoundLevelReading().columns(hasLoudness: true).fieldList(
        kind: "reading for each interval, summary for the last line"))

      The summary adds zone_shares (the share of the readings in each zone), input, sample_rate_hz, channels, channel, \
      calibration_offset_db and response_points. Of several files there is a summary for each, and a line of the kind all \
      with files and failed, their numbers; CSV has a column kind.
      """)

  @OptionGroup var sound: SoundInputOptions

  @Argument(help: "More files, measured one after the other.", completion: .file())
  var more: [String] = []

  @OptionGroup var meter: MeterOptions

  @Option(
    "Milliseconds of sound between two readings, 1 to 3600000. (default: 125; text: 1000, of a file only the summary)",
    value: "ms", parse: Parse.integer("milliseconds", in: 1...3_600_000))
  var interval: Int?

  @OptionGroup var duration: DurationOption

  @OptionGroup var picture: PictureOption

  @Option(
    "Measure a sound of this many dB re 20 \u{B5}Pa, for 5 s or --duration, and write its --calibration.", value: "db",
    parse: Parse.number("decibels", in: 0...200))
  var calibrate: Double?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    let others = [
      ("--calibration", meter.calibration != nil), ("--png", picture.png != nil), ("--interval", interval != nil),
    ]
    if calibrate != nil, let other = others.first(where: \.1) {
      throw ValidationError("--calibrate cannot be used with \(other.0)")
    }
    guard !more.isEmpty else { return }
    try Parse.reject(
      (calibrate != nil, "--calibrate cannot be used with several files"),
      (picture.png != nil, "--png cannot be used with several files"),
      (interval != nil, "--interval cannot be used with several files"),
      (
        ([sound.input ?? ""] + more).contains { $0 == "" || $0 == AudioFileReader.standardInputPath },
        "<input>: several files cannot include - (standard input) or an empty name"
      ))
  }

  func run() async throws {
    log.bootstrap()
    try picture.check(isNot: sound.input ?? AudioFileReader.standardInputPath)
    // An unreadable file is reported before a device starts.
    if let response = meter.response { _ = try MeterOptions.response(response) }
    if let first = sound.input, !more.isEmpty { return try await measureFiles([first] + more) }
    try await sound.measured(
      for: "rustle meter -", seconds: duration.seconds ?? (calibrate == nil ? nil : 5), png: picture.png, log: log,
      by: measure)
  }

  private func measureFiles(_ files: [String]) async throws {
    let status = try await FileMeter(files, output: output, log: log) { path in
      let input = try await open(path)
      return (input, try meter.meter(for: input))
    }.run()
    if status != .ok { throw ExitCode(status.rawValue) }
  }

  private func open(_ path: String) async throws -> OpenedInput {
    try await sound.open(file: path, for: "rustle meter -", seconds: duration.seconds)
  }

  var optionFiles: [String] { meter.response.map { [$0] } ?? [] }

  func opened() async throws -> OpenedInput { try await open(sound.input ?? AudioFileReader.standardInputPath) }

  /// Writes the summary: that of each of several files.
  func writeRecords(of sound: OpenedInput, to write: (String) throws -> Void) async throws {
    let result = try await FileResult(of: sound, by: meter.meter(for: sound), log: log)
    let table = result.table(format: output.effectiveFormat, profile: output.profile, bandsOf: result.reading)
    try write(table.line(result.reading))
  }

  /// Writes readings or shows them; draws the picture and writes the summary at the end.
  private func measure(_ input: OpenedInput) async throws -> RunEnding {
    let soundMeter = try meter.meter(for: input)
    let (subject, reading) = (input.subject(channel: meter.channel), try await soundMeter.reading)
    let isText = output.effectiveFormat.isForPeople
    let screen = sound.isFile || calibrate != nil ? nil : output.screen
    let showsReadings = calibrate == nil && (!isText || !sound.isFile || interval != nil)
    let usual = isText && !sound.isFile && screen == nil && calibrate == nil ? 1_000 : 125
    let tables = MeterLines(like: reading, of: subject, format: output.effectiveFormat, profile: output.profile)
    let view = screen.map { LiveMeter(soundMeter, of: subject, reading: reading, screen: $0) }
    let lines = MeasurementLines(
      header: tables.readings.header,
      progress: log.progress(total: input.expectedFrames, writesAtOnce: showsReadings))
    let history = Shared(LevelHistory())
    let calibration = Shared(calibrate.map { CalibrationMeasurement(reference: $0) })
    return try await input.run(view: view) {
      for try await reading in try await soundMeter.readings(of: input, every: .milliseconds(interval ?? usual)) {
        history.update { $0.add(reading) }
        calibration.update { $0?.add(reading) }
        await view?.show(reading)
        let isWritten = view == nil && showsReadings
        try await lines.write(isWritten ? tables.readings.line(reading) : "", frames: input.counts.frames)
      }
    } finish: { ending in
      guard await lines.end() else { return }
      let (reading, measured) = (try await soundMeter.reading, history.value)
      // A measurement that began anew has no reading yet.
      let history = reading.seconds < measured.points.last?.seconds ?? 0 ? LevelHistory() : measured
      // The picture first: a closed pipe must not prevent it.
      if let png = picture.png { try reading.drawLevels(history, of: subject, to: png) }
      if ending == .readerGone { return }
      if let view { return try await view.finish(reading, history) }
      if var calibration = calibration.value {
        calibration.add(reading)
        return try LineWriter.standardOutput.write(
          calibration.text(output.effectiveFormat, profile: output.profile))
      }
      let summary = tables.summary(reading, history)
      if isText && !showsReadings { return try LineWriter.standardOutput.write(summary) }
      try await lines.write((isText ? "\n" : "") + summary)
    }
  }
}

extension SoundLevelReading {
  /// Draws the levels up to this reading into a PNG file.
  fileprivate func drawLevels(_ history: LevelHistory, of subject: SoundSubject, to png: String) throws {
    let seconds = history.points.map(\.seconds)
    try LevelPicture.write(
      [
        (levelName, seconds, history.points.map(\.level)),
        (equivalentContinuousLevelName, seconds, history.points.map(\.equivalentContinuousLevel)),
      ], title: subject.title, subtitle: "\(subject.line); \(weightingText); \(calibration)", unit: calibration.unit,
      to: png)
  }
}

extension CalibrationMeasurement {
  /// The offset with which the meter shows the reference level.
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
      return
        "\($0.equivalentContinuousLevelName) over \(seconds) s: \(measured) dBFS, to be \(Numbers.plain(reference)) dB\n"
        + String(format: "--calibration %.2f\n", offset)
    }
    return table.header + table.line(reading)
  }
}

enum BandChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case octave, third
}

struct MeterOptions: ParsableArguments {
  @Option(help: "Frequency weighting of the levels: A, C, or Z for none.")
  var weighting = FrequencyWeighting.a

  @Option(help: "Time weighting of the levels: F (125 ms) or S (1 s).")
  var time = TimeWeighting.fast

  @Option(
    "Measure this channel, counted from 1, instead of the mean power of all. Loudness always measures all.",
    value: "number", parse: Parse.integer("a channel number", in: 1...1_024))
  var channel: Int?

  @Option(
    "Calibration offset from dBFS to dB re 20 \u{B5}Pa, -300 to 300. Without it, levels are in dBFS.", value: "db",
    parse: Parse.number("decibels", in: -300...300))
  var calibration: Double?

  @Option(
    parsing: .next,
    "Correct for the microphone's response in this calibration file: a frequency in Hz and a deviation in dB per line.",
    value: "file", completion: .file())
  var response: String?

  @Option(
    name: .customLong("range-step"),
    help: ArgumentHelp(
      "Seconds between the short-term values of the loudness range, 0.1 or 1; EBU Tech 3342 allows both, and libebur128 uses 1.",
      valueName: "seconds"))
  var rangeStep = LoudnessRangeStep.tenthOfSecond

  @Option(help: "Measure bands too: octave, or third for one-third octaves.")
  var bands: BandChoice?

  @Flag(name: .customLong("no-loudness"), help: "Measure neither loudness (LUFS) nor the true peak.")
  var isWithoutLoudness = false

  /// The configuration for a format, without the response.
  func configuration(for format: AudioFormat) throws -> SoundLevelMeterConfiguration {
    try CommandFailure.check(channel: channel, of: format)
    return SoundLevelMeterConfiguration(
      frequencyWeighting: weighting, timeWeighting: time, channel: ChannelSelection(number: channel),
      calibration: Calibration(offset: calibration), measuresLoudness: !isWithoutLoudness,
      loudnessRangeStep: rangeStep,
      bands: bands.map { $0 == .octave ? .octave : .thirdOctave })
  }

  func meter(for input: OpenedInput) throws -> SoundLevelMeter {
    var configuration = try configuration(for: input.format)
    let meter = try input.fitting { try SoundLevelMeter(format: input.format, configuration: configuration) }
    guard let response else { return meter }
    configuration.calibration.response = try Self.response(response)
    // Without the response there was a meter: the file is at fault.
    return try CommandFailure.naming(response) {
      try SoundLevelMeter(format: input.format, configuration: configuration)
    }
  }

  /// Reads a calibration file: text in UTF-8 or a single-byte encoding; its numbers are ASCII in both.
  static func response(_ path: String) throws -> MicrophoneResponse {
    let text = try TextFile.read(path, option: "--response")
    return try CommandFailure.naming(path) { try MicrophoneResponse(calibrationFile: text) }
  }
}

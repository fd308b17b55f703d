internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct MeterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meter",
    abstract: "Measure sound levels and loudness.",
    usage: """
      rustle meter [<input>] [--device <name>] [--weighting <weighting>]
                   [--calibration <db>] [--png <path>] [--json]
      """,
    discussion: """
      A device is measured in real time: in a live view on a terminal (q quits, space pauses the view, r begins a new \
      measurement, ? shows help), with one line for each interval elsewhere. A file is measured as fast as it can be read. \
      A summary follows, with the levels exceeded for 5, 10, 50, 90 and 95 percent of the time.

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
        rustle meter take1.flac --json | tail -n 1 | python3 -m json.tool

      NDJSON FIELDS:
        v                    1, the version of these fields
        kind                 reading for each interval, summary for the last line
        t_s                  seconds of sound since the beginning
        weighting, time_weighting, calibrated, unit
        level_db             the time-weighted level (LAF); null for silence
        equivalent_continuous_db, maximum_db, minimum_db, peak_c_db, sound_exposure_db
                             since the beginning: LAeq, LAFmax, LAFmin, LCpeak, LAE
        l5_db ... l95_db     exceeded for this percentage of the time
        place, class         on the scale from 0 to 120, and the zone's name
        momentary_lufs, short_term_lufs, integrated_lufs, range_lu, true_peak_dbtp
                             loudness (ITU-R BS.1770, EBU R 128)
        momentary_max_lufs, short_term_max_lufs
                             the highest since the beginning
        bands                [{"hz", "db"}]: time-averaged levels, unweighted
        overloads            samples at or beyond full scale
        dropped_frames, overruns
                             of a device; dropped frames are not measured

      The summary adds class_shares (shares of the readings), input, sample_rate_hz, channels, channel, \
      calibration_offset_db and response_points.
      """)

  @OptionGroup var sound: SoundInputOptions
  @OptionGroup var meter: MeterOptions

  @Option(
    help:
      "Milliseconds of sound between two readings, 1 to 3600000. (default: 125; text: 1000, of a file only the summary)",
    value: "ms",
    parse: Parse.integer("milliseconds", in: 1...3_600_000))
  var interval: Int?

  @OptionGroup var duration: DurationOption

  @Option(
    help: ArgumentHelp("Draw the level over time into this PNG file.", valueName: "path"), completion: .file())
  var png: String?

  @Option(
    help: "Measure a sound of this many dB re 20 \u{B5}Pa, for 5 s or --duration, and write its --calibration.",
    value: "db",
    parse: Parse.number("decibels", in: 0...200))
  var calibrate: Double?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    let others = [("--calibration", meter.calibration != nil), ("--png", png != nil), ("--interval", interval != nil)]
    if calibrate != nil, let other = others.first(where: \.1) {
      throw ValidationError("--calibrate cannot be used with \(other.0)")
    }
  }

  func run() async throws {
    log.bootstrap()
    if let png { try OutputPath.checkPicture(png, isNot: sound.input ?? AudioFileReader.standardInputPath) }
    // An unreadable file is reported before a device starts.
    if let response = meter.response { _ = try MeterOptions.response(response) }
    try await sound.measured(
      for: "rustle meter -", seconds: duration.seconds ?? (calibrate == nil ? nil : 5), png: png, log: log, by: measure)
  }

  private func measure(_ input: SoundInput) async throws -> RunEnding {
    let noiseMeter = try meter.meter(for: input)
    let (subject, reading) = (input.subject(channel: meter.channel), try await noiseMeter.reading)
    let isText = output.effectiveFormat.isForPeople
    let screen = sound.isFile || calibrate != nil ? nil : output.screen
    let showsReadings = calibrate == nil && (!isText || !sound.isFile || interval != nil)
    let usual = isText && !sound.isFile && screen == nil && calibrate == nil ? 1_000 : 125
    let run = MeterRun(
      input, with: noiseMeter,
      lines: MeterLines(like: reading, of: subject, format: output.effectiveFormat, profile: output.profile),
      showsReadings: showsReadings, png: png, calibration: calibrate.map { CalibrationMeasurement(reference: $0) },
      progress: log.progress(total: input.expectedFrames, writesAtOnce: showsReadings))
    return try await run.measure(
      every: .milliseconds(interval ?? usual),
      view: screen.map { LiveMeter(noiseMeter, of: subject, reading: reading, screen: $0) })
  }
}

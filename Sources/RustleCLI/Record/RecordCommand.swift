internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a sound device into a file.",
    usage: """
      rustle record <output> [--device <name>] [--rate <hz>]
              [--channels <count>] [--duration <seconds>] [--json]
      """,
    discussion: """
      Writes WAV or FLAC, by the file's extension. The file is valid at any time: a killed process loses less than the last \
      second. A lost device and a full disk end the recording; the file is kept.

      A terminal shows the level (space pauses, q stops, ? shows help); a pipe receives one line per second (NDJSON: ten). \
      Ctrl-C stops the recording with status 130. Silence replaces dropped frames.

      EXAMPLES:
        rustle record take1.flac
        rustle record take1.wav --device hw:1 --rate 96000 --channels 1 --encoding f32
        rustle record take1.flac --duration 60 --json
        rustle record demo.wav --demo --duration 3

      NDJSON FIELDS:
        v                1, the version of these fields
        kind             progress, or summary in the last line
        duration_s       the duration of the file
        frames           the frames in the file
        paused           whether captured sound is discarded
        peak_dbfs        the highest sample of the newest buffer, for each channel;
                         null for silence
        power_dbfs       its mean square, for each channel; null for silence
        dropped_frames   captured frames that were dropped
        overruns         overruns of the device
        clipped_samples  samples beyond the range of the encoding
      """)

  @Argument(help: "The file to write, .wav or .flac.", completion: .file(extensions: ["wav", "flac"]))
  var output: String

  @OptionGroup var device: SoundDeviceOptions

  @OptionGroup var duration: DurationOption

  @Option(help: "Sample encoding: s16, s24; s32 and f32 in a WAV file only. (default: s24)")
  var encoding: AudioFileWriter.Encoding = .int24

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @Flag(help: "Add triangular dither (TPDF) of one quantization step before rounding to integers.")
  var dither = false

  @OptionGroup var format: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try format.refuseCSV()
    let end = URL(fileURLWithPath: output).pathExtension.lowercased()
    try Parse.reject(
      (output == AudioFileReader.standardInputPath, "<output>: expected the path of a file, got - (standard output)"),
      (
        !["wav", "wave", "flac"].contains(end),
        "<output>: expected a name that ends with .wav or .flac, got '\(output)'"
      ),
      (
        end == "flac" && encoding != .int16 && encoding != .int24,
        "--encoding: expected s16 or s24 for FLAC, got \(encoding.rawValue)"
      ))
  }

  func run() async throws {
    log.bootstrap()
    let configuration = try device.configuration(
      of: device.name ?? AudioDevice.defaultName, seconds: duration.seconds)
    let options = AudioFileWriter.Options(encoding: encoding, overwrite: overwrite, dither: dither)
    let capture = try AudioCapture(configuration)
    let recorder = Recorder()
    let progress = await recorder.progress()
    let view = format.screen.map { LiveRecord(recorder: recorder, path: output, screen: $0) }
    let lines = Self.progressTable(format.effectiveFormat, format.profile)
    // Closing the file takes milliseconds: nothing is ended by force.
    let ending = try await RunEnding.of(view: view, isForced: false) { _ in
      // Ends the task that waits for the end of the recording.
      _ = try? await recorder.stop()
    } tasks: { tasks in
      try await recorder.start(capture, format: configuration.format, to: output, options: options)
      tasks.addTask {
        // An error is thrown by `stop()` below.
        _ = try? await recorder.finished()
        return .streamEnded
      }
      tasks.addTask {
        // Programs get more lines than people.
        let interval: Duration = lines.format == .ndjson ? .milliseconds(100) : .seconds(1)
        var next = interval
        for await progress in progress {
          if let view { await view.apply(progress) }
          guard view == nil, progress.duration >= next else { continue }
          while next <= progress.duration { next += interval }
          try LineWriter.standardOutput.write(lines.line(progress))
        }
        return nil
      }
    }
    let recording = try await recorder.stop()
    let summary = Self.summaryTable(format.effectiveFormat, format.profile).line(recording)
    if ending != .readerGone { try? LineWriter.standardOutput.write(summary) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}

extension RecordCommand {
  static func progressTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<RecorderProgress> {
    let columns: [Column<RecorderProgress>] = [
      Column("duration_s") { $0.duration / .seconds(1) },
      Column("frames", \.frames),
      Column("paused", \.isPaused),
      Column("peak_dbfs") { $0.levels.map(\.peak) },
      Column("power_dbfs") { $0.levels.map(\.power) },
      Column("dropped_frames", \.droppedFrames),
      Column("overruns", \.overruns),
      Column("clipped_samples", \.clippedSamples),
    ]
    return Table(columns, kind: "progress", format: format, profile: profile) { progress in
      let levels = progress.levels.map { decibels($0.peak) }.joined(separator: " ")
      let state = progress.isPaused ? "paused" : "recording"
      return "\(time(progress.duration)) \(state), peak \(levels) dBFS"
        + troubles(progress.droppedFrames, progress.overruns, progress.clippedSamples) + "\n"
    }
  }

  static func summaryTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<Recording> {
    let columns: [Column<Recording>] = [
      Column("path", \.path),
      Column("sample_rate_hz", \.format.sampleRate),
      Column("channels", \.format.channels),
      Column("duration_s") { $0.duration / .seconds(1) },
      Column("frames", \.frames),
      Column("dropped_frames", \.droppedFrames),
      Column("overruns", \.overruns),
      Column("clipped_samples", \.clippedSamples),
    ]
    return Table(columns, kind: "summary", format: format, profile: profile) { recording in
      "recorded \(time(recording.duration)) to \(recording.path)"
        + troubles(recording.droppedFrames, recording.overruns, recording.clippedSamples) + "\n"
    }
  }

  /// The losses of a recording; empty without any.
  static func troubles(_ dropped: Int64, _ overruns: Int, _ clipped: Int) -> String {
    let parts = [
      dropped > 0 ? "\(dropped) frames dropped" : nil, overruns > 0 ? "\(overruns) overruns" : nil,
      clipped > 0 ? "\(clipped) samples clipped" : nil,
    ]
    return parts.compactMap { $0.map { ", \($0)" } }.joined()
  }

  /// A level in six columns.
  static func decibels(_ level: Double) -> String { level.isFinite ? String(format: "%6.1f", level) : "  -inf" }

  static func time(_ duration: Duration) -> String { Numbers.time(duration / .seconds(1), rounded: .down) }
}

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
    if output == AudioFileReader.standardInputPath {
      throw ValidationError("<output>: expected the path of a file, got - (standard output)")
    }
    let end = URL(fileURLWithPath: output).pathExtension.lowercased()
    guard ["wav", "wave", "flac"].contains(end) else {
      throw ValidationError("<output>: expected a name that ends with .wav or .flac, got '\(output)'")
    }
    if end == "flac", encoding != .int16, encoding != .int24 {
      throw ValidationError("--encoding: expected s16 or s24 for FLAC, got \(encoding.rawValue)")
    }
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

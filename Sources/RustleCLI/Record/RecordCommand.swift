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
      Writes WAV or FLAC, by the file's extension. The file opens whatever becomes of the process: one that is killed \
      loses less than the last second. A device that is lost and a disk that is full end the recording, with the file kept.

      On a terminal the level is shown meanwhile (space pauses, q stops, ? helps); in a pipe there is one line a second \
      (NDJSON: ten). Ctrl-C stops as q does, with status 130. Silence stands in the place of sound that was lost on the way.

      EXAMPLES:
        rustle record take1.flac
        rustle record take1.wav --device hw:1 --rate 96000 --channels 1 --encoding f32
        rustle record take1.flac --duration 60 --json
        rustle record demo.wav --demo --duration 3

      NDJSON FIELDS:
        v                1, the version of these fields
        kind             progress, or summary in the last line
        duration_s       the time in the file
        frames           the frames in the file
        paused           whether what comes is thrown away
        peak_dbfs        the highest sample of the newest buffer, for each channel;
                         null for silence
        power_dbfs       its mean square, for each channel; null for silence
        dropped_frames      frames lost on the way
        overruns         how often the device had no room left
        clipped_samples  samples beyond the range of the encoding
      """)

  @Argument(help: "The file to write, .wav or .flac.", completion: .file(extensions: ["wav", "flac"]))
  var output: String

  @OptionGroup var device: SoundDeviceOptions

  @OptionGroup var duration: DurationOption

  @Option(help: "How a sample is written: s16, s24, s32 or f32; FLAC takes the first two. (default: s24)")
  var encoding: AudioFileWriter.Encoding = .int24

  @Flag(help: "Replace a file of that name.")
  var overwrite = false

  @Flag(help: "Add the noise that hides the steps of an integer encoding (TPDF dither).")
  var dither = false

  @OptionGroup var format: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try format.refuseCSV()
    if output == AudioFileReader.standardInputPath {
      throw ValidationError("expected the path of a file, got -: a recording is not written to standard output")
    }
    let end = URL(fileURLWithPath: output).pathExtension.lowercased()
    guard ["wav", "wave", "flac"].contains(end) else {
      throw ValidationError("expected a name that ends with .wav or .flac, got '\(output)'")
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
    // The file is closed in milliseconds: nothing is ended by force.
    let ending = try await RunEnding.of(view: view, isForced: false) { _ in
      // The task that waits for the end of the recording.
      _ = try? await recorder.stop()
    } tasks: { tasks in
      try await recorder.start(capture, format: configuration.format, to: output, options: options)
      tasks.addTask {
        // What became of it is asked for below.
        _ = try? await recorder.finished()
        return .streamEnded
      }
      tasks.addTask {
        // Programs want more lines than people.
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
    if ending != .readerGone {
      let table = Self.summaryTable(format.effectiveFormat, format.profile)
      try? LineWriter.standardOutput.write(table.line(recording))
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}

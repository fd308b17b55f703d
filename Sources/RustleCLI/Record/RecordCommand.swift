internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a sound device into a file.",
    usage:
      "rustle record <output> [--device <name>] [--rate <hz>] [--channels <count>] [--duration <seconds>] [--json]",
    discussion: """
      Writes WAV or FLAC, by the file's extension. The file opens whatever becomes of the process: one that is killed \
      loses less than the last second. A device that is lost and a disk that is full end the recording, with the file kept.

      On a terminal the level is shown meanwhile (space pauses, q stops, ? helps); in a pipe there is one line a second \
      (NDJSON: ten). Ctrl-C stops as q does, with status 130. Silence stands in the place of sound that was lost on the way.

      EXAMPLES:
        rustle record take1.flac
        rustle record take1.wav --device hw:1,0 --rate 96000 --channels 1 --encoding f32
        rustle record take1.flac --duration 60 --json
        rustle record demo.wav --demo --duration 3

      NDJSON FIELDS:
        v                1, the version of these fields
        kind             progress, or summary in the last line
        duration_s       the time in the file
        frames           the frames in the file
        paused           whether what comes is thrown away
        peak_dbfs        the highest sample of the newest buffer, for each channel; null for silence
        power_dbfs       its mean square, for each channel; null for silence
        lost_frames      frames lost on the way
        overruns         how often the device had no room left
        clipped_samples  samples beyond the range of the encoding
      """)

  @Argument(help: "The file to write, .wav or .flac.", completion: .file(extensions: ["wav", "flac"]))
  var output: String

  @OptionGroup var device: SoundDeviceOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Stop after this many seconds of sound.", valueName: "seconds"),
    transform: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(help: "How a sample is written: s16, s24, s32 or f32; FLAC takes the first two. (default: s24)")
  var encoding: SampleEncoding = .s24

  @Flag(help: "Replace a file of that name.")
  var overwrite = false

  @Flag(help: "Add the noise that hides the steps of an integer encoding (TPDF dither).")
  var dither = false

  @OptionGroup var format: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    if format.effectiveFormat == .csv { throw ValidationError("--format: expected auto, text or ndjson, got csv") }
    if output == AudioFileReader.standardInputPath {
      throw ValidationError("expected the path of a file, got -: a recording is not written to standard output")
    }
    let end = URL(fileURLWithPath: output).pathExtension.lowercased()
    guard ["wav", "wave", "flac"].contains(end) else {
      throw ValidationError("expected a name that ends with .wav or .flac, got '\(output)'")
    }
    if end == "flac", encoding != .s16, encoding != .s24 {
      throw ValidationError("--encoding: expected s16 or s24 for FLAC, got \(encoding.rawValue)")
    }
  }

  func run() async throws {
    log.bootstrap()
    let configuration = try device.configuration(of: device.name ?? AudioDevice.defaultName, seconds: duration)
    let options = AudioFileWriter.Options(encoding: encoding.encoding, overwrite: overwrite, dither: dither)
    let run = RecordRun(capture: try AudioCapture(configuration), path: output, options: options)
    let ending: RunEnding
    let profile = TerminalProfile.standardOutput(isASCIIAskedFor: format.ascii)
    if format.effectiveFormat == .auto && profile.isLive {
      let screen = LiveScreen.standardOutput(isASCIIAskedFor: format.ascii)
      ending = try await run.view(LiveRecord(path: output, screen: screen))
    } else {
      let lines = RecordLines(format: format.effectiveFormat)
      ending = try await run.lines(lines, to: .standardOutput)
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}

/// The encodings of a file by their names on the command line.
enum SampleEncoding: String, CaseIterable, ExpressibleByArgument, Sendable {
  case s16, s24, s32, f32

  var encoding: AudioFileWriter.Encoding {
    switch self {
    case .s16: .int16
    case .s24: .int24
    case .s32: .int32
    case .f32: .float32
    }
  }
}

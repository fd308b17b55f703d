internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a sound file, through the equalizer if wanted.",
    usage: "rustle play <input> [--device <name>] [--demo] [--eq <preset>] [--duration <seconds>]",
    discussion: """
      The file is played at its own rate and with its own channels: a device that does not take them is an error, nothing is \
      resampled in secret. (ALSA's device default, and devices whose names begin with plug, convert by themselves.) On a \
      terminal a line shows how far it is; space pauses, q stops.

      A preset of the equalizer is a file of JSON, or a text of lines such as "Filter 1: ON PK Fc 105 \
      Hz Gain 5.5 dB Q 0.70", which AutoEQ, PipeWire and EqualizerAPO share. It works on mono and stereo.

      EXAMPLES:
        rustle play take1.flac
        rustle play take1.flac --eq headphones.txt --device pulse
        sox take1.flac -t wav - | rustle play -
        rustle play take1.flac --demo --duration 2
      """)

  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe).", completion: .file())
  var input: String

  @Option(help: ArgumentHelp("The sound device, as 'rustle devices' names it. (default: default)", valueName: "name"))
  var device: String?

  @Flag(help: "Short for --device demo, which takes sound at its rate and makes none.")
  var demo = false

  @Option(help: ArgumentHelp("Equalize by this preset.", valueName: "preset"), completion: .file())
  var eq: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Stop after this many seconds of sound.", valueName: "seconds"),
    transform: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @OptionGroup var log: LogOptions

  func validate() throws {
    if let device, demo { throw ValidationError("expected --device or --demo, got --device \(device) and --demo") }
    if device == "" { throw ValidationError("--device: expected the name of a device, got ''") }
  }

  func run() async throws {
    log.bootstrap()
    if input == AudioFileReader.standardInputPath && StandardStream.isTerminal(StandardStream.input) {
      throw CommandFailure(
        .noInput, "expected a sound file on standard input, got a terminal",
        advice: "pipe one in: sox take1.flac -t wav - | rustle play -")
    }
    let preset = try eq.map { try PresetFile.read($0, option: "--eq").settings }
    let sound = try await SoundInput.file(input, seconds: duration)
    let format = sound.format
    let equalizer = try preset.map { try Self.equalizer($0, file: eq ?? "", format: format) }
    let name = demo ? AudioDevice.demo.name : device ?? AudioDevice.defaultName
    let output = try AudioOutput(DeviceConfiguration(device: name, format: format))
    let hasKeys = StandardStream.isTerminal(StandardStream.input) && StandardStream.isTerminal(StandardStream.error)
    let line = PlayLine(
      subject: sound.name, totalFrames: sound.expectedFrames, rate: format.sampleRate, hasKeys: hasKeys,
      isEnabled: !log.quiet && StandardStream.isTerminal(StandardStream.error),
      columns: { max(20, StandardStream.size(of: StandardStream.error).columns) },
      write: { try? LineWriter.standardError.write($0) })
    let run = PlayRun(sound: sound, output: output, equalizer: equalizer, line: line)
    let (ending, last) = try await run.play(keys: hasKeys ? Keyboard.keys() : nil)
    if ending == .streamEnded {
      try sound.checkIsNotEmpty()
      if let shortness = sound.shortness { note(shortness) }
    }
    if let last, last.underruns > 0 || line.starvedSeconds > 0 {
      note(PlayLine.holes(underruns: last.underruns, starvedSeconds: line.starvedSeconds))
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  private static func equalizer(
    _ settings: EqualizerSettings, file: String, format: AudioFormat
  ) throws -> Equalizer {
    guard format.channels <= 2 else {
      throw CommandFailure(
        .badData, "--eq: expected sound of one or two channels, got \(format.layout)",
        advice: "play it without --eq, or mix it to stereo first")
    }
    do {
      return try Equalizer(format: format, settings: settings.limited(toSampleRate: format.sampleRate))
    } catch {
      throw CommandFailure(.badData, "\(file): \(error.message)", advice: error.advice)
    }
  }

  private func note(_ text: String) {
    if !log.quiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }
}

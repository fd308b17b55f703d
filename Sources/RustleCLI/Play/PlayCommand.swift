internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a sound file, optionally equalized.",
    usage: """
      rustle play <input> [--device <name>] [--demo] [--eq <preset>]
              [--from <seconds>] [--to <seconds>] [--json]
      """,
    discussion: """
      The file is played with its own sample rate and channels; a device that does not support them is an error, and nothing \
      is resampled. (ALSA's device default, and devices whose names begin with plug, convert.) A terminal shows the \
      progress; space pauses, q stops. With --json the progress is written to standard output ten times per second.

      A preset of the equalizer is a JSON file, or a text file with lines such as "Filter 1: ON PK Fc 105 \
      Hz Gain 5.5 dB Q 0.70", the format of AutoEQ, PipeWire and EqualizerAPO. Presets apply to mono and stereo.

      EXAMPLES:
        rustle play take1.flac
        rustle play take1.flac --eq headphones.txt --device pulse
        sox take1.flac -t wav - | rustle play -
        rustle play take1.flac --from 60 --to 75.5
        arecord -f cd -t raw | rustle play - --raw s16le --rate 44100 --channels 2
        rustle play take1.flac --demo --duration 2 --json

      NDJSON FIELDS:
        v           1, the version of these fields
        kind        progress, or summary in the last line
        position_s  the playback position in the sound
        played_s    the duration of the played sound
        underruns   underruns of the device
        inserted_silence_s   silence played because no sound arrived in time
        paused      whether the playback is paused
      The summary adds input, sample_rate_hz, channels, frames, and complete: whether the end was played.
      """)

  @OptionGroup var file: SoundFileOptions

  @OptionGroup var device: DeviceOption

  @Option(help: ArgumentHelp("Equalize with this preset.", valueName: "preset"), completion: .file())
  var eq: String?

  @Option(
    help: "Begin at this time in the sound, 0 to 1000000000. (default: 0)", value: "seconds",
    parse: Parse.number("seconds", in: 0...1e9))
  var from: Double?

  @Option(
    help: "Stop at this time in the sound, later than --from.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var to: Double?

  @OptionGroup var duration: DurationOption
  @OptionGroup var format: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try format.refuseCSV()
    if to != nil, duration.seconds != nil { throw ValidationError("--to cannot be used with --duration") }
    if let to, to <= from ?? 0 {
      throw ValidationError("--to: expected a time after --from, \(from ?? 0) s, got \(to) s")
    }
  }

  func run() async throws {
    log.bootstrap()
    let writesRecords = self.format.effectiveFormat == .ndjson
    let preset = try eq.map { try PresetFile.read($0, option: "--eq").settings }
    let begin = from ?? 0
    let sound = try await file.open(for: "play", from: begin, seconds: to.map { $0 - begin } ?? duration.seconds)
    let format = sound.format
    if let frames = sound.expectedFrames, frames == 0, sound.firstFrame > 0 {
      throw sound.beginsTooLate(end: sound.file?.frames ?? 0)
    }
    let equalizer = try preset.map { try Self.equalizer($0, file: eq ?? "", format: format) }
    let output = try AudioOutput(DeviceConfiguration(device: device.name ?? AudioDevice.defaultName, format: format))
    let isSeen = StandardStream.isTerminal(StandardStream.error)
    let hasKeys = StandardStream.isTerminal(StandardStream.input) && isSeen
    let line = PlayLine(
      subject: sound.name, firstFrame: sound.firstFrame, totalFrames: sound.expectedFrames, rate: format.sampleRate,
      hasKeys: hasKeys,
      // Not among records on the same terminal.
      isEnabled: !log.quiet && isSeen && !(writesRecords && StandardStream.isTerminal(StandardStream.output)))
    let run = PlayRun(sound: sound, output: output, equalizer: equalizer, line: line, writesRecords: writesRecords)
    let ending = try await run.play(keys: hasKeys ? Keyboard.keys() : nil)
    if ending == .streamEnded {
      try sound.checkIsNotEmpty()
      if let shortness = sound.shortness { log.note(shortness) }
    }
    if let holes = line.holes { log.note(holes) }
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
    return try CommandFailure.naming(file) {
      try Equalizer(format: format, settings: settings.limited(toSampleRate: format.sampleRate))
    }
  }
}

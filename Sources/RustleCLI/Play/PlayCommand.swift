internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a sound file, through the equalizer if wanted.",
    usage: """
      rustle play <input> [--device <name>] [--demo] [--eq <preset>]
              [--from <seconds>] [--to <seconds>] [--json]
      """,
    discussion: """
      The file is played at its own rate and with its own channels: a device that does not take them is an error, nothing is \
      resampled in secret. (ALSA's device default, and devices whose names begin with plug, convert by themselves.) On a \
      terminal a line shows how far it is; space pauses, q stops. With --json a program is reported, on standard output, ten times \
      a second.

      A preset of the equalizer is a file of JSON, or a text of lines such as "Filter 1: ON PK Fc 105 \
      Hz Gain 5.5 dB Q 0.70", which AutoEQ, PipeWire and EqualizerAPO share. It works on mono and stereo.

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
        position_s  the time in the sound that is heard
        played_s    how much was heard
        underruns   how often the device had nothing to play
        inserted_silence_s   silence that was heard because no sound came in time
        paused      whether it is paused
      The summary adds input, sample_rate_hz, channels, frames, and complete: whether the end was heard.
      """)

  @OptionGroup var file: SoundFileOptions

  @OptionGroup var device: DeviceOption

  @Option(help: ArgumentHelp("Equalize by this preset.", valueName: "preset"), completion: .file())
  var eq: String?

  @Option(
    help: "Begin at this time of the sound, 0 to 1000000000. (default: 0)", value: "seconds",
    parse: Parse.number("seconds", in: 0...1e9))
  var from: Double?

  @Option(
    help: "Stop at this time of the sound; later than --from.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var to: Double?

  @OptionGroup var duration: DurationOption
  @OptionGroup var format: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    try format.refuseCSV()
    if to != nil, duration.seconds != nil { throw ValidationError("expected --to or --duration, got both") }
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
      // Not among the lines of a program that somebody looks at.
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

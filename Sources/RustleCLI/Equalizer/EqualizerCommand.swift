internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct EqualizerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eq",
    abstract: "Equalize a file or live sound, each channel by its own bands.",
    usage: """
      rustle eq <in> <out> [settings] [--encoding <encoding>] [--overwrite] [--dither] [--json]
      rustle eq --live [--device <name>] [--output <name>] [--demo] [settings] [--save <file>]
      rustle eq --response [settings] [--rate <hz>] [--png <path>] [--format <format>]
      rustle eq --export <json|text> [settings] [--name <name>]
      """,
    discussion: """
      The settings are --preset, --gains, --octaves, --band, --preamp, --solve and --bypass; the bands of --preset, of \
      --gains and of --band come one after the other. Sound has one or two channels; mono has the bands of the left one. \
      Without gains the sound comes out as it came in, bit for bit, as far as the encoding holds it.

      On standard output the sound is a WAV file whose header does not say how long it is, or samples alone (--no-header); what \
      --format asks for goes to standard error then.

      EXAMPLES:
        rustle eq take1.wav out.flac --preset headphones.txt --preamp auto
        rustle eq a.flac b.wav --gains 0,0,6,6,3,0,0,0,0,0,0,-2,-2,0 --solve
        rustle eq a.wav b.wav --band 1000:+3:1.4 --band L:ls:105:+6 --band R:hp:40
        sox take1.mp3 -t wav - | rustle eq - out.wav --band 3000:-4
        rustle eq take1.flac - --gains 0,0,6,6,3,0,0,0,0,0,0,-2,-2,0 | aplay
        rustle eq --live --demo
        rustle eq --live --device default --preset room.json --save mine.json
        rustle eq --response --preset headphones.txt --png response.png
        rustle eq --export json --preset headphones.txt > headphones.json

      KEYS of --live on a terminal:
        left, right  choose a band          l, r, b  choose the channel, or both
        up, down     change it by 1 dB      0        make all bands flat
        space        let the sound through  s        save what is heard to --save
        ?            help                   q        quit

      NDJSON: of a file one object; of --live "t_ms", "before_dbfs", "after_dbfs" (a level for each channel), \
      "lost_frames", "overruns" and "underruns" every quarter of a second; of --response "hz", "left_db" and "right_db".
      """)

  // MARK: what is done

  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe).", completion: .file())
  var input: String?

  @Argument(help: "The file to write: its name ends with .wav or .flac. Or - for standard output.", completion: .file())
  var out: String?

  @Flag(help: "Equalize what a device captures, and play it.")
  var live = false

  @Flag(help: "Show the curves of the settings.")
  var response = false

  @Option(help: ArgumentHelp("Write the settings as a preset: json or text.", valueName: "form"))
  var export: PresetFile.Form?

  @OptionGroup(title: "Settings") var settings: EqualizerOptions
  @OptionGroup(title: "Files") var file: EqualizerFileOptions
  @OptionGroup(title: "Live sound") var device: SoundDeviceOptions
  @OptionGroup(title: "Live sound") var playback: EqualizerLiveOptions

  @Option(help: ArgumentHelp("Draw the curves into this PNG file; with --response.", valueName: "path"))
  var png: String?

  @Option(help: ArgumentHelp("The preset's name; with --export json or --save.", valueName: "name"))
  var name: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  /// What the arguments ask for.
  enum Mode: Equatable {
    case file(input: String, output: String)
    case live, response
    case export(PresetFile.Form)
  }

  func run() async throws {
    log.bootstrap()
    switch try mode() {
    case .file(let input, let output): try await equalize(input, into: output)
    case .live: try await runLive()
    case .response: try showResponse()
    case .export(let form): try writePreset(as: form)
    }
  }

  func note(_ text: String) {
    if !log.quiet { try? LineWriter.standardError.write("rustle: \(text)\n") }
  }

  func profile() -> TerminalProfile { .standardOutput(isASCIIAskedFor: output.ascii) }

  /// The rate of a response or a preset, which have none of their own.
  private var sampleRate: Double { Double(device.rate ?? SoundDeviceOptions.defaultRate) }

  // MARK: the forms without sound

  private func showResponse() throws {
    if let png { try OutputPath.checkPicture(png, isNot: settings.preset ?? "") }
    let prepared = try settings.recipe().prepared(sampleRate: sampleRate)
    for text in prepared.notes { note(text) }
    let shown = settings.bypass ? .flat : prepared.settings
    let response = try shown.response(
      at: EqualizerResponse.audibleFrequencies(sampleRate: sampleRate), sampleRate: sampleRate)
    if let png {
      let title = settings.preset.map(PresetFile.name) ?? PresetFile.defaultName
      let glyphs = Glyphs.unicode
      try ResponsePicture.write(
        [("Left", response.frequencies, response.left), ("Right", response.frequencies, response.right)], title: title,
        subtitle:
          "\(EqualizerNumbers.plain(sampleRate)) Hz, preamp \(EqualizerNumbers.gain(shown.preamp, glyphs: glyphs)) dB",
        to: png)
      if !log.quiet { try? LineWriter.standardError.write("wrote \(png)\n") }
    }
    let text =
      switch output.effectiveFormat {
      case .ndjson: ResponseLines.ndjson(response)
      case .csv: ResponseLines.csv(response)
      case .auto, .text:
        ResponseView(response: response, settings: shown, sampleRate: sampleRate, profile: profile()).text()
      }
    try LineWriter.standardOutput.write(text)
  }

  private func writePreset(as form: PresetFile.Form) throws {
    let recipe = try settings.recipe()
    // What depends on a rate is settled for one; the rest is written as it was given, whatever the rate.
    var result = recipe.settings
    if recipe.isSolved || recipe.preamp == .automatic {
      let prepared = try recipe.prepared(sampleRate: sampleRate)
      for text in prepared.notes { note(text) }
      result = prepared.settings
    } else if case .decibels(let decibels) = recipe.preamp {
      result.preamp = decibels
    }
    let preset = EqualizerPreset(name: name ?? recipe.name ?? PresetFile.defaultName, settings: result)
    try LineWriter.standardOutput.write(PresetFile.text(preset, as: form))
  }
}

extension PresetFile.Form: ExpressibleByArgument {}

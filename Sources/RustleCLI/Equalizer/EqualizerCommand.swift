internal import ArgumentParser
import Foundation
import RustleAccount
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct EqualizerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eq",
    abstract: "Equalize a file or live sound, each channel by its own bands.",
    usage: """
      rustle eq <input> <out> [settings] [--encoding <encoding>] [--overwrite]
                [--dither] [--json]
      rustle eq --live [--device <name>] [--output <name>] [--demo] [settings]
                [--save <file>]
      rustle eq --response [settings] [--rate <hz>] [--png <path>]
                [--format <format>]
      rustle eq --export <json|text> [settings] [--name <name>]
      """,
    discussion: """
      The settings are --preset, --gains, --account, --octaves, --band, --preamp, --solve and --bypass; the bands of --preset, \
      --gains and --band apply in this order. Sound has one or two channels; mono uses the bands of the left channel. \
      Without gains the output equals the input bit for bit, within the precision of the encoding.

      --automation changes gains over time, linearly in dB between the points of a band. A gain is exact every 44 ms; \
      between, it is off by at most a fifth of its change in these 44 ms. A jump takes 40 ms. Before its first point a band \
      has the gain of that point, and after its last point the gain of that one.

      Standard output receives a WAV file whose header has no length, or samples alone (--no-header); the result in \
      --format goes to standard error then.

      EXAMPLES:
        rustle eq take1.wav out.flac --preset headphones.txt --preamp auto
        rustle eq a.flac b.wav --gains 0,0,6,6,3,0,0,0,0,0,0,-2,-2,0 --solve
        rustle eq a.wav b.wav --band 1000:+3:1.4 --band L:ls:105:+6 --band R:hp:40
        sox take1.mp3 -t wav - | rustle eq - out.wav --band 3000:-4
        rustle eq take1.flac - --gains 0,0,6,6,3,0,0,0,0,0,0,-2,-2,0 | aplay
        rustle eq take1.wav take1.m4a --normalize -16
        rustle eq take1.wav out.wav --band 3000:0 --automation gains.csv
        rustle eq --live --demo
        rustle eq --live --device default --preset room.json --save mine.json
        rustle eq --live --device default --account
        rustle eq --response --preset headphones.txt --png response.png
        rustle eq --export json --preset headphones.txt > headphones.json

      KEYS of --live on a terminal:
        left, right  choose a band          l, r, b  choose the channel, or both
        up, down     change it by 1 dB      0        make all bands flat
        space        bypass                 s        save the settings to --save
        ?            help                   q        quit
        y, n         keep your bands, or those of the account's other device

      NDJSON: of a file one object, "preamp_db" null where it is automated; of --live "t_ms", "before_dbfs", "after_dbfs" (a level for each channel), \
      "dropped_frames", "overruns" and "underruns" every quarter of a second; of --response "hz", "left_db" and "right_db".
      """)

  // MARK: the modes

  @Argument(
    help: "A sound file: \(SoundFileOptions.formats)",
    completion: .file())
  var input: String?

  @Argument(
    help: "The file to write (.wav, .flac, .ogg, .opus, .mp3, .m4a), or - for standard output.", completion: .file())
  var out: String?

  @Flag(help: "Equalize captured sound and play it.")
  var live = false

  @Flag(help: "Show the frequency response of the settings.")
  var response = false

  @Option(help: ArgumentHelp("Write the settings to standard output: json, or AutoEQ's text.", valueName: "format"))
  var export: EqualizerPreset.FileFormat?

  @OptionGroup(title: "Settings") var settings: EqualizerOptions
  @OptionGroup(title: "Files") var file: EqualizerFileOptions
  @OptionGroup(title: "Live sound") var device: SoundDeviceOptions
  @OptionGroup(title: "Live sound") var playback: EqualizerLiveOptions

  @Option(parsing: .next, "Draw the frequency response into this PNG file; requires --response.", value: "path")
  var png: String?

  @Option(parsing: .next, "The preset's name; requires --export json or --save.", value: "name")
  var name: String?

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  /// The mode that the arguments select.
  enum Mode: Equatable {
    case file(input: String, output: String)
    case live, response
    case export(EqualizerPreset.FileFormat)
  }

  mutating func run() async throws {
    log.bootstrap()
    let session = settings.account ? try KeptSession.read() : nil
    if let session { settings.gains = try await session.gains().graphicGains }
    switch try mode() {
    case .file(let input, let output): try await equalize(input, into: output)
    case .live: try await runLive(following: session)
    case .response: try showResponse()
    case .export(let form): try writePreset(as: form)
    }
  }

  func validate() throws {
    let mode = try mode()
    let isFile = if case .file = mode { true } else { false }
    let isExport = if case .export = mode { true } else { false }
    let (isLive, isResponse) = (mode == .live, mode == .response)
    let given: [(isGiven: Bool, option: String, fits: Bool, requirement: String)] = [
      (file.written.encoding != nil, "--encoding", isFile, "a file to write"),
      (file.written.quality != nil, "--quality", isFile, "a file to write"),
      (file.normalize != nil, "--normalize", isFile && input != AudioFileReader.standardInputPath, "a file to read"),
      (file.normalize != nil, "--normalize", !settings.bypass, "an equalizer that is not bypassed"),
      (file.automation != nil, "--automation", isFile && file.normalize == nil, "files, without --normalize"),
      (file.automation != nil, "--automation", !settings.bypass, "an equalizer that is not bypassed"),
      (file.truePeak != nil, "--true-peak", file.normalize != nil, "--normalize"),
      (
        file.isWithoutHeader, "--no-header", isFile && out == AudioFileReader.standardInputPath,
        "the output - (standard output)"
      ),
      (file.written.dither, "--dither", isFile, "a file to write"),
      (file.samples.raw != nil, "--raw", isFile, "a file to read"),
      (file.written.overwrite, "--overwrite", isFile || playback.save != nil, "a file to write"),
      (device.choice.device != nil, "--device", isLive, "--live"),
      (device.choice.demo, "--demo", isLive, "--live"),
      (playback.output != nil, "--output", isLive, "--live"),
      (playback.duration.seconds != nil, "--duration", isLive, "--live"),
      (playback.save != nil, "--save", isLive, "--live"),
      (png != nil, "--png", isResponse, "--response"),
      (name != nil, "--name", mode == .export(.json) || playback.save != nil, "--export json or --save"),
      (device.rate != nil, "--rate", !isFile || file.samples.raw != nil, "--raw, --live, --response or --export"),
      (device.channels != nil, "--channels", isLive || file.samples.raw != nil, "--raw or --live"),
      (settings.bypass, "--bypass", !isExport, "sound or --response"),
      (output.json || output.format != .auto, "--format", !isExport, "sound or --response"),
    ]
    for option in given where option.isGiven && !option.fits {
      throw ValidationError("\(option.option) requires \(option.requirement)")
    }
    try file.samples.check(rate: device.rate, channels: device.channels)
    if case .file(_, let output) = mode { _ = try file.written.options(of: output) }
    if let channels = device.channels, channels > 2 {
      throw ValidationError("--channels: expected 1 or 2, got \(channels)")
    }
  }

  /// The mode that the arguments select.
  func mode() throws -> Mode {
    let forms: [(option: String, mode: Mode)?] = [
      live ? ("--live", .live) : nil, response ? ("--response", .response) : nil,
      export.map { ("--export \($0.rawValue)", .export($0)) },
    ]
    let asked = forms.compactMap(\.self)
    guard asked.count <= 1 else {
      throw ValidationError(
        "\(asked[0].option) cannot be used with \(asked.dropFirst().map(\.option).joined(separator: " and "))")
    }
    switch (asked.first, input, out) {
    case (let form?, nil, nil): return form.mode
    case (let form?, let input?, _):
      throw ValidationError("\(form.option) cannot be used with a file, got '\(input)'")
    case (nil, let input?, let out?): return .file(input: input, output: out)
    case (nil, let input?, nil):
      throw ValidationError("expected a file to read and a file to write, got '\(input)' alone")
    default:
      throw ValidationError("expected an input and an output file, or --live, --response or --export, got none")
    }
  }

  private var sampleRate: Double { Double(device.rate ?? SoundDeviceOptions.defaultRate) }

  // MARK: the modes without sound

  private func showResponse() throws {
    if let png { try OutputPath.checkPicture(png, isNot: settings.preset ?? "") }
    let prepared = try settings.request().prepared(sampleRate: sampleRate, note: log.note)
    let shown = settings.bypass ? .flat : prepared
    let response = try shown.response(
      at: EqualizerResponse.audibleFrequencies(sampleRate: sampleRate), sampleRate: sampleRate)
    if let png {
      let preamp = Numbers.signed(shown.preamp, .unicode)
      try ResponsePicture.write(
        response.curves, title: settings.preset.flatMap(EqualizerPreset.name(ofFile:)) ?? EqualizerPreset.defaultName,
        subtitle: "\(Numbers.plain(sampleRate, digits: 12)) Hz, preamp \(preamp) dB", to: png)
      log.noteWritten(png)
    }
    let format = output.effectiveFormat
    let view = ResponseView(response: response, settings: shown, sampleRate: sampleRate, profile: output.profile)
    try LineWriter.standardOutput.write(
      format.isForPeople ? view.text() : response.text(format, profile: output.profile))
  }

  private func writePreset(as form: EqualizerPreset.FileFormat) throws {
    let preset = try settings.readPreset()
    let request = try settings.request(of: preset)
    // Solving and an automatic preamp depend on a sample rate; other settings are written as given.
    var result = request.settings
    if request.isSolved || request.preamp == .automatic {
      result = try request.prepared(sampleRate: sampleRate, note: log.note)
    } else if case .decibels(let decibels) = request.preamp {
      result.preamp = decibels
    }
    let name = name ?? preset?.name ?? EqualizerPreset.defaultName
    try LineWriter.standardOutput.write(EqualizerPreset(name: name, settings: result).file(form))
  }
}

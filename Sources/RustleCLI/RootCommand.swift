internal import ArgumentParser
internal import RustleCore

struct RootCommand: AsyncParsableCommand {
  /// The subcommands with their names, which `configuration` of each has too: with it a command makes the text of its whole help.
  static let named: KeyValuePairs<String, any ParsableCommand.Type> = [
    "ticker": TickerCommand.self, "spectrum": SpectrumCommand.self, "spectrogram": SpectrogramCommand.self,
    "pitch": PitchCommand.self, "voice": VoiceCommand.self, "meter": MeterCommand.self, "batch": BatchCommand.self,
    "tune": TuneCommand.self, "eq": EqualizerCommand.self, "record": RecordCommand.self, "play": PlayCommand.self,
    "link": LinkCommand.self, "tap": TapCommand.self, "tempo": TempoCommand.self, "dmx": DMXCommand.self,
    "provision": ProvisionCommand.self, "light": LightCommand.self, "venue": VenueCommand.self,
    "fixture": FixtureCommand.self, "map": MapCommand.self, "studio": StudioCommand.self,
    "account": AccountCommand.self, "devices": DevicesCommand.self, "doctor": DoctorCommand.self,
    "completions": CompletionsCommand.self,
  ]

  static var subcommandNames: [String] { named.map(\.key) + ["help"] }

  /// The only subcommand of `configuration`; nil: all.
  @TaskLocal private static var only: String?

  /// Parses arguments by the subcommand that they begin with, where they ask for nothing of the others.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let subcommand = named.first { $0.key == arguments.first }
    if let command = subcommand?.value, let parsed = parsed(arguments.dropFirst(), by: command) { return parsed }
    let ofAll = ["--generate-completion-script", "--experimental-dump-help"]
    let asksForAll = arguments.contains { argument in ofAll.contains(where: argument.hasPrefix) }
    return try $only.withValue(asksForAll ? nil : subcommand?.key) { try parseAsRoot(arguments) }
  }

  /// A subcommand without subcommands of its own, parsed alone: below another command, ArgumentParser collects its options three
  /// times. Nil where it is not to be run, since its messages have the whole command's name.
  private static func parsed(
    _ arguments: ArraySlice<String>, by command: any ParsableCommand.Type
  ) -> (any ParsableCommand)? {
    guard command.configuration.subcommands.isEmpty, let parsed = try? command.parseAsRoot(Array(arguments)),
      type(of: parsed) == command
    else { return nil }
    return parsed
  }

  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rustle",
      abstract: "Real-time engines in Rust, on the command line.",
      discussion: """
        Data goes to standard output, messages to standard error, as JSON objects if RUSTLE_LOG_FORMAT is json. NO_COLOR and FORCE_COLOR \
        are respected.

        EXAMPLES:
          rustle ticker BTC ETH SOL
          rustle spectrum take1.flac --png spectrum.png
          rustle spectrogram take1.flac --png spectrogram.png
          rustle pitch take1.flac --min 60 --max 1000
          rustle voice vowel.wav --ceiling 5000
          rustle meter --demo
          rustle batch takes/*.flac --analysis meter,pitch --output results
          rustle tune --device default --instrument guitar
          rustle link --bpm 96
          rustle dmx send --universes 1-4 --interface lo
          rustle provision list --duration 5
          rustle eq take1.flac out.wav --preset headphones.txt --preamp auto

        EXIT STATUS:
          0 success   1 some files of a batch failed   64 wrong usage
          65 malformed data   66 no such input   69 unavailable
          70 internal error   129 ended by a closed terminal
          130 ended by Ctrl-C   143 ended by SIGTERM
        """,
      version: Version.text,
      subcommands: named.filter { only == nil || $0.key == only }.map(\.value))
  }
}

enum Version {
  /// The package's version (semver.org).
  static let package = "0.1.0"
  static var archive: String { NativeLibrary.buildID }
  static var isArchiveExpected: Bool { NativeLibrary.buildID == NativeLibrary.expectedBuildID }
  static var text: String { "rustle \(package) (native archive \(archive))" }
}

internal import ArgumentParser
internal import RustleCore

struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
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
    subcommands: [
      TickerCommand.self, SpectrumCommand.self, SpectrogramCommand.self, PitchCommand.self, VoiceCommand.self,
      MeterCommand.self, BatchCommand.self, TuneCommand.self, EqualizerCommand.self, RecordCommand.self,
      PlayCommand.self, LinkCommand.self, TapCommand.self, TempoCommand.self, DMXCommand.self, ProvisionCommand.self,
      LightCommand.self,
      VenueCommand.self, FixtureCommand.self, MapCommand.self, StudioCommand.self, AccountCommand.self,
      DevicesCommand.self,
      DoctorCommand.self,
      CompletionsCommand.self,
    ])

  static var subcommandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}

enum Version {
  /// The package's version (semver.org).
  static let package = "0.1.0"
  static var archive: String { NativeLibrary.buildID }
  static var isArchiveExpected: Bool { NativeLibrary.buildID == NativeLibrary.expectedBuildID }
  static var text: String { "rustle \(package) (native archive \(archive))" }
}

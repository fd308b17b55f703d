internal import ArgumentParser

/// The other end of live sound, and how long it goes on.
struct EqualizerLiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The sound device that plays; default: the system's choice, demo with --demo.", valueName: "name"))
  var output: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: Parse.number("seconds", in: 0.001...1e9))
  var duration: Double?

  @Option(
    help: ArgumentHelp(
      "Where the key s saves a preset: as JSON, or as text where the name ends with .txt.", valueName: "file"))
  var save: String?

  func validate() throws {
    if output == "" { throw ValidationError("--output: expected the name of a device, got ''") }
  }
}

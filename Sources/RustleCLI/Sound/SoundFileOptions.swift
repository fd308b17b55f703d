internal import ArgumentParser
import RustleAudio
import RustleAudioFiles

/// The options of every command that reads sound from a file or from standard input alone.
struct SoundFileOptions: ParsableArguments {
  @Argument(
    help: "A WAV, FLAC, OGG or MP3 file, or - for standard input (no FLAC from a pipe).", completion: .file())
  var input: String

  @OptionGroup var samples: RawInputOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Frames a second of raw samples, 1 to 768000.", valueName: "hz"),
    transform: Parse.integer("a sample rate in Hz", in: 1...768_000))
  var rate: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Channels of raw samples, 1 to 32.", valueName: "count"),
    transform: Parse.integer("a number of channels", in: 1...AudioFormat.mostChannels))
  var channels: Int?

  func validate() throws {
    if input == "" { throw ValidationError("expected the path of a sound file, got ''") }
    try samples.checkOfFile(rate: rate, channels: channels)
  }

  /// Opens the input and learns its format.
  ///
  /// - Parameters:
  ///   - command: the name of the command, for an example: `rustle pitch -`.
  ///   - from: where in the sound it begins, in seconds.
  ///   - seconds: how much of it is read at most; nil: all.
  /// - Throws: what opening throws, a `CommandFailure` or an error that is one.
  func open(for command: String, from: Double = 0, seconds: Double? = nil) async throws -> SoundInput {
    try CommandFailure.checkIsNoTerminal(input, command: command)
    return try await samples.open(input, rate: rate, channels: channels, from: from, seconds: seconds)
  }
}

public import ArgumentParser
public import RustleAudio
public import RustleAudioFiles

struct ChannelOption: ParsableArguments {
  @Option(
    name: .customLong("channel"), "Use this channel, counted from 1, instead of the mean of all.", value: "number",
    parse: Parse.integer("a channel number", in: 1...1_024))
  var number: Int?
}

struct DurationOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), "Stop after this many seconds of sound.", value: "seconds",
    parse: Parse.number("seconds", in: 0.001...1e9))
  var seconds: Double?
}

struct PictureOption: ParsableArguments {
  @Option(parsing: .next, "Draw the result into this PNG file.", value: "path", completion: .file(extensions: ["png"]))
  var png: String?

  /// Checks, before any work, that the picture can be written.
  func check(isNot input: String) throws {
    if let png { try OutputPath.checkPicture(png, isNot: input) }
  }
}

/// The options of commands that write a sound file.
struct WriterOptions: ParsableArguments {
  @Option(help: "Sample encoding, s24 by default; s32 and f32 are for WAV files.")
  var encoding: AudioFileWriter.Encoding?

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @Flag(help: "Add triangular dither (TPDF) of one quantization step before rounding to integers.")
  var dither = false
}

// The libraries' enumerations as option values, by their raw values.

extension EqualizerPreset.FileFormat: ExpressibleByArgument {}
extension PitchMethod: ExpressibleByArgument {}
extension FormantMethod: ExpressibleByArgument {}
extension AudioFileWriter.Encoding: ExpressibleByArgument {}

extension FrequencyWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

extension TimeWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

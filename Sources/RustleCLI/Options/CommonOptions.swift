public import ArgumentParser
internal import Foundation
public import RustleAudio
public import RustleAudioFiles
public import RustleLighting
import RustlePlot

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

/// The end of commands that would go on without one.
struct TimeLimitOption: ParsableArguments {
  @Option(
    name: .customLong("duration"), "Stop after this many seconds.", value: "seconds",
    parse: Parse.number("seconds", in: 0...1e9))
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

  @Option(help: "Quality of OGG, OPUS, MP3 and M4A files, 0 to 1. (default: 0.5)")
  var quality: Double?

  @Flag(help: "Replace an existing output file. Without it an existing file is an error.")
  var overwrite = false

  @Flag(help: "Add triangular dither (TPDF) of one quantization step before rounding to integers.")
  var dither = false

  /// The writer's options; the extension of the output's name selects the container. `-` is standard output, a WAV file.
  func options(of output: String) throws -> AudioFileWriter.Options {
    let end = output == AudioFileReader.standardInputPath ? "wav" : URL(fileURLWithPath: output).pathExtension
    guard let container = AudioFileWriter.Container(fileExtension: end) else {
      throw ValidationError(
        "<output>: expected a name that ends with \(AudioFileWriter.Container.fileExtensions), got '\(output)'")
    }
    let encoding = encoding ?? .int24
    try Parse.reject(
      (container == .flac && encoding.bits > 24, "--encoding: expected s16 or s24 for FLAC, got \(encoding.rawValue)"),
      (self.encoding != nil && !container.isLossless, "--encoding requires a WAV or FLAC file"),
      (dither && !container.isLossless, "--dither requires a WAV or FLAC file"),
      (quality != nil && container.isLossless, "--quality requires an OGG, OPUS, MP3 or M4A file"),
      (quality.map { !(0...1).contains($0) } ?? false, "--quality: expected 0 to 1, got \(quality ?? 0)"))
    return AudioFileWriter.Options(
      container: container, encoding: encoding, quality: quality ?? 0.5, overwrite: overwrite, dither: dither)
  }
}

// The libraries' enumerations as option values, by their raw values.

extension EqualizerPreset.FileFormat: ExpressibleByArgument {}
extension PitchMethod: ExpressibleByArgument {}
extension FormantMethod: ExpressibleByArgument {}
extension AudioFileWriter.Encoding: ExpressibleByArgument {}
extension DMXProtocol: ExpressibleByArgument {}
extension DMXPattern: ExpressibleByArgument {}
extension LightShow.Demo: ExpressibleByArgument {}
extension VenuePictureOptions.View: ExpressibleByArgument {}
extension MappingSettings.Method: ExpressibleByArgument {}
extension SimulatedCamera.Scene: ExpressibleByArgument {}
extension LoudnessRangeStep: ExpressibleByArgument {}

extension FrequencyWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

extension TimeWeighting: ExpressibleByArgument {
  /// Parses the letter, upper or lower case.
  public init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

extension WindowFunction: ExpressibleByArgument {
  /// Parses a name.
  public init?(argument: String) { self.init(name: argument) }

  /// The names in the help.
  public static var allValueStrings: [String] { ["hann", "hamming", "blackman", "none"] }

  /// None: the names say it.
  public static var allValueDescriptions: [String: String] { [:] }

  /// The name as an argument.
  var name: String { self == .rectangular ? "none" : rawValue }

  /// The name in the help.
  public var defaultValueDescription: String { name }
}

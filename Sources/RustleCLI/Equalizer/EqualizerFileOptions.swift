internal import ArgumentParser
import Foundation
import RustleAudioFiles

/// How files are read and written.
struct EqualizerFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How a sample is written: s16, s24, and s32 and f32 in a WAV file. (default: s24)", valueName: "encoding"))
  var encoding: EncodingChoice?

  @Flag(help: "Replace the file to write if it is there.")
  var overwrite = false

  @Flag(help: "Add triangular noise of a step before samples are rounded to integers.")
  var dither = false

  @OptionGroup var samples: RawInputOptions

  /// The encodings of a written file.
  enum EncodingChoice: String, ExpressibleByArgument, CaseIterable {
    case s16, s24, s32, f32

    var encoding: AudioFileWriter.Encoding {
      switch self {
      case .s16: .int16
      case .s24: .int24
      case .s32: .int32
      case .f32: .float32
      }
    }
  }

  @Flag(name: .customLong("no-header"), help: "Of standard output: samples alone, the lowest byte first.")
  var isWithoutHeader = false

  /// How the output is written.
  ///
  /// - Parameter output: its name, whose end says the container; `-` is standard output.
  func options(of output: String) throws -> AudioFileWriter.Options {
    if output == AudioFileReader.standardInputPath {
      return AudioFileWriter.Options(container: .wav, encoding: encoding?.encoding ?? .int24, dither: dither)
    }
    let end = URL(fileURLWithPath: output).pathExtension.lowercased()
    let container: AudioFileWriter.Container
    switch end {
    case "wav", "wave": container = .wav
    case "flac": container = .flac
    default:
      throw CommandFailure(
        .usage, "\(output): expected a name that ends with .wav or .flac, got '\(end)'", advice: "name the file so")
    }
    return AudioFileWriter.Options(
      container: container, encoding: encoding?.encoding ?? .int24, overwrite: true, dither: dither)
  }
}

internal import Foundation
internal import RustleAudio

extension AudioFileWriter {
  /// The kinds of file that can be written.
  public enum Container: String, Sendable, Hashable, CaseIterable {
    /// RIFF/WAVE, beyond 4 GiB RF64. File names end with `.wav`.
    case wav = "WAV"
    /// Free lossless audio codec. File names end with `.flac`.
    case flac = "FLAC"
  }

  /// The encoding of a sample.
  public enum Encoding: String, Sendable, Hashable, CaseIterable {
    /// Signed integers of 16 bits.
    case int16 = "s16"
    /// Signed integers of 24 bits: what a `Float` of full scale distinguishes.
    case int24 = "s24"
    /// Signed integers of 32 bits; WAV alone.
    case int32 = "s32"
    /// The samples as they are; WAV alone.
    case float32 = "f32"

    /// The bits of a sample.
    public var bits: Int {
      switch self {
      case .int16: 16
      case .int24: 24
      case .int32, .float32: 32
      }
    }
  }

  /// The options of a writer.
  public struct Options: Sendable, Hashable {
    /// The kind of file; nil takes it from the path's extension, `wav` or `flac` in any case.
    public var container: Container?
    /// How a sample is written.
    public var encoding: Encoding
    /// Whether an existing file is replaced. It is emptied when the writer is created.
    public var overwrite: Bool
    /// Whether integers get triangular noise of up to one step each way before they are rounded, the same in each run. Without it
    /// sound that came from integers of no more bits is written bit for bit.
    public var dither: Bool
    /// Whether the medium has each half second of sound before the header of a WAV promises it, and the whole before the file
    /// is closed. A power failure then costs about a second; each time the writer waits for the medium.
    public var synchronizes: Bool

    /// - Parameters:
    ///   - container: see ``container``.
    ///   - encoding: see ``encoding``.
    ///   - overwrite: see ``overwrite``.
    ///   - dither: see ``dither``.
    ///   - synchronizes: see ``synchronizes``.
    public init(
      container: Container? = nil, encoding: Encoding = .int24, overwrite: Bool = false, dither: Bool = false,
      synchronizes: Bool = false
    ) {
      self.container = container
      self.encoding = encoding
      self.overwrite = overwrite
      self.dither = dither
      self.synchronizes = synchronizes
    }
  }
}

extension AudioFileWriter.Container {
  /// The container that the path's extension names.
  init(path: String) throws(AudioFileError) {
    let name = URL(fileURLWithPath: path).pathExtension.lowercased()
    switch name {
    case "wav", "wave": self = .wav
    case "flac": self = .flac
    default:
      throw AudioFileError(
        .unsupported, path: path, reason: "expected a name that ends with .wav or .flac, got '\(name)'",
        advice: "name the file so, or choose the container")
    }
  }

  /// The rate in whole hertz, for a format and an encoding that the container takes.
  func checkedRate(
    of format: AudioFormat, encoding: AudioFileWriter.Encoding, path: String
  ) throws(AudioFileError) -> Int {
    func unsupported(_ reason: String, _ advice: String) -> AudioFileError {
      AudioFileError(.unsupported, path: path, reason: "\(rawValue): \(reason)", advice: advice)
    }
    guard let rate = Int(exactly: format.sampleRate) else {
      throw unsupported("expected a rate of whole hertz, got \(format.sampleRate)", "convert the sound first")
    }
    guard self == .flac else { return rate }
    guard encoding == .int16 || encoding == .int24 else {
      throw unsupported("expected s16 or s24, got \(encoding.rawValue)", "choose s24, or write a WAV file")
    }
    guard format.channels <= 8 else {
      throw unsupported("expected up to 8 channels, got \(format.channels)", "write a WAV file")
    }
    // The rates that a frame can represent without the header at the beginning (RFC 9639, section 9.1.2).
    guard (FLACOutput.lowestRate...655_350).contains(rate), rate < 65_536 || rate.isMultiple(of: 10) else {
      throw unsupported(
        "expected \(FLACOutput.lowestRate) to 655350 Hz, from 65536 in tens, got \(rate)", "write a WAV file")
    }
    return rate
  }
}

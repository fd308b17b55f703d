internal import Foundation
internal import RustleAudio

extension AudioFileWriter {
  /// The kinds of file that can be written.
  public enum Container: String, Sendable, Hashable, CaseIterable {
    /// RIFF/WAVE, beyond 4 GiB RF64. File names end with `.wav`.
    case wav = "WAV"
    /// Free lossless audio codec. File names end with `.flac`.
    case flac = "FLAC"
    /// Vorbis in Ogg; up to two channels. File names end with `.ogg`.
    case ogg = "OGG"
    /// Opus in Ogg; up to two channels of 8, 12, 16, 24 or 48 kHz. File names end with `.opus`.
    case opus = "OPUS"
    /// MPEG audio layer III at a constant bit rate; up to two channels. File names end with `.mp3`.
    case mp3 = "MP3"
    /// AAC in a fragmented MP4 file; up to two channels. File names end with `.m4a`. The program `ffmpeg` encodes it.
    case m4a = "M4A"
  }

  /// The encoding of a sample in a WAV or FLAC file.
  public enum Encoding: String, Sendable, Hashable, CaseIterable {
    /// Signed integers of 16 bits.
    case int16 = "s16"
    /// Signed integers of 24 bits: what a `Float` of full scale distinguishes.
    case int24 = "s24"
    /// Signed integers of 32 bits; WAV only.
    case int32 = "s32"
    /// The samples as they are; WAV only.
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
    /// The kind of file; nil takes it from the path's extension, in any case.
    public var container: Container?
    /// How a sample is written; only for WAV and FLAC.
    public var encoding: Encoding
    /// The quality of a lossy codec, 0 to 1; what is beyond is taken as the nearer end. Vorbis: its own scale from 0 to 10. Others:
    /// bits per second for each channel, at 44.1 kHz and more from 16,000 to 160,000 of Opus and AAC, and for the whole file
    /// from 32,000 to 320,000 of MP3; less at lower rates.
    public var quality: Double
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
    ///   - quality: see ``quality``.
    ///   - overwrite: see ``overwrite``.
    ///   - dither: see ``dither``.
    ///   - synchronizes: see ``synchronizes``.
    public init(
      container: Container? = nil, encoding: Encoding = .int24, quality: Double = 0.5, overwrite: Bool = false,
      dither: Bool = false, synchronizes: Bool = false
    ) {
      self.container = container
      self.encoding = encoding
      self.quality = quality
      self.overwrite = overwrite
      self.dither = dither
      self.synchronizes = synchronizes
    }
  }
}

extension AudioFileWriter.Container {
  /// The container whose file names end so; nil if there is none.
  ///
  /// - Parameter fileExtension: without the dot, in any case.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "wav", "wave": self = .wav
    case "flac": self = .flac
    case "ogg", "oga": self = .ogg
    case "opus": self = .opus
    case "mp3": self = .mp3
    case "m4a": self = .m4a
    default: return nil
    }
  }

  /// The endings of names, for messages.
  package static let fileExtensions = ".wav, .flac, .ogg, .opus, .mp3 or .m4a"

  /// Whether the samples can be read as they were encoded; such containers take an ``AudioFileWriter/Encoding``.
  public var isLossless: Bool { self == .wav || self == .flac }

  /// The container that the path's extension names.
  init(path: String) throws(AudioFileError) {
    let name = URL(fileURLWithPath: path).pathExtension
    guard let container = Self(fileExtension: name) else {
      throw AudioFileError(
        .unsupported, path: path, reason: "expected a name that ends with \(Self.fileExtensions), got '\(name)'",
        advice: "Name the file so, or choose the container.")
    }
    self = container
  }

  /// The most channels.
  private var maximumChannelCount: Int {
    switch self {
    case .wav: .max
    case .flac: 8
    case .ogg, .opus, .mp3, .m4a: 2
    }
  }

  /// The rates in hertz, where the codec has only some.
  private var rates: [Int]? {
    switch self {
    case .wav, .flac, .ogg: nil
    case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
    case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    // ISO/IEC 14496-3, table 1.18.
    case .m4a:
      [7_350, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000]
    }
  }

  /// The bits per second of a file of Opus or AAC.
  func bitRate(quality: Double, channels: Int, sampleRate: Int) -> Int {
    let share = min(1, Double(sampleRate) / 44_100)
    return Int((16_000 + 144_000 * min(max(0, quality), 1)) * share) * channels
  }

  /// The rate in whole hertz, for a format and an encoding that the container takes.
  func checkedRate(
    of format: AudioFormat, encoding: AudioFileWriter.Encoding, path: String
  ) throws(AudioFileError) -> Int {
    func unsupported(_ reason: String, _ advice: String = "Write a WAV file.") -> AudioFileError {
      AudioFileError(.unsupported, path: path, reason: "\(rawValue): \(reason)", advice: advice)
    }
    guard let rate = Int(exactly: format.sampleRate) else {
      throw unsupported("expected a rate of whole hertz, got \(format.sampleRate)", "Convert the sound first.")
    }
    guard self != .flac || encoding == .int16 || encoding == .int24 else {
      throw unsupported("expected s16 or s24, got \(encoding.rawValue)", "Choose s24, or write a WAV file.")
    }
    guard format.channels <= maximumChannelCount else {
      throw unsupported("expected up to \(maximumChannelCount) channels, got \(format.channels)")
    }
    if let rates, !rates.contains(rate) {
      throw unsupported(
        "expected a rate of \(rates.map(String.init).joined(separator: ", ")) Hz, got \(rate)",
        "Convert the sound first, or write a WAV file.")
    }
    // The highest rate of Vorbis is libvorbis's.
    guard self != .ogg || (1_000...192_000).contains(rate) else {
      throw unsupported("expected 1000 to 192000 Hz, got \(rate)")
    }
    // The rates that a frame can represent without the header at the beginning (RFC 9639, section 9.1.2).
    let isCoded = (FLACOutput.lowestRate...655_350).contains(rate) && (rate < 65_536 || rate.isMultiple(of: 10))
    guard self != .flac || isCoded else {
      throw unsupported("expected \(FLACOutput.lowestRate) to 655350 Hz, from 65536 in tens, got \(rate)")
    }
    return rate
  }
}

public import RustleAudio

/// A writer of sound to a file that opens even when the process is killed: WAV, FLAC, Ogg (Vorbis and Opus), MP3 and M4A.
///
/// A process that is killed leaves a file that every reader opens. Of what was appended, WAV lacks less than three quarters of a
/// second, FLAC at most two blocks of its encoder (4096 frames, 93 ms at 44.1 kHz; below 8192 Hz 1152 frames), Opus and MP3
/// less than a second, Vorbis one page (4 kB, of silence up to six seconds at 44.1 kHz), and M4A nothing: the encoder is
/// a program of its own, which completes the file; if it is killed as well, less than a second. An MP3 then begins with 2257 frames of the codec's delay. The header never promises more
/// than the file holds. A WAV that outgrows 4 GiB becomes RF64 as it grows.
///
/// ```swift
/// var writer = try AudioFileWriter(path: "take1.wav", format: format)
/// for try await buffer in try await input.buffers() { try writer.append(buffer) }
/// try writer.finish()
/// ```
///
/// A writer is one position in one file: it is not copyable, and its end closes the file as ``finish()`` does, without reporting
/// errors. Its calls block while the system writes.
///
/// A power failure loses more than a killed process: the system may hold data for half a minute. With
/// ``Options/synchronizes`` each half second of sound is on the medium before the header promises it.
public struct AudioFileWriter: ~Copyable {
  /// The path as it was given.
  public let path: String
  /// The rate and the channels of the sound.
  public let format: AudioFormat
  /// The kind of file.
  public let container: Container
  /// The encoding of a sample, of WAV and FLAC.
  public let encoding: Encoding
  /// Frames appended without an error, from 0.
  public private(set) var framesWritten: Int64 = 0
  /// Samples that were beyond the range of an integer encoding and were written as its end, infinities among them. +1 itself
  /// is beyond it by one step. Always 0 for floats and lossy codecs.
  public var clippedSamples: Int { output.clippedSamples }
  /// Samples that were not a number and were written as 0. Always 0 for WAV files of floats, which keep them.
  public var undefinedSamples: Int { output.undefinedSamples }

  private let output: any EncodedOutput
  private var failure: AudioFileError?

  /// Creates the file, with the header of an empty one.
  ///
  /// - Parameters:
  ///   - path: a file in a folder that exists. Not `-`: the header is written again as the file grows.
  ///   - format: the format of the appended sound. Its rate is a whole number of hertz; FLAC takes up to eight channels
  ///     and 2304 to 655350 Hz, from 65536 in tens, lossy codecs one or two channels and some rates. WAV keeps a layout whose channels are in the order of its bits, each once,
  ///     the discrete ones last; others do not record layouts. A layout that is not kept is read as
  ///     ``ChannelLayout/default(for:)``.
  ///   - options: the container, the encoding and others.
  /// - Throws: ``AudioFileError`` with `unsupported` for a format or encoding that the container does not take or an extension
  ///   that names no container, `noProgram` for M4A without FFmpeg, `alreadyExists`, `notWritable`, `diskFull` or `writeFailed`.
  public init(path: String, format: AudioFormat, options: Options = Options()) throws(AudioFileError) {
    // 0xFFFFFFFF in a header means that the size stands elsewhere.
    try self.init(path: path, format: format, options: options, largestRIFF: UInt64(UInt32.max) - 1)
  }

  /// Creates the file with another size at which a WAV becomes RF64, in bytes behind the first eight.
  package init(
    path: String, format: AudioFormat, options: Options = Options(), largestRIFF: UInt64
  ) throws(AudioFileError) {
    let container = if let chosen = options.container { chosen } else { try Container(path: path) }
    let rate = try container.checkedRate(of: format, encoding: options.encoding, path: path)
    let file = try OutputFile(path: path, overwrite: options.overwrite)
    do throws(AudioFileError) {
      output = try Self.output(
        to: file, container: container, rate: rate, format: format, options: options, largestRIFF: largestRIFF)
    } catch {
      file.discard()
      throw error
    }
    self.path = path
    self.format = format
    self.container = container
    encoding = options.encoding
  }

  private static func output(
    to file: OutputFile, container: Container, rate: Int, format: AudioFormat, options: Options, largestRIFF: UInt64
  ) throws(AudioFileError) -> any EncodedOutput {
    switch container {
    case .wav:
      let header = WaveHeader(
        sampleRate: UInt32(rate), layout: format.layout, encoding: options.encoding, largestRIFF: largestRIFF)
      return try WaveOutput(file: file, header: header, dither: options.dither, synchronizes: options.synchronizes)
    case .flac:
      return try FLACOutput(
        file: file, sampleRate: rate, channels: format.channels, encoding: options.encoding, dither: options.dither,
        synchronizes: options.synchronizes)
    case .ogg, .opus, .mp3:
      return try CodedOutput(
        file: file, container: container, sampleRate: rate, channels: format.channels, quality: options.quality,
        synchronizes: options.synchronizes)
    case .m4a:
      return try MP4Output(
        file: file, sampleRate: rate, channels: format.channels, quality: options.quality,
        synchronizes: options.synchronizes)
    }
  }

  /// Appends the samples of a buffer. Its position and its dropped frames are ignored: gaps are not filled.
  ///
  /// - Parameter buffer: sound of the writer's format, any number of frames.
  /// - Throws: ``AudioFileError`` with `formatMismatch`, after which the writer goes on; or with `diskFull` or `writeFailed`,
  ///   after which the file is closed, holds what was written before, and every further call throws the same.
  public mutating func append(_ buffer: PCMBuffer) throws(AudioFileError) {
    if let failure { throw failure }
    guard buffer.format == format else {
      let mismatch = AudioError.formatMismatch(expected: format, got: buffer.format)
      throw AudioFileError(.formatMismatch, path: path, reason: mismatch.message, advice: "Convert the sound first.")
    }
    // A long buffer is written in pieces, so that the header is updated within it too.
    let piece = max(1, Int(format.sampleRate) / 4)
    var first = 0
    while first < buffer.frameCount {
      let count = min(piece, buffer.frameCount - first)
      do throws(AudioFileError) {
        let samples = buffer.samples[first * format.channels..<(first + count) * format.channels]
        try output.write(samples, peak: buffer.peak)
      } catch {
        failure = error
        throw error
      }
      framesWritten += Int64(count)
      first += count
    }
  }

  /// Completes the header and closes the file.
  ///
  /// - Throws: ``AudioFileError`` with `diskFull` or `writeFailed`, also of an earlier ``append(_:)``; the file is closed all
  ///   the same and opens.
  public consuming func finish() throws(AudioFileError) {
    if let failure { throw failure }
    try output.close()
  }
}

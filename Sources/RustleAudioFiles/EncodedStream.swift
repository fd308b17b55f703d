package import Foundation
package import RustleAudio

/// Sound as bytes for a pipe: a WAV file whose header does not contain its length, or samples alone.
///
/// Nothing is overwritten, as a pipe requires; ``AudioFileWriter`` makes files with their length.
package struct EncodedStream {
  /// The encoding of a sample.
  package let encoding: AudioFileWriter.Encoding
  /// The bytes before the samples; empty without a header.
  package let header: Data
  /// Frames that were encoded.
  package private(set) var framesWritten: Int64 = 0

  private let format: AudioFormat
  private var bytes: SampleBytes

  /// - Parameters:
  ///   - format: the rate, of whole hertz, and the channels of all sound.
  ///   - encoding: the encoding of a sample.
  ///   - dither: see ``AudioFileWriter/Options/dither``.
  ///   - hasHeader: whether it is a WAV file, and not samples alone.
  ///   - name: the destination's name in errors.
  /// - Throws: ``AudioFileError`` with `unsupported` for a format that WAV does not take.
  package init(
    format: AudioFormat, encoding: AudioFileWriter.Encoding, dither: Bool, hasHeader: Bool, name: String
  ) throws(AudioFileError) {
    self.format = format
    self.encoding = encoding
    bytes = SampleBytes(encoding: encoding, dither: dither)
    guard hasHeader else {
      header = Data()
      return
    }
    let rate = try AudioFileWriter.Container.wav.checkedRate(of: format, encoding: encoding, path: name)
    header =
      WaveHeader(
        sampleRate: UInt32(rate), layout: format.layout, encoding: encoding, largestRIFF: UInt64(UInt32.max) - 1
      ).bytesOfStream
  }

  /// Samples that did not fit; see ``AudioFileWriter/clippedSamples``.
  package var clippedSamples: Int { bytes.clippedSamples }

  /// The bytes of a buffer.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``.
  package mutating func encode(_ buffer: PCMBuffer) throws(AudioError) -> Data {
    guard buffer.format == format else { throw .formatMismatch(expected: format, got: buffer.format) }
    framesWritten += Int64(buffer.frameCount)
    return bytes.encode(buffer.samples[...], peak: buffer.peak)
  }
}

/// A container that takes samples and writes them to its file.
///
/// Whatever ends the process between two calls, the file opens. An object that goes away closes its file.
protocol EncodedOutput: AnyObject {
  /// Samples beyond the range so far; see `AudioFileWriter.clippedSamples`.
  var clippedSamples: Int { get }
  /// Samples that were NaN so far.
  var undefinedSamples: Int { get }

  /// Writes whole frames. After an error the file holds what could be written, and nothing more may be written.
  ///
  /// - Parameter peak: a magnitude that no sample exceeds, NaN where one is; nil: not known.
  func write(_ samples: ArraySlice<Float>, peak: Float?) throws(AudioFileError)

  /// Writes what is held back and the final header, and closes the file. Only the first call has an effect.
  func close() throws(AudioFileError)
}

/// The output of an encoder that writes at the end, and at its end once more at the beginning.
///
/// The header comes in pieces and is held until it is whole, so that the file is empty or opens. Behind it an encoder writes
/// one whole coded frame at a time; a frame that does not fit is removed again.
final class EncodedBytes {
  private let file: OutputFile
  /// The header's pieces, until it is whole.
  private var header: Data? = Data()
  /// The bytes of the encoder's latest call, whose memory is kept for the next one.
  var latest = Data()
  /// The encoder's next position.
  private(set) var position: Int64 = 0
  /// The error of a failed write, after which nothing more is written.
  private(set) var failure: AudioFileError?

  init(file: OutputFile) { self.file = file }

  var path: String { file.path }
  /// The bytes of the file, with those that are held.
  var length: Int64 { Int64(file.length) + Int64(header?.count ?? 0) }

  /// Moves as `lseek` does; `origin` is its third argument.
  func seek(to offset: Int64, from origin: Int32) -> Int64 {
    switch origin {
    case SEEK_SET: position = offset
    case SEEK_CUR: position += offset
    case SEEK_END: position = length + offset
    default: return -1
    }
    return position
  }

  /// Takes bytes at the position; returns the number taken, all or none.
  func write(_ bytes: Data) -> Int64 {
    guard failure == nil else { return 0 }
    do throws(AudioFileError) {
      if header != nil, position == length {
        header?.append(bytes)
      } else if position == length {
        try file.append(bytes)
      } else {
        try file.replace(at: UInt64(position), with: bytes)
      }
    } catch {
      failure = error
      file.settle(unit: .max, from: file.length)
      return 0
    }
    position += Int64(bytes.count)
    return Int64(bytes.count)
  }

  /// Writes the header, which is whole now; returns it.
  @discardableResult
  func flushHeader() throws(AudioFileError) -> Data {
    if let failure { throw failure }
    guard let bytes = header else { return Data() }
    header = nil
    try file.append(bytes)
    return bytes
  }
}

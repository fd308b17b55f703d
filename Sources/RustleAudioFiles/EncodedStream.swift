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
    return bytes.encode(buffer.samples[...])
  }
}

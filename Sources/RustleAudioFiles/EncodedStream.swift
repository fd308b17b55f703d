package import Foundation
package import RustleAudio

/// Sound as bytes for a pipe: a WAV file whose header does not say how long it is, or samples alone.
///
/// Nothing is written again, so that a pipe will do; ``AudioFileWriter`` makes files that say their length.
package struct EncodedStream {
  /// How a sample is written.
  package let encoding: AudioFileWriter.Encoding
  /// What stands before the samples; nothing where there is no header.
  package let header: Data
  /// Frames that were encoded.
  package private(set) var framesWritten: Int64 = 0

  private let format: AudioFormat
  private var bytes: SampleBytes

  /// - Parameters:
  ///   - format: the rate, of whole hertz, and the channels of all sound.
  ///   - encoding: how a sample is written.
  ///   - dither: see ``AudioFileWriter/Options/dither``.
  ///   - hasHeader: whether it is a WAV file, and not samples alone.
  ///   - name: what errors call the place that the bytes go to.
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

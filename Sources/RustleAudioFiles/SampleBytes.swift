internal import Foundation

/// A converter of samples into the bytes of a file, the lowest byte of a sample first.
struct SampleBytes {
  private let encoding: AudioFileWriter.Encoding
  private var encoder: SampleEncoder
  private var bytes = Data()

  init(encoding: AudioFileWriter.Encoding, dither: Bool) {
    self.encoding = encoding
    encoder = SampleEncoder(bits: encoding.bits, dither: dither)
  }

  var clippedSamples: Int { encoder.clippedSamples }
  var undefinedSamples: Int { encoder.undefinedSamples }

  /// The bytes of samples; their memory is kept for the next ones.
  mutating func encode(_ samples: ArraySlice<Float>) -> Data {
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(samples.count * encoding.bits / 8)
    for sample in samples {
      let pattern = encoding == .float32 ? sample.bitPattern : UInt32(bitPattern: encoder.integer(sample))
      for shift in stride(from: 0, to: encoding.bits, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: pattern >> UInt32(shift)))
      }
    }
    return bytes
  }
}

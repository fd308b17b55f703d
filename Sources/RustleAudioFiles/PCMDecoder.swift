/// A decoder of bytes in pieces of any length into whole frames of samples.
///
/// Integers are divided by the magnitude of their lowest value, so that full scale is ±1, as libsndfile does. Floats are taken
/// as they are, infinities and NaN included; those of 64 bits are rounded.
///
/// ```swift
/// var decoder = PCMDecoder(encoding: .s16le, channels: 2)
/// var samples: [Float] = []
/// decoder.decode(bytes, into: &samples)
/// ```
public struct PCMDecoder: Sendable {
  /// The encoding of a sample.
  public let encoding: PCMEncoding
  /// Samples of a frame, at least 1.
  public let channels: Int
  /// The bytes of an unfinished frame, held for the next piece.
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - encoding: the encoding of a sample.
  ///   - channels: samples of a frame, at least 1.
  /// - Precondition: `channels` is at least 1.
  public init(encoding: PCMEncoding, channels: Int) {
    precondition(channels >= 1, "channels must be at least 1, got \(channels)")
    self.encoding = encoding
    self.channels = channels
  }

  /// The bytes of a frame.
  public var frameBytes: Int { encoding.bytes * channels }
  /// The bytes of an unfinished frame at the end of what was decoded, 0 ..< ``frameBytes``.
  public var pendingBytes: Int { pending.count }

  /// Decodes the whole frames of what is pending and `bytes`; the rest waits for the next call.
  ///
  /// - Parameters:
  ///   - bytes: the next bytes, any number.
  ///   - samples: its contents are replaced by the interleaved samples of the frames; its storage is kept.
  public mutating func decode(_ bytes: some Sequence<UInt8>, into samples: inout [Float]) {
    samples.removeAll(keepingCapacity: true)
    pending.append(contentsOf: bytes)
    let whole = pending.count / frameBytes * frameBytes
    samples.reserveCapacity(whole / encoding.bytes)
    for first in stride(from: 0, to: whole, by: encoding.bytes) { samples.append(sample(at: first)) }
    pending.removeFirst(whole)
  }

  private func sample(at first: Int) -> Float {
    var pattern: UInt64 = 0
    for place in 0..<encoding.bytes {
      let byte = encoding.isBigEndian ? pending[first + place] : pending[first + encoding.bytes - 1 - place]
      pattern = pattern << 8 | UInt64(byte)
    }
    switch encoding {
    case .u8: return Float(Int(pattern) - 128) / 128
    case .f32le, .f32be: return Float(bitPattern: UInt32(pattern))
    case .f64le, .f64be: return Float(Double(bitPattern: pattern))
    default:
      // The sign goes to the top of 32 bits, and the scale with it. A 32-bit integer is rounded to a float first.
      let aligned = Int32(truncatingIfNeeded: pattern << UInt64(32 - 8 * encoding.bytes))
      return Float(aligned) / 2_147_483_648
    }
  }
}

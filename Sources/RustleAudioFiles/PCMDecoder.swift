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
    pending.append(contentsOf: bytes)
    let whole = pending.count / frameBytes * frameBytes
    samples.removeAll(keepingCapacity: true)
    samples.append(contentsOf: repeatElement(0, count: whole / encoding.bytes))
    decode(pending.span, into: samples.mutableSpan)
    pending.removeFirst(whole)
  }

  private func decode(_ bytes: Span<UInt8>, into samples: consuming MutableSpan<Float>) {
    // One loop for each width, which the compiler unrolls.
    switch encoding {
    case .s8: fill(&samples, bytes, of: 1) { Float(Int8(truncatingIfNeeded: $0)) / 128 }
    case .u8: fill(&samples, bytes, of: 1) { Float(Int32(truncatingIfNeeded: $0) - 128) / 128 }
    case .s16le, .s16be: fill(&samples, bytes, of: 2) { Float(Int16(truncatingIfNeeded: $0)) / 32_768 }
    // The sign goes to the top of 32 bits, and the scale with it. A 32-bit integer is rounded to a float first.
    case .s24le, .s24be: fill(&samples, bytes, of: 3) { Float(Int32(truncatingIfNeeded: $0 << 8)) / 2_147_483_648 }
    case .s32le, .s32be: fill(&samples, bytes, of: 4) { Float(Int32(truncatingIfNeeded: $0)) / 2_147_483_648 }
    case .f32le, .f32be: fill(&samples, bytes, of: 4) { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
    case .f64le, .f64be: fill(&samples, bytes, of: 8) { Float(Double(bitPattern: $0)) }
    }
  }

  /// Sets each sample from the number in its `width` bytes.
  @inline(__always)
  private func fill(
    _ samples: inout MutableSpan<Float>, _ bytes: Span<UInt8>, of width: Int, _ sample: (UInt64) -> Float
  ) {
    let isBigEndian = encoding.isBigEndian
    for index in 0..<min(samples.count, bytes.count / width) {
      var pattern: UInt64 = 0
      for place in 0..<width {
        let byte = bytes[width &* index &+ place]
        pattern |= UInt64(byte) << UInt64(8 &* (isBigEndian ? width &- 1 &- place : place))
      }
      samples[index] = sample(pattern)
    }
  }
}

/// The encoding of raw samples, named as in FFmpeg and ALSA.
public enum PCMEncoding: String, Sendable, Hashable, CaseIterable {
  /// Signed integers of 8 bits.
  case s8
  /// Unsigned integers of 8 bits; 128 is silence.
  case u8
  /// Signed integers of 16 bits, lowest byte first.
  case s16le
  /// Signed integers of 16 bits, highest byte first.
  case s16be
  /// Signed integers of 24 bits in three bytes, lowest byte first.
  case s24le
  /// Signed integers of 24 bits in three bytes, highest byte first.
  case s24be
  /// Signed integers of 32 bits, lowest byte first.
  case s32le
  /// Signed integers of 32 bits, highest byte first.
  case s32be
  /// IEEE 754 numbers of 32 bits, lowest byte first.
  case f32le
  /// IEEE 754 numbers of 32 bits, highest byte first.
  case f32be
  /// IEEE 754 numbers of 64 bits, lowest byte first.
  case f64le
  /// IEEE 754 numbers of 64 bits, highest byte first.
  case f64be

  /// The bytes of a sample, 1 to 8.
  public var bytes: Int {
    switch self {
    case .s8, .u8: 1
    case .s16le, .s16be: 2
    case .s24le, .s24be: 3
    case .s32le, .s32be, .f32le, .f32be: 4
    case .f64le, .f64be: 8
    }
  }

  /// Whether the highest byte comes first; of one byte, no.
  var isBigEndian: Bool {
    switch self {
    case .s16be, .s24be, .s32be, .f32be, .f64be: true
    case .s8, .u8, .s16le, .s24le, .s32le, .f32le, .f64le: false
    }
  }
}

internal import Foundation

/// A converter of samples into the bytes of a file, the lowest byte of a sample first.
struct SampleBytes {
  private let encoding: AudioFileWriter.Encoding
  private var encoder: SampleEncoder
  private var integers: [Int32] = []
  private var bytes = Data()

  init(encoding: AudioFileWriter.Encoding, dither: Bool) {
    self.encoding = encoding
    encoder = SampleEncoder(bits: encoding.bits, dither: dither)
  }

  var clippedSamples: Int { encoder.clippedSamples }
  var undefinedSamples: Int { encoder.undefinedSamples }

  /// The bytes of samples; their memory is kept for the next ones.
  ///
  /// - Parameter peak: a magnitude that no sample exceeds, NaN where one is; nil: not known.
  mutating func encode(_ samples: ArraySlice<Float>, peak: Float?) -> Data {
    let samples = samples.span
    switch encoding {
    case .float32:
      bytes.store(samples) { $0.bitPattern.littleEndian }
      return bytes
    case .int16 where encoder.fits(samples, peak: peak):
      bytes.store(samples) { SampleEncoder.fitting16($0).littleEndian }
      return bytes
    case .int16, .int24, .int32: encoder.encode(samples, peak: peak, into: &integers)
    }
    let integers = integers
    switch encoding {
    case .int16: bytes.store(integers.span) { Int16(truncatingIfNeeded: $0).littleEndian }
    case .int24: bytes.storeTriples(of: integers.span)
    case .int32: bytes.store(integers.span) { $0.littleEndian }
    case .float32: break
    }
    return bytes
  }
}

extension Data {
  /// Becomes a number for each element, one behind the other; its memory is kept.
  @inline(__always)
  fileprivate mutating func store<Element, Number: FixedWidthInteger & BitwiseCopyable>(
    _ elements: Span<Element>, _ number: (Element) -> Number
  ) {
    let width = MemoryLayout<Number>.size
    resize(to: width * elements.count)
    var target = mutableBytes
    for index in 0..<Swift.min(elements.count, target.byteCount / width) {
      target.storeBytes(of: number(elements[index]), toByteOffset: width &* index, as: Number.self)
    }
  }

  /// Becomes the lower three bytes of each integer: those of four integers at a time are three words.
  fileprivate mutating func storeTriples(of integers: Span<Int32>) {
    resize(to: 3 * integers.count)
    var target = mutableBytes
    let groups = Swift.min(integers.count / 4, target.byteCount / 12)
    for group in 0..<groups {
      let (first, offset) = (4 &* group, 12 &* group)
      let (a, b, c, d) = (integers[first], integers[first &+ 1], integers[first &+ 2], integers[first &+ 3])
      target.storeBytes(of: (a & 0xFF_FFFF | b << 24).littleEndian, toByteOffset: offset, as: Int32.self)
      target.storeBytes(of: (b >> 8 & 0xFFFF | c << 16).littleEndian, toByteOffset: offset &+ 4, as: Int32.self)
      target.storeBytes(of: (c >> 16 & 0xFF | d << 8).littleEndian, toByteOffset: offset &+ 8, as: Int32.self)
    }
    for index in 4 * groups..<integers.count {
      for byte in 0..<3 {
        let bits = UInt8(truncatingIfNeeded: integers[index] >> Int32(8 * byte))
        target.storeBytes(of: bits, toByteOffset: 3 * index + byte, as: UInt8.self)
      }
    }
  }

  private mutating func resize(to length: Int) {
    if count != length { count = length }
  }
}

extension Span<Float> {
  /// The largest magnitude; infinite or NaN where a sample is, and NaN before infinite.
  ///
  /// The bits of magnitudes have the order of the numbers, and the compiler makes vectors of integers where it may not of
  /// floats.
  var peak: Float {
    var largest: Int32 = 0
    for index in indices { largest = Swift.max(largest, Int32(bitPattern: self[index].bitPattern & 0x7FFF_FFFF)) }
    return Float(bitPattern: UInt32(bitPattern: largest))
  }

  /// Whether the samples are the same ones, NaN and the signs of zeros included.
  func hasSameBits(as other: Self) -> Bool {
    guard count == other.count else { return false }
    // What differs does so early.
    let piece = 256
    for start in stride(from: 0, to: count, by: piece) {
      let range = start..<Swift.min(start + piece, count)
      let (these, those) = (extracting(range), other.extracting(range))
      var difference: UInt32 = 0
      for index in 0..<Swift.min(these.count, those.count) {
        difference |= these[index].bitPattern ^ those[index].bitPattern
      }
      if difference != 0 { return false }
    }
    return true
  }

  /// The largest magnitude of the numbers among the samples, of none 0; NaN is left out.
  var peakOfNumbers: Float {
    let peak = peak
    guard peak.isNaN else { return peak }
    var largest: Float = 0
    for index in indices { largest = Swift.max(largest, self[index].isNaN ? 0 : abs(self[index])) }
    return largest
  }
}

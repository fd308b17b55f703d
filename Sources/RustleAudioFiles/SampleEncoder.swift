/// A converter of samples of ±1 into the integers of a file, which counts those that do not fit.
///
/// An integer of `b` bits is the sample times 2^(b-1), rounded to the nearest, halves to the even one: what a reader divides
/// by the same number comes back as it was. Full scale itself, +1, is one step beyond the largest integer.
struct SampleEncoder {
  /// The bits of an integer, 2 to 32.
  let bits: Int
  /// Whether noise of a triangular density, one step wide in each direction, takes the place of the rounding error's
  /// dependence on the signal (Lipshitz, Wannamaker, Vanderkooy, "Quantization and Dither", JAES 40(5), 1992).
  let dither: Bool
  /// Samples that were beyond the range and were written as its end, infinities among them.
  private(set) var clippedSamples = 0
  /// Samples that were not a number and were written as 0.
  private(set) var undefinedSamples = 0

  private let scale: Double
  private let range: ClosedRange<Double>
  private var noise = Noise()

  init(bits: Int, dither: Bool) {
    self.bits = bits
    self.dither = dither
    scale = Double(Int64(1) << (bits - 1))
    range = -scale...scale - 1
  }

  /// 1.5 times 2^52: a number of less than 2^51 that is added to it is rounded to an integer, halves to the even one, whose
  /// bits are the lowest of the sum (Hecker, "Let's get to the (floating) point", Game Developer, 1996).
  private static let rounder = 6_755_399_441_055_744.0

  /// Whether the integers of all samples are within the range, and without dither; a loop without branches suffices then.
  ///
  /// - Parameter peak: a magnitude that no sample exceeds, NaN where one is; nil: not known.
  func fits(_ samples: Span<Float>, peak: Float?) -> Bool {
    // NaN is no less than anything.
    !dither && Double(peak ?? samples.peak) * scale < scale - 0.5
  }

  /// The integer of 16 bits for a sample that fits, computed as ``encode(_:peak:shift:into:)`` does, but in single precision: the
  /// product is exact, and 1.5 times 2^23 rounds numbers of less than 2^22.
  @inline(__always)
  static func fitting16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: (sample * 32_768 + 12_582_912).bitPattern)
  }

  /// The integers for samples.
  ///
  /// - Parameters:
  ///   - peak: a magnitude that no sample exceeds, NaN where one is; nil: not known.
  ///   - shift: the bits by which each integer is moved up.
  ///   - integers: its contents are replaced; its storage is kept for as many samples.
  mutating func encode(_ samples: Span<Float>, peak: Float?, shift: Int32 = 0, into integers: inout [Int32]) {
    if integers.count != samples.count { integers = [Int32](repeating: 0, count: samples.count) }
    var target = integers.mutableSpan
    guard fits(samples, peak: peak) else {
      for index in 0..<min(samples.count, target.count) { target[index] = integer(samples[index]) &<< shift }
      return
    }
    let scale = scale
    for index in 0..<min(samples.count, target.count) {
      let integer = Int32(truncatingIfNeeded: (Double(samples[index]) * scale + Self.rounder).bitPattern)
      target[index] = integer &<< shift
    }
  }

  /// The integer for a sample.
  mutating func integer(_ sample: Float) -> Int32 {
    guard !sample.isNaN else {
      undefinedSamples += 1
      return 0
    }
    var value = Double(sample) * scale
    if dither { value += noise.next() + noise.next() }
    value.round(.toNearestOrEven)
    guard range.contains(value) else {
      clippedSamples += 1
      return Int32(value < 0 ? range.lowerBound : range.upperBound)
    }
    return Int32(value)
  }

  /// The same noise in each run, so that the same sound makes the same file.
  ///
  /// xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", ACM TOMS 42(4), 2016).
  private struct Noise {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Evenly spread over -1/2 ..< 1/2.
    mutating func next() -> Double {
      state ^= state >> 12
      state ^= state << 25
      state ^= state >> 27
      let number = state &* 0x2545_F491_4F6C_DD1D
      return Double(number >> 11) / Double(UInt64(1) << 53) - 0.5
    }
  }
}

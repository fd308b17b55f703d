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

  /// The largest magnitude of the numbers among the samples, of none 0; NaN is left out.
  var peakOfNumbers: Float {
    let peak = peak
    guard peak.isNaN else { return peak }
    var largest: Float = 0
    for index in indices { largest = Swift.max(largest, self[index].isNaN ? 0 : abs(self[index])) }
    return largest
  }
}

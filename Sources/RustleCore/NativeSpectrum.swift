internal import CRustle

/// A sinusoid that the native side found in a spectrum.
package struct NativePeak: Sendable, Hashable {
  /// In Hz.
  package let frequency: Double
  /// 1.0 for a full-scale sine.
  package let amplitude: Double
}

/// Native functions on samples and spectra that need no plan.
package enum NativeSpectrum {
  /// The magnitudes of the first `size` / 2 bins, by the function that the project's brief names; nil when it refuses.
  ///
  /// - Parameters:
  ///   - signal: at least one sample; padded with zeros or cropped to `size`.
  ///   - size: a power of two from 256 to 8192.
  package static func compute(
    of signal: Span<Float>, size: Int, window: NativeWindow
  ) throws(NativeError) -> [Float]? {
    try NativeLibrary.prepare()
    guard let size = Int32(exactly: size), let window = Int32(exactly: window.number) else { return nil }
    return unsafe signal.withUnsafeBufferPointer { signal in
      // Samples beyond the frame are cropped in any case: here, so that the length fits its type.
      let length = Int32(min(signal.count, max(0, Int(size))))
      guard let result = unsafe compute_fft_rust(signal.baseAddress, length, size, window) else { return nil }
      defer { unsafe free_fft_result_rust(result) }
      return unsafe Array(UnsafeBufferPointer(start: result, count: Int(size) / 2))
    }
  }

  /// The sinusoids of a spectrum, the strongest first.
  ///
  /// - Parameters:
  ///   - amplitudes: N/2 + 1 magnitudes, a full-scale sine reading 1.0.
  ///   - window: the periodic window that they were made with.
  ///   - sampleRate: in Hz, finite and above 0.
  ///   - threshold: the least amplitude, at least 0.
  ///   - limit: the most peaks to return.
  package static func peaks(
    in amplitudes: Span<Float>, window: NativeWindow, sampleRate: Double, threshold: Double, limit: Int
  ) throws(NativeError) -> [NativePeak] {
    try NativeLibrary.prepare()
    // There are fewer peaks than bins.
    let capacity = max(0, min(limit, amplitudes.count))
    var search = RustlePeakSearch(
      sample_rate: sampleRate, threshold: threshold, separation: 0, window: window.number, reserved: 0)
    var records = [RustlePeak](repeating: RustlePeak(), count: capacity)
    var count = 0
    var span = records.mutableSpan
    try unsafe amplitudes.withUnsafeBufferPointer { amplitudes throws(NativeError) in
      try unsafe span.withUnsafeMutableBufferPointer { records throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_spectrum_peaks(
            amplitudes.baseAddress, amplitudes.count, &search, records.baseAddress, records.count, &count, $0)
        }
      }
    }
    return records.prefix(count).map { NativePeak(frequency: $0.frequency, amplitude: $0.amplitude) }
  }
}

internal import CRustle

/// Native functions on samples and spectra that need no plan.
package enum NativeSpectrum {
  /// Returns the magnitudes of the first `size` / 2 bins, by the C function of the project's brief; nil when it refuses.
  ///
  /// - Parameters:
  ///   - signal: at least one sample; padded with zeros or cropped to `size`.
  ///   - size: a power of two from 256 to 8192.
  package static func compute(
    of signal: Span<Float>, size: Int, window: NativeWindow
  ) throws(NativeError) -> [Float]? {
    try NativeLibrary.prepare()
    guard let size = Int32(exactly: size), let window = Int32(exactly: window.rawValue) else { return nil }
    return unsafe signal.withUnsafeBufferPointer { signal in
      // Samples beyond the frame are cropped in any case; here, so that the length fits its type.
      let length = Int32(min(signal.count, max(0, Int(size))))
      guard let result = unsafe compute_fft_rust(signal.baseAddress, length, size, window) else { return nil }
      defer { unsafe free_fft_result_rust(result) }
      return unsafe Array(UnsafeBufferPointer(start: result, count: Int(size) / 2))
    }
  }

  /// Returns the sinusoids of a spectrum, the strongest first.
  ///
  /// - Parameters:
  ///   - amplitudes: N/2 + 1 magnitudes; a full-scale sine has 1.0.
  ///   - limit: the maximum number of peaks.
  package static func peaks(
    in amplitudes: Span<Float>, _ search: NativePeakSearch, limit: Int
  ) throws(NativeError) -> [NativePeak] {
    // There are fewer peaks than bins.
    var records = [RustlePeak](repeating: RustlePeak(), count: max(0, min(limit, amplitudes.count)))
    var span = records.mutableSpan
    let count = try NativeCalls.spectrumPeaks(amplitudes: amplitudes, search: search, peaks: &span)
    return records.prefix(count).map(NativePeak.init)
  }
}

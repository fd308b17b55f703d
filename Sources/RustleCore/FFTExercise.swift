internal import CRustle

/// The native transform without Swift code around it, as the reference of a benchmark.
package enum FFTExercise {
  /// Calls the native function `count` times for the magnitudes of one frame, with the plan's scratch memory.
  ///
  /// - Parameters:
  ///   - input: the samples of one frame of the plan.
  ///   - output: half as many elements.
  package static func magnitudes(_ plan: NativeFFTPlan, of input: [Float], into output: inout [Float], count: Int) {
    let kind = NativeSpectrumOutput.magnitudes.rawValue
    let handle = plan.handle.raw
    defer { extendLifetime(plan) }
    unsafe input.withUnsafeBufferPointer { x in
      unsafe output.withUnsafeMutableBufferPointer { y in
        for _ in 0..<count {
          _ = unsafe rustle_fft_spectrum(handle, kind, x.baseAddress, x.count, y.baseAddress, y.count, nil, 0, nil)
        }
      }
    }
  }
}

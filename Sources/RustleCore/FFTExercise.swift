internal import CRustle

/// The transform without anything of this side's around it: what a benchmark compares with.
package enum FFTExercise {
  /// Calls the native function `count` times for the magnitudes of one frame, with the plan's scratch memory.
  ///
  /// - Parameters:
  ///   - input: as many samples as the plan's frames have.
  ///   - output: half as many elements.
  package static func magnitudes(_ plan: NativeFFTPlan, of input: [Float], into output: inout [Float], count: Int) {
    let form = NativeSpectrumOutput.magnitudes.rawValue
    let handle = plan.handle.raw
    defer { extendLifetime(plan) }
    unsafe input.withUnsafeBufferPointer { x in
      unsafe output.withUnsafeMutableBufferPointer { y in
        for _ in 0..<count {
          _ = unsafe rustle_fft_spectrum(handle, form, x.baseAddress, x.count, y.baseAddress, y.count, nil, 0, nil)
        }
      }
    }
  }
}

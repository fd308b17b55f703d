internal import CRustle

/// A window, by the native side's number.
package enum NativeWindow: Sendable {
  case rectangular
  case hann
  case hamming
  case blackman

  var number: UInt32 {
    let number =
      switch self {
      case .rectangular: RUSTLE_WINDOW_NONE
      case .hann: RUSTLE_WINDOW_HANN
      case .hamming: RUSTLE_WINDOW_HAMMING
      case .blackman: RUSTLE_WINDOW_BLACKMAN
      }
    return UInt32(number)
  }

  /// The coefficients of the window, 0 to 1.
  ///
  /// - Parameters:
  ///   - symmetric: whether the last coefficient equals the first; else the window is one period of its cosines.
  ///   - output: receives one coefficient per element.
  package func fill(symmetric: Bool, into output: inout MutableSpan<Float>) throws(NativeError) {
    try NativeLibrary.prepare()
    try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_fft_window(number, symmetryNumber(symmetric), output.baseAddress, output.count, $0)
      }
    }
  }
}

/// What a native plan writes for each bin.
package enum NativeSpectrumForm: Sendable {
  case magnitudes
  case power
  case decibels
  case complex
}

/// A native plan for the spectra of frames of one size: the one owner of its handle. Any number of tasks may use it at a
/// time.
package final class NativeFFTPlan: Sendable {
  private let handle: NativeHandle

  /// - Parameters:
  ///   - size: the frames' number of samples, a power of two from 64 to 65,536.
  ///   - symmetric: see `NativeWindow.fill`.
  ///   - amplitudes: whether a full-scale sine reads 1.0; else the sums are not scaled.
  package init(size: Int, window: NativeWindow, symmetric: Bool, amplitudes: Bool) throws(NativeError) {
    try NativeLibrary.prepare()
    let scale = UInt32(amplitudes ? RUSTLE_SCALE_AMPLITUDE : RUSTLE_SCALE_NONE)
    var raw: UInt64 = 0
    try unsafe NativeError.check {
      // A negative size becomes 0, which is refused like it.
      unsafe rustle_fft_plan_new(max(0, size), window.number, symmetryNumber(symmetric), scale, &raw, $0)
    }
    handle = NativeHandle(raw) { raw in _ = rustle_fft_plan_free(raw, nil) }
  }

  /// Writes the spectrum of one frame; `input` and `output` have the lengths that the form asks for.
  package func run(
    _ form: NativeSpectrumForm, of input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe input.withUnsafeBufferPointer { input throws(NativeError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
        try unsafe NativeError.check { error in
          let (x, n, y, m) = (input.baseAddress, input.count, output.baseAddress, output.count)
          // Without scratch memory of the caller's: the plan has its own.
          return switch form {
          case .magnitudes: unsafe rustle_fft_magnitudes(handle.raw, x, n, y, m, nil, 0, error)
          case .power: unsafe rustle_fft_power(handle.raw, x, n, y, m, nil, 0, error)
          case .decibels: unsafe rustle_fft_decibels(handle.raw, x, n, y, m, nil, 0, error)
          case .complex: unsafe rustle_fft_complex(handle.raw, x, n, y, m, nil, 0, error)
          }
        }
      }
    }
  }
}

private func symmetryNumber(_ symmetric: Bool) -> UInt32 {
  UInt32(symmetric ? RUSTLE_SYMMETRY_SYMMETRIC : RUSTLE_SYMMETRY_PERIODIC)
}

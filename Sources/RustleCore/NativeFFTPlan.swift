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

  var number: UInt32 {
    let number =
      switch self {
      case .magnitudes: RUSTLE_FORM_MAGNITUDES
      case .power: RUSTLE_FORM_POWER
      case .decibels: RUSTLE_FORM_DECIBELS
      case .complex: RUSTLE_FORM_COMPLEX
      }
    return UInt32(number)
  }
}

/// The instructions that a native transform uses, by the native side's number.
package enum NativeFFTPath: Sendable, CaseIterable {
  case plain
  case narrow
  case neon
  case avx2
  case avx512

  var number: UInt32 {
    let number =
      switch self {
      case .plain: RUSTLE_PATH_PLAIN
      case .narrow: RUSTLE_PATH_NARROW
      case .neon: RUSTLE_PATH_NEON
      case .avx2: RUSTLE_PATH_AVX2
      case .avx512: RUSTLE_PATH_AVX512
      }
    return UInt32(number)
  }

  /// The number of a path, or of the one that the native side prefers.
  static func number(_ path: Self?) -> UInt32 { path?.number ?? UInt32(RUSTLE_PATH_PREFERRED) }

  /// The path behind a number of the native side.
  static func path(_ number: UInt32) throws(NativeError) -> Self {
    guard let path = allCases.first(where: { $0.number == number }) else {
      throw NativeError(status: .invalidValue, message: "FFT path: expected a known number, got \(number)")
    }
    return path
  }

  /// The path of plans for which none is named.
  package static func preferred() throws(NativeError) -> Self {
    try NativeLibrary.prepare()
    var number: UInt32 = 0
    try unsafe NativeError.check { unsafe rustle_fft_path(&number, $0) }
    return try path(number)
  }
}

/// The window, symmetry and scale of a native plan, as the native side's numbers.
package struct NativeWeighting: Sendable {
  let window: UInt32
  let symmetry: UInt32
  let scale: UInt32

  /// - Parameters:
  ///   - symmetric: see `NativeWindow.fill`.
  ///   - amplitudes: whether a full-scale sine reads 1.0; else the sums are not scaled.
  package init(window: NativeWindow, symmetric: Bool, amplitudes: Bool) {
    self.window = window.number
    symmetry = symmetryNumber(symmetric)
    scale = UInt32(amplitudes ? RUSTLE_SCALE_AMPLITUDE : RUSTLE_SCALE_NONE)
  }
}

/// A native plan for the spectra of frames of one size: the one owner of its handle. Any number of tasks may use it at a
/// time.
package final class NativeFFTPlan: Sendable {
  private let handle: NativeHandle
  /// The path that it computes on.
  package let path: NativeFFTPath
  /// The least number of elements of the scratch memory that a caller may bring.
  package let scratchCount: Int

  /// - Parameters:
  ///   - size: the frames' number of samples, a power of two from 64 to 65,536.
  ///   - path: nil for the preferred one.
  package init(size: Int, weighting: NativeWeighting, path: NativeFFTPath?) throws(NativeError) {
    try NativeLibrary.prepare()
    var raw: UInt64 = 0
    try unsafe NativeError.check {
      // A negative size becomes 0, which is refused like it.
      unsafe rustle_fft_plan_new_on_path(
        max(0, size), weighting.window, weighting.symmetry, weighting.scale, NativeFFTPath.number(path), &raw, $0)
    }
    handle = NativeHandle(raw) { raw in _ = rustle_fft_plan_free(raw, nil) }
    var (number, count): (UInt32, Int) = (0, 0)
    try unsafe NativeError.check { unsafe rustle_fft_plan_path(raw, &number, $0) }
    try unsafe NativeError.check { unsafe rustle_fft_plan_scratch_length(raw, &count, $0) }
    self.path = try NativeFFTPath.path(number)
    scratchCount = count
  }

  /// Calls `body` with the handle, which is live during the call.
  func withRawHandle<Result>(_ body: (UInt64) -> Result) -> Result {
    defer { extendLifetime(self) }
    return body(handle.raw)
  }

  /// Writes the spectrum of one frame; `input` and `output` have the lengths that the form asks for.
  package func run(
    _ form: NativeSpectrumForm, of input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(NativeError) {
    // Without scratch memory of the caller's: the plan has its own.
    try unsafe run(form, input, &output, nil, 0)
  }

  /// As `run(_:of:into:)`, with scratch memory of the caller's, at least ``scratchCount`` elements of any content.
  package func run(
    _ form: NativeSpectrumForm, of input: Span<Float>, into output: inout MutableSpan<Float>,
    scratch: inout MutableSpan<Float>
  ) throws(NativeError) {
    try unsafe scratch.withUnsafeMutableBufferPointer { scratch throws(NativeError) in
      try unsafe run(form, input, &output, scratch.baseAddress, scratch.count)
    }
  }

  private func run(
    _ form: NativeSpectrumForm, _ input: Span<Float>, _ output: inout MutableSpan<Float>,
    _ scratch: UnsafeMutablePointer<Float>?, _ scratchCount: Int
  ) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe input.withUnsafeBufferPointer { input throws(NativeError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
        try unsafe NativeError.check { error in
          let (x, n, y, m) = (input.baseAddress, input.count, output.baseAddress, output.count)
          let (s, l) = unsafe (scratch, scratchCount)
          return switch form {
          case .magnitudes: unsafe rustle_fft_magnitudes(handle.raw, x, n, y, m, s, l, error)
          case .power: unsafe rustle_fft_power(handle.raw, x, n, y, m, s, l, error)
          case .decibels: unsafe rustle_fft_decibels(handle.raw, x, n, y, m, s, l, error)
          case .complex: unsafe rustle_fft_complex(handle.raw, x, n, y, m, s, l, error)
          }
        }
      }
    }
  }
}

/// A native plan for the way back from complex bins: the one owner of its handle. Any number of tasks may use it at a time.
package final class NativeInverseFFTPlan: Sendable {
  private let handle: NativeHandle
  /// The least number of elements of the scratch memory that a caller may bring.
  package let scratchCount: Int

  /// - Parameters:
  ///   - size: the frames' number of samples, a power of two from 64 to 65,536.
  ///   - path: nil for the preferred one.
  package init(size: Int, path: NativeFFTPath?) throws(NativeError) {
    try NativeLibrary.prepare()
    var raw: UInt64 = 0
    try unsafe NativeError.check {
      unsafe rustle_fft_inverse_new(max(0, size), NativeFFTPath.number(path), &raw, $0)
    }
    handle = NativeHandle(raw) { raw in _ = rustle_fft_inverse_free(raw, nil) }
    var count = 0
    try unsafe NativeError.check { unsafe rustle_fft_inverse_scratch_length(raw, &count, $0) }
    scratchCount = count
  }

  /// Writes the samples of one frame: `bins` has two elements more than it.
  package func run(_ bins: Span<Float>, into output: inout MutableSpan<Float>) throws(NativeError) {
    // Without scratch memory of the caller's: the plan has its own.
    try unsafe run(bins, &output, nil, 0)
  }

  /// As `run(_:into:)`, with scratch memory of the caller's, at least ``scratchCount`` elements of any content.
  package func run(
    _ bins: Span<Float>, into output: inout MutableSpan<Float>, scratch: inout MutableSpan<Float>
  ) throws(NativeError) {
    try unsafe scratch.withUnsafeMutableBufferPointer { scratch throws(NativeError) in
      try unsafe run(bins, &output, scratch.baseAddress, scratch.count)
    }
  }

  private func run(
    _ bins: Span<Float>, _ output: inout MutableSpan<Float>, _ scratch: UnsafeMutablePointer<Float>?,
    _ scratchCount: Int
  ) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe bins.withUnsafeBufferPointer { bins throws(NativeError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_fft_inverse_samples(
            handle.raw, bins.baseAddress, bins.count, output.baseAddress, output.count, scratch, scratchCount, $0)
        }
      }
    }
  }
}

private func symmetryNumber(_ symmetric: Bool) -> UInt32 {
  UInt32(symmetric ? RUSTLE_SYMMETRY_SYMMETRIC : RUSTLE_SYMMETRY_PERIODIC)
}

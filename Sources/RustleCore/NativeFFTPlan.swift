internal import CRustle

/// A native plan for the spectra of frames of one size: the one owner of its handle. Any number of tasks may use it at a
/// time.
package final class NativeFFTPlan: Sendable {
  private let handle: NativeHandle
  package let description: NativeFFTDescription

  package init(_ configuration: NativeFFTPlanConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_FFT_PLAN, configuration)
    description = NativeFFTDescription(try handle.description(RUSTLE_DESCRIBE_FFT_PLAN, RustleFftDescription()))
    self.handle = handle
  }

  /// Calls `body` with the handle, which is live during the call.
  func withRawHandle<Result>(_ body: (UInt64) -> Result) -> Result {
    defer { extendLifetime(self) }
    return body(handle.raw)
  }

  /// Writes the spectrum of one frame, with scratch memory of the plan's; `input` and `output` have the lengths that the form
  /// asks for.
  package func run(
    _ form: NativeSpectrumForm, of input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(NativeError) {
    var none = MutableSpan<Float>()
    try run(form, of: input, into: &output, scratch: &none)
  }

  /// As `run(_:of:into:)`, with scratch memory of the caller's: as many elements as the description says, of any content.
  package func run(
    _ form: NativeSpectrumForm, of input: Span<Float>, into output: inout MutableSpan<Float>,
    scratch: inout MutableSpan<Float>
  ) throws(NativeError) {
    defer { extendLifetime(self) }
    try NativeCalls.fftSpectrum(handle.raw, form: form, input: input, output: &output, scratch: &scratch)
  }
}

/// A native plan for the way back from complex bins: the one owner of its handle. Any number of tasks may use it at a time.
package final class NativeInverseFFTPlan: Sendable {
  private let handle: NativeHandle
  package let description: NativeFFTDescription

  package init(_ configuration: NativeFFTInverseConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_FFT_INVERSE, configuration)
    description = NativeFFTDescription(try handle.description(RUSTLE_DESCRIBE_FFT_INVERSE, RustleFftDescription()))
    self.handle = handle
  }

  /// Writes the samples of one frame, with scratch memory of the plan's: `bins` has two elements more than `output`.
  package func run(_ bins: Span<Float>, into output: inout MutableSpan<Float>) throws(NativeError) {
    var none = MutableSpan<Float>()
    try run(bins, into: &output, scratch: &none)
  }

  /// As `run(_:into:)`, with scratch memory of the caller's: as many elements as the description says, of any content.
  package func run(
    _ bins: Span<Float>, into output: inout MutableSpan<Float>, scratch: inout MutableSpan<Float>
  ) throws(NativeError) {
    defer { extendLifetime(self) }
    try NativeCalls.fftInverseSamples(handle.raw, bins: bins, output: &output, scratch: &scratch)
  }
}

extension NativeFFTPlan {
  /// Like `spectrum(form:input:output:scratch:)`, with the plan's scratch memory.
  package func spectrum(
    form: NativeSpectrumOutput, input: Span<Float>, output: inout MutableSpan<Float>
  ) throws(NativeError) {
    var none = MutableSpan<Float>()
    try spectrum(form: form, input: input, output: &output, scratch: &none)
  }
}

extension NativeFFTInverse {
  /// Like `samples(_:output:scratch:)`, with the plan's scratch memory.
  package func samples(_ bins: Span<Float>, output: inout MutableSpan<Float>) throws(NativeError) {
    var none = MutableSpan<Float>()
    try samples(bins, output: &output, scratch: &none)
  }
}

extension NativeSTFT {
  /// Like `frames(_:first:output:scratch:)`, with the plan's scratch memory.
  package func frames(
    _ signal: Span<Float>, first: Int, output: inout MutableSpan<Float>
  ) throws(NativeError) -> Int {
    var none = MutableSpan<Float>()
    return try frames(signal, first: first, output: &output, scratch: &none)
  }
}

extension NativeSTFTStream {
  /// Creates a stream at the beginning of a signal.
  package convenience init(_ stft: NativeSTFT) throws(NativeError) {
    defer { extendLifetime(stft) }
    try self.init(NativeSTFTStreamConfiguration(stft: stft.handle.raw))
  }
}

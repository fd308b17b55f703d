internal import CRustle

/// A native plan for short-time spectra: the one owner of its handle. Any number of tasks may use it at a time.
package final class NativeSTFT: Sendable {
  fileprivate let handle: NativeHandle
  package let description: NativeSTFTDescription

  package init(_ configuration: NativeSTFTConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_STFT, configuration)
    description = NativeSTFTDescription(try handle.description(RUSTLE_DESCRIBE_STFT, RustleStftDescription()))
    self.handle = handle
  }

  /// Writes the frames of `signal` from `first` on as far as `output` has rows, with scratch memory of the plan's, and
  /// returns how many that is.
  package func frames(
    of signal: Span<Float>, from first: Int, into output: inout MutableSpan<Float>
  ) throws(NativeError) -> Int {
    var none = MutableSpan<Float>()
    return try frames(of: signal, from: first, into: &output, scratch: &none)
  }

  /// As `frames(of:from:into:)`, with scratch memory of the caller's: as many elements as the description says, of any
  /// content.
  package func frames(
    of signal: Span<Float>, from first: Int, into output: inout MutableSpan<Float>, scratch: inout MutableSpan<Float>
  ) throws(NativeError) -> Int {
    defer { extendLifetime(self) }
    return try NativeCalls.stftFrames(
      handle.raw, signal: signal, first: first, output: &output, scratch: &scratch)
  }
}

/// A native stream of short-time spectra: the one owner of its handle. A call that comes while another one runs is refused.
package final class NativeSTFTStream: Sendable {
  private let handle: NativeHandle

  /// A stream at the beginning of a signal.
  package init(_ stft: NativeSTFT) throws(NativeError) {
    defer { extendLifetime(stft) }
    handle = try NativeHandle(RUSTLE_NEW_STFT_STREAM, NativeSTFTStreamConfiguration(stft: stft.handle.raw))
  }

  /// Takes in samples as far as the frames that they complete find room in `output`, a whole number of rows.
  package func push(
    _ samples: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(NativeError) -> (taken: Int, frames: Int) {
    defer { extendLifetime(self) }
    return try NativeCalls.stftStreamPush(handle.raw, samples: samples, output: &output)
  }

  /// Ends the signal and writes frames that are left, as far as `output` has rows, at least one; 0 when none is.
  package func finish(into output: inout MutableSpan<Float>) throws(NativeError) -> Int {
    defer { extendLifetime(self) }
    return try NativeCalls.stftStreamFinish(handle.raw, output: &output)
  }
}

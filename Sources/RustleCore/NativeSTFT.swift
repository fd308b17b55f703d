internal import CRustle

/// What native short-time spectra find beyond the ends of a signal, by the native side's number.
package enum NativePadding: Sendable {
  case none
  case zero
  case reflect

  var number: UInt32 {
    let number =
      switch self {
      case .none: RUSTLE_PADDING_NONE
      case .zero: RUSTLE_PADDING_ZERO
      case .reflect: RUSTLE_PADDING_REFLECT
      }
    return UInt32(number)
  }
}

/// A native plan for short-time spectra: the one owner of its handle. Any number of tasks may use it at a time.
package final class NativeSTFT: Sendable {
  fileprivate let handle: NativeHandle
  /// The least number of elements of the scratch memory that a caller may bring.
  package let scratchCount: Int

  /// - Parameters:
  ///   - size: the frames' number of samples, a power of two from 64 to 65,536.
  ///   - hop: the distance between frames in samples, 1 to 1,048,576.
  ///   - path: nil for the preferred one.
  package init(
    size: Int, hop: Int, weighting: NativeWeighting, padding: NativePadding, form: NativeSpectrumForm,
    path: NativeFFTPath?
  ) throws(NativeError) {
    try NativeLibrary.prepare()
    var configuration = RustleStftConfiguration(
      size: max(0, size), hop: max(0, hop), window: weighting.window, symmetry: weighting.symmetry,
      scale: weighting.scale, padding: padding.number, form: form.number, path: NativeFFTPath.number(path))
    var raw: UInt64 = 0
    try unsafe NativeError.check { unsafe rustle_stft_new(&configuration, &raw, $0) }
    handle = NativeHandle(raw) { raw in _ = rustle_stft_free(raw, nil) }
    var count = 0
    try unsafe NativeError.check { unsafe rustle_stft_scratch_length(raw, &count, $0) }
    scratchCount = count
  }

  /// Writes the frames of `signal` from `first` on as far as `output` has rows, and returns how many that is.
  package func frames(
    of signal: Span<Float>, from first: Int, into output: inout MutableSpan<Float>
  ) throws(NativeError) -> Int {
    // Without scratch memory of the caller's: the plan has its own.
    try unsafe frames(signal, first, &output, nil, 0)
  }

  /// As `frames(of:from:into:)`, with scratch memory of the caller's, at least ``scratchCount`` elements of any content.
  package func frames(
    of signal: Span<Float>, from first: Int, into output: inout MutableSpan<Float>, scratch: inout MutableSpan<Float>
  ) throws(NativeError) -> Int {
    try unsafe scratch.withUnsafeMutableBufferPointer { scratch throws(NativeError) in
      try unsafe frames(signal, first, &output, scratch.baseAddress, scratch.count)
    }
  }

  private func frames(
    _ signal: Span<Float>, _ first: Int, _ output: inout MutableSpan<Float>, _ scratch: UnsafeMutablePointer<Float>?,
    _ scratchCount: Int
  ) throws(NativeError) -> Int {
    defer { extendLifetime(self) }
    var count = 0
    try unsafe signal.withUnsafeBufferPointer { signal throws(NativeError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_stft_frames(
            handle.raw, signal.baseAddress, signal.count, max(0, first), output.baseAddress, output.count, scratch,
            scratchCount, &count, $0)
        }
      }
    }
    return count
  }
}

/// A native stream of short-time spectra: the one owner of its handle. A call that comes while another one runs is refused.
package final class NativeSTFTStream: Sendable {
  private let handle: NativeHandle

  /// A stream at the beginning of a signal.
  package init(_ stft: NativeSTFT) throws(NativeError) {
    var raw: UInt64 = 0
    try unsafe NativeError.check { unsafe rustle_stft_stream_new(stft.handle.raw, &raw, $0) }
    extendLifetime(stft)
    handle = NativeHandle(raw) { raw in _ = rustle_stft_stream_free(raw, nil) }
  }

  /// Takes in samples as far as the frames that they complete find room in `output`, a whole number of rows.
  package func push(
    _ samples: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(NativeError) -> (taken: Int, frames: Int) {
    defer { extendLifetime(self) }
    var (taken, frames) = (0, 0)
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_stft_stream_push(
            handle.raw, samples.baseAddress, samples.count, output.baseAddress, output.count, &taken, &frames, $0)
        }
      }
    }
    return (taken, frames)
  }

  /// Ends the signal and writes frames that are left, as far as `output` has rows, at least one; 0 when none is.
  package func finish(into output: inout MutableSpan<Float>) throws(NativeError) -> Int {
    defer { extendLifetime(self) }
    var frames = 0
    try unsafe output.withUnsafeMutableBufferPointer { output throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_stft_stream_finish(handle.raw, output.baseAddress, output.count, &frames, $0)
      }
    }
    return frames
  }
}

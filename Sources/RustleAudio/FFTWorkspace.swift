internal import RustleCore

extension FFT {
  /// Scratch memory for the transforms of one task at a time.
  ///
  /// With one, a transform allocates nothing from the first on and shares no memory with other tasks. One that an ``FFT``, an
  /// ``InverseFFT`` or an ``STFT`` makes does for all transforms that need no more.
  ///
  /// ```swift
  /// var workspace = fft.makeWorkspace()
  /// try fft.write(.decibels, of: frame.span, into: &output, using: &workspace)
  /// ```
  public struct Workspace: ~Copyable, Sendable {
    fileprivate var memory: [Float]

    fileprivate init(count: Int) { memory = [Float](repeating: 0, count: count) }

    fileprivate func check(count: Int) throws(FFTError) {
      guard memory.count >= count else {
        throw .validation(
          "workspace", expected: "at least \(count) elements", got: "\(memory.count)",
          advice: "Make the workspace with this transform, or a larger one.")
      }
    }
  }

  /// Makes scratch memory for this FFT, which does for FFTs of the same and of smaller sizes too.
  public func makeWorkspace() -> Workspace { Workspace(count: plan.description.scratchLength) }

  /// Writes the spectrum of one frame in any form, with scratch memory of the caller's.
  ///
  /// - Parameters:
  ///   - form: what to write for each bin.
  ///   - input: N samples.
  ///   - output: as for the method that is named like the form.
  ///   - workspace: of this FFT, or of one that is larger.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths; `output` is as it was then.
  public func write(
    _ form: Output, of input: Span<Float>, into output: inout MutableSpan<Float>, using workspace: inout Workspace
  ) throws(FFTError) {
    try check(form.native, input.count, output.count)
    try workspace.check(count: plan.description.scratchLength)
    var scratch = workspace.memory.mutableSpan
    do {
      try plan.spectrum(form: form.native, input: input, output: &output, scratch: &scratch)
    } catch {
      throw FFTError(error)
    }
  }
}

extension InverseFFT {
  /// Makes scratch memory for this inverse, which does for inverses of the same and of smaller sizes too.
  public func makeWorkspace() -> FFT.Workspace { FFT.Workspace(count: plan.description.scratchLength) }

  /// Writes the samples of one frame, as ``samples(of:into:)``, with scratch memory of the caller's.
  ///
  /// - Parameters:
  ///   - bins: N + 2 elements: a real and an imaginary part for each of N/2 + 1 bins.
  ///   - output: N elements.
  ///   - workspace: of this inverse, or of one that is larger.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths; `output` is as it was then.
  public func samples(
    of bins: Span<Float>, into output: inout MutableSpan<Float>, using workspace: inout FFT.Workspace
  ) throws(FFTError) {
    try check(bins.count, output.count)
    try workspace.check(count: plan.description.scratchLength)
    var scratch = workspace.memory.mutableSpan
    do {
      try plan.samples(bins, output: &output, scratch: &scratch)
    } catch {
      throw FFTError(error)
    }
  }
}

extension STFT {
  /// Makes scratch memory for this transform, which does for those of the same and of smaller sizes too.
  public func makeWorkspace() -> FFT.Workspace { FFT.Workspace(count: plan.description.scratchLength) }

  /// Writes the frames of a signal, as ``frames(of:from:into:)``, with scratch memory of the caller's.
  ///
  /// - Parameters:
  ///   - signal: the whole signal.
  ///   - first: from 0.
  ///   - output: a whole number of rows; those that are not written keep what they hold.
  ///   - workspace: of this transform, or of one that is larger.
  /// - Returns: how many frames were written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length or a frame below 0; `output` is as it was
  ///   then.
  public func frames(
    of signal: Span<Float>, from first: Int = 0, into output: inout MutableSpan<Float>,
    using workspace: inout FFT.Workspace
  ) throws(FFTError) -> Int {
    try check(output.count, first)
    try workspace.check(count: plan.description.scratchLength)
    var scratch = workspace.memory.mutableSpan
    do {
      return try plan.frames(signal, first: first, output: &output, scratch: &scratch)
    } catch {
      throw FFTError(error)
    }
  }
}

internal import RustleCore

extension FFT {
  /// Scratch memory for the transforms of one task at a time.
  ///
  /// With it, transforms allocate nothing, the first one included, and share no memory with other tasks. A workspace of an
  /// ``FFT``, an ``InverseFFT`` or an ``STFT`` fits all transforms that need no more memory.
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

  /// Makes scratch memory for this FFT and for FFTs of the same or a smaller size, for one task at a time.
  public func makeWorkspace() -> Workspace { Workspace(count: plan.description.scratchLength) }

  /// Writes one kind of spectrum of one frame, with the caller's scratch memory.
  ///
  /// - Parameters:
  ///   - kind: the value to write for each bin.
  ///   - input: N samples.
  ///   - output: as for the method of the kind's name.
  ///   - workspace: of this FFT or of a larger one.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths, which leave `output` unchanged.
  public func write(
    _ kind: Output, of input: Span<Float>, into output: inout MutableSpan<Float>, using workspace: inout Workspace
  ) throws(FFTError) {
    try check(kind.native, input.count, output.count)
    try workspace.check(count: plan.description.scratchLength)
    var scratch = workspace.memory.mutableSpan
    do {
      try plan.spectrum(kind: kind.native, input: input, output: &output, scratch: &scratch)
    } catch {
      throw FFTError(error)
    }
  }
}

extension InverseFFT {
  /// Makes scratch memory for this inverse FFT and for those of the same or a smaller size, for one task at a time.
  public func makeWorkspace() -> FFT.Workspace { FFT.Workspace(count: plan.description.scratchLength) }

  /// Writes the samples of one frame, as ``samples(of:into:)``, with the caller's scratch memory.
  ///
  /// - Parameters:
  ///   - bins: N + 2 elements: a real and an imaginary part for each of N/2 + 1 bins.
  ///   - output: N elements.
  ///   - workspace: of this inverse FFT or of a larger one.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths, which leave `output` unchanged.
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
  /// Makes scratch memory for this transform and for those of the same or a smaller size, for one task at a time.
  public func makeWorkspace() -> FFT.Workspace { FFT.Workspace(count: plan.description.scratchLength) }

  /// Writes the frames of a signal, as ``frames(of:from:into:)``, with the caller's scratch memory.
  ///
  /// - Parameters:
  ///   - signal: the whole signal.
  ///   - first: from 0.
  ///   - output: a whole number of rows; rows that are not written keep their values.
  ///   - workspace: of this transform or of a larger one.
  /// - Returns: the number of frames written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length or a frame below 0, which leave `output`
  ///   unchanged.
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

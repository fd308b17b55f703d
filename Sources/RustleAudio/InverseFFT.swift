internal import RustleCore

/// The inverse of ``FFT/complexSpectrum(of:into:)``: the samples of one frame from its complex bins.
///
/// The bins are not normalized (``FFT/Normalization/none``), as for numpy's `irfft`. The inverse of a windowed spectrum is the
/// windowed samples. The imaginary parts of bin 0 and bin N/2, which a real signal does not have, are ignored.
///
/// Copies share the tables; any number of tasks may use them at a time. From samples to bins and back the relative (L2)
/// error is at most 2e-7 up to 16,384 samples, 2.2e-7 above.
public struct InverseFFT: Sendable {
  /// The number of samples N of an analysis frame.
  public let size: Int
  let plan: NativeFFTInverse

  /// Computes the tables.
  ///
  /// - Parameters:
  ///   - size: the number of samples of an analysis frame: a power of two from 64 to 65,536.
  ///   - instructionSet: the instruction set to compute with; nil for ``FFT/InstructionSet/preferred()``.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for a size out of range, or an instruction set that this machine
  ///   does not have.
  public init(size: Int, instructionSet: FFT.InstructionSet? = nil) throws(FFTError) {
    try FFT.check(size: size)
    self.size = size
    do {
      plan = try NativeFFTInverse(
        NativeFFTInverseConfiguration(size: size, instructionSet: instructionSet?.native ?? .preferred))
    } catch {
      throw FFT.InstructionSet.refused(instructionSet, error)
    }
  }

  /// Writes the samples of one frame. Only the first call, and the first of each further one at the same time, allocates: its
  /// scratch memory.
  ///
  /// - Parameters:
  ///   - bins: ``size`` + 2 elements, N + 2: a real and an imaginary part for each of N/2 + 1 bins.
  ///   - output: N elements.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths, which leave `output` unchanged.
  public func samples(of bins: Span<Float>, into output: inout MutableSpan<Float>) throws(FFTError) {
    try check(bins.count, output.count)
    do {
      try plan.samples(bins, output: &output)
    } catch {
      throw FFTError(error)
    }
  }

  func check(_ bins: Int, _ output: Int) throws(FFTError) {
    guard bins == size + 2 else {
      throw .validation(
        "bins", expected: "\(size + 2) elements", got: "\(bins)",
        advice: "Pass a real and an imaginary part for each of size / 2 + 1 bins.")
    }
    guard output == size else {
      throw .validation(
        "output", expected: "\(size) elements", got: "\(output)", advice: "Size the output by the inverse's size.")
    }
  }

  /// The N samples of one frame. See ``samples(of:into:)``.
  public func samples(of bins: [Float]) throws(FFTError) -> [Float] {
    var output = [Float](repeating: 0, count: size)
    var span = output.mutableSpan
    try samples(of: bins.span, into: &span)
    return output
  }
}

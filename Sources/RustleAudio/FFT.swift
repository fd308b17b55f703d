package import RustleCore

/// The spectrum of one analysis frame: tables for one size, computed once, for any number of frames.
///
/// ```swift
/// let fft = try FFT(size: 1024, normalization: .amplitude)
/// var amplitudes = [Float](repeating: 0, count: fft.binCount)
/// var output = amplitudes.mutableSpan
/// try fft.magnitudes(of: frame.span, into: &output)
/// ```
///
/// A frame of N samples at a sample rate of R has N/2 + 1 bins, bin k at k R / N Hz. A transform takes N log N time. The first one
/// allocates scratch memory, which later ones use again; so does each that runs while all of that is in use. Copies share the tables;
/// any number of tasks may use them at a time. With a ``Workspace``, scratch memory of a task's own, no transform allocates.
///
/// Accuracy: magnitudes within a relative (L2) error of 2e-7 of a computation in double precision; exactly 0 for silence; every
/// bin NaN or infinite when a sample is. Magnitudes below 1e-19 lose digits and vanish at 3e-23; those above 1.8e19 become
/// infinite.
public struct FFT: Sendable {
  /// The factor on a spectrum's values.
  public enum Normalization: Sendable, Hashable, CaseIterable {
    /// No factor, as in numpy's `rfft`: a sine of amplitude 1 reads about half the window function's sum.
    case none
    /// Amplitudes: a sine of amplitude 1 on a bin's frequency reads 1.0 with every window function, and so does a constant of 1.0
    /// in bin 0.
    case amplitude

    var native: NativeNormalization { self == .none ? .none : .amplitude }
  }

  /// The value written for each bin.
  public enum Output: Sendable, Hashable, CaseIterable {
    /// The magnitude.
    case magnitudes
    /// The square of the magnitude.
    case power
    /// The level in dB relative to a magnitude of 1, at least ``FFT/decibelFloor``.
    case decibels
    /// The bin itself, as its real and its imaginary part.
    case complexSpectrum

    var native: NativeSpectrumOutput {
      switch self {
      case .magnitudes: .magnitudes
      case .power: .power
      case .decibels: .decibels
      case .complexSpectrum: .complex
      }
    }
  }

  /// The least size.
  public static let minimumSize = 64
  /// The largest size.
  public static let maximumSize = 65_536
  /// The level of silence in dB, and the lowest that ``decibels(of:into:)`` writes.
  public static let decibelFloor: Float = -200

  /// The number of samples N of an analysis frame.
  public let size: Int
  /// The window function of a frame.
  public let window: WindowFunction
  /// The window function's symmetry.
  public let symmetry: WindowFunction.Symmetry
  /// The factor on the values.
  public let normalization: Normalization
  /// The instruction set that it computes with.
  public let instructionSet: InstructionSet
  /// The native plan.
  package let plan: NativeFFTPlan

  /// Computes the tables, in some 10 to 15 ns per sample, and 14 bytes.
  ///
  /// - Parameters:
  ///   - size: the number of samples of an analysis frame: a power of two from 64 to 65,536.
  ///   - window: the window function of a frame.
  ///   - symmetry: of the window function.
  ///   - normalization: the factor on the values.
  ///   - instructionSet: the instruction set to compute with; nil for ``InstructionSet/preferred()``.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for a size out of range, or an instruction set that this machine
  ///   does not have.
  public init(
    size: Int, window: WindowFunction = .hann, symmetry: WindowFunction.Symmetry = .periodic,
    normalization: Normalization = .none, instructionSet: InstructionSet? = nil
  ) throws(FFTError) {
    try Self.check(size: size)
    self.size = size
    self.window = window
    self.symmetry = symmetry
    self.normalization = normalization
    do {
      plan = try NativeFFTPlan(
        NativeFFTPlanConfiguration(
          size: size, window: window.native, symmetry: symmetry.native, normalization: normalization.native,
          instructionSet: instructionSet?.native ?? .preferred))
    } catch {
      throw InstructionSet.refused(instructionSet, error)
    }
    self.instructionSet = try InstructionSet(plan.description.instructionSet)
  }

  static func check(size: Int) throws(FFTError) {
    guard (minimumSize...maximumSize).contains(size), size.isPowerOfTwo else {
      throw .validation(
        "size", expected: "a power of two from \(minimumSize) to \(maximumSize)", got: "\(size)",
        advice: "Pad the signal with zeros, or crop it, to such a size.")
    }
  }

  /// The number of bins, N/2 + 1, with the one at half the sample rate.
  public var binCount: Int { size / 2 + 1 }

  /// The frequency of each of the ``binCount`` bins, in Hz.
  ///
  /// - Parameter sampleRate: in Hz. For a rate that is not positive the frequencies are not either.
  public func frequencies(sampleRate: Double) -> [Double] {
    (0..<binCount).map { Double($0) * sampleRate / Double(size) }
  }

  /// Writes the magnitude of each bin, linear and times the factor of ``normalization``.
  ///
  /// - Parameters:
  ///   - input: ``size`` samples, N.
  ///   - output: ``binCount`` elements, N/2 + 1, or N/2 to leave out the bin at half the sample rate.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths, which leave `output` unchanged.
  public func magnitudes(of input: Span<Float>, into output: inout MutableSpan<Float>) throws(FFTError) {
    try run(.magnitudes, of: input, into: &output)
  }

  /// Writes the power spectrum, the square of each bin's magnitude, with the arguments and errors of ``magnitudes(of:into:)``.
  public func powerSpectrum(of input: Span<Float>, into output: inout MutableSpan<Float>) throws(FFTError) {
    try run(.power, of: input, into: &output)
  }

  /// Writes each bin's level in dB relative to a magnitude of 1, 20 log10 of the magnitude and at least ``decibelFloor``. With
  /// ``Normalization/amplitude`` 0 dB is the level of a full-scale sine. Arguments and errors as for ``magnitudes(of:into:)``.
  public func decibels(of input: Span<Float>, into output: inout MutableSpan<Float>) throws(FFTError) {
    try run(.decibels, of: input, into: &output)
  }

  /// Writes the complex spectrum, each bin's real and imaginary part. The phase is relative to a cosine that starts at the first
  /// sample.
  ///
  /// - Parameters:
  ///   - input: ``size`` samples, N.
  ///   - output: N + 2 elements: two for each of the N/2 + 1 bins.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for other lengths, which leave `output` unchanged.
  public func complexSpectrum(of input: Span<Float>, into output: inout MutableSpan<Float>) throws(FFTError) {
    try run(.complex, of: input, into: &output)
  }

  /// The magnitudes of the ``binCount`` bins of `input`, ``size`` samples. See ``magnitudes(of:into:)``.
  public func magnitudes(of input: [Float]) throws(FFTError) -> [Float] {
    try run(.magnitudes, of: input, count: binCount)
  }

  /// The squared magnitudes of the ``binCount`` bins of `input`, ``size`` samples. See ``powerSpectrum(of:into:)``.
  public func powerSpectrum(of input: [Float]) throws(FFTError) -> [Float] {
    try run(.power, of: input, count: binCount)
  }

  /// The levels in dB of the ``binCount`` bins of `input`, ``size`` samples. See ``decibels(of:into:)``.
  public func decibels(of input: [Float]) throws(FFTError) -> [Float] {
    try run(.decibels, of: input, count: binCount)
  }

  /// The real and imaginary parts of the ``binCount`` bins of `input`, ``size`` samples. See ``complexSpectrum(of:into:)``.
  public func complexSpectrum(of input: [Float]) throws(FFTError) -> [Float] {
    try run(.complex, of: input, count: 2 * binCount)
  }

  private func run(_ kind: NativeSpectrumOutput, of input: [Float], count: Int) throws(FFTError) -> [Float] {
    var output = [Float](repeating: 0, count: count)
    var span = output.mutableSpan
    try run(kind, of: input.span, into: &span)
    return output
  }

  private func run(
    _ kind: NativeSpectrumOutput, of input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(FFTError) {
    try check(kind, input.count, output.count)
    do {
      try plan.spectrum(kind: kind, input: input, output: &output)
    } catch {
      throw FFTError(error)
    }
  }

  @inline(__always)
  func check(_ kind: NativeSpectrumOutput, _ input: Int, _ output: Int) throws(FFTError) {
    let isRightCount =
      switch kind {
      case .complex: output == 2 * binCount
      case .magnitudes, .power, .decibels: output == binCount || output == binCount - 1
      }
    if input != size || !isRightCount { throw wrongCount(kind, input, output) }
  }

  @inline(never)
  private func wrongCount(_ kind: NativeSpectrumOutput, _ input: Int, _ output: Int) -> FFTError {
    guard input == size else {
      return .validation(
        "input", expected: "\(size) samples", got: "\(input)", advice: "Pad with zeros or crop to the size of the FFT.")
    }
    let expected = kind == .complex ? "\(2 * binCount) elements" : "\(binCount) or \(binCount - 1) elements"
    return .validation(
      "output", expected: expected, got: "\(output)", advice: "Size the output by the FFT's binCount.")
  }
}

extension Int {
  var isPowerOfTwo: Bool { self > 0 && self & (self - 1) == 0 }
}

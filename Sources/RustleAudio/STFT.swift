internal import RustleCore

/// The settings and tables of a short-time Fourier transform, and the spectra of a signal in memory: N samples each, ``hop``
/// samples apart.
///
/// ```swift
/// let stft = try STFT(size: 1024, hop: 256, normalization: .amplitude, output: .decibels)
/// let rows = try stft.frames(of: signal)
/// let count = stft.frameCount(of: signal.count)
/// ```
///
/// Each frame is a row of ``valuesPerFrame`` elements; rows lie one after the other. Copies share the tables; any number of tasks
/// may use them at a time. ``STFTStream`` and, for an asynchronous sequence, ``STFTFrames`` compute the same frames of a signal
/// that arrives in pieces.
public struct STFT: Sendable {
  /// The position of frames on a signal, and the values beyond its ends.
  public enum Padding: String, Sendable, Hashable, Codable, CaseIterable {
    /// Frame f begins at sample f ``STFT/hop``; every frame lies inside the signal, and samples at the end that do not fill a
    /// frame are left out. librosa's `center=False`.
    case none
    /// The middle of frame f lies on sample f ``STFT/hop``; beyond the ends are zeros. librosa's
    /// `center=True, pad_mode="constant"`.
    case zero
    /// As `zero`, but beyond its ends the signal continues mirrored at its first and its last sample.
    case reflect

    var native: NativePadding {
      switch self {
      case .none: .none
      case .zero: .zero
      case .reflect: .reflect
      }
    }
  }

  /// The range of the hop size, in samples.
  public static let hopRange = 1...1_048_576

  /// The number of samples N of an analysis frame.
  public let size: Int
  /// The hop size, in samples.
  public let hop: Int
  /// The window function of a frame.
  public let window: WindowFunction
  /// The position of frames on a signal.
  public let padding: Padding
  /// The factor on the values.
  public let normalization: FFT.Normalization
  /// The value written for each bin.
  public let output: FFT.Output
  let plan: NativeSTFT

  /// Computes the tables.
  ///
  /// - Parameters:
  ///   - size: the number of samples of an analysis frame: a power of two from 64 to 65,536.
  ///   - hop: the hop size in samples, one of ``hopRange``; by default a quarter of `size`.
  ///   - window: the window function of a frame.
  ///   - symmetry: of the window function.
  ///   - normalization: the factor on the values.
  ///   - padding: the position of frames on a signal.
  ///   - output: the value to write for each bin.
  ///   - instructionSet: the instruction set to compute with; nil for ``FFT/InstructionSet/preferred()``.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for a size or a hop out of range, or an instruction set that this
  ///   machine does not have.
  public init(
    size: Int, hop: Int? = nil, window: WindowFunction = .hann, symmetry: WindowFunction.Symmetry = .periodic,
    normalization: FFT.Normalization = .none,
    padding: Padding = .zero, output: FFT.Output = .magnitudes, instructionSet: FFT.InstructionSet? = nil
  ) throws(FFTError) {
    try FFT.check(size: size)
    let hop = hop ?? size / 4
    guard Self.hopRange.contains(hop) else {
      throw .validation(
        "hop", expected: "\(Self.hopRange.lowerBound) to \(Self.hopRange.upperBound) samples", got: "\(hop)",
        advice: "A quarter of the size suits most windows.")
    }
    self.size = size
    self.hop = hop
    self.window = window
    self.padding = padding
    self.normalization = normalization
    self.output = output
    do {
      plan = try NativeSTFT(
        NativeSTFTConfiguration(
          size: size, hop: hop, window: window.native, symmetry: symmetry.native, normalization: normalization.native,
          padding: padding.native, output: output.native, instructionSet: instructionSet?.native ?? .preferred))
    } catch {
      throw FFT.InstructionSet.refused(instructionSet, error)
    }
  }

  /// The elements of a row: N/2 + 1, or N + 2 with ``FFT/Output/complexSpectrum``.
  public var valuesPerFrame: Int { output == .complexSpectrum ? size + 2 : size / 2 + 1 }

  /// The number of frames of a signal of `count` samples: with ``Padding/none`` 1 + (count - N) / hop, and 0 for fewer samples
  /// than N; otherwise 1 + count / hop, and 0 for no samples. Divisions round down.
  public func frameCount(of count: Int) -> Int {
    switch padding {
    case .none: count < size ? 0 : 1 + (count - size) / hop
    case .zero, .reflect: count < 1 ? 0 : 1 + Swift.min(count / hop, .max - 1)
    }
  }

  /// The time of the middle of a frame, in seconds from the signal's first sample.
  ///
  /// - Parameters:
  ///   - frame: from 0.
  ///   - sampleRate: in Hz, above 0.
  public func time(of frame: Int, sampleRate: Double) -> Double {
    (Double(frame) * Double(hop) + (padding == .none ? Double(size) / 2 : 0)) / sampleRate
  }

  /// Writes the frames of a signal from frame `first` on, as many as fit the output, and returns their number, so that a long
  /// signal can be transformed in parts. Only the first call, and the first of each further one at the same time, allocates: its
  /// scratch memory.
  ///
  /// - Parameters:
  ///   - signal: the whole signal.
  ///   - first: from 0.
  ///   - output: a whole number of rows; rows that are not written keep their values.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length or a frame below 0, which leave `output`
  ///   unchanged.
  public func frames(
    of signal: Span<Float>, from first: Int = 0, into output: inout MutableSpan<Float>
  ) throws(FFTError) -> Int {
    try check(output.count, first)
    do {
      return try plan.frames(signal, first: first, output: &output)
    } catch {
      throw FFTError(error)
    }
  }

  /// All frames of a signal, one row after the other. See ``frames(of:from:into:)``.
  public func frames(of signal: [Float]) throws(FFTError) -> [Float] {
    var output = [Float](repeating: 0, count: frameCount(of: signal.count) * valuesPerFrame)
    var span = output.mutableSpan
    _ = try frames(of: signal.span, into: &span)
    return output
  }

  func check(_ output: Int, _ first: Int) throws(FFTError) {
    try checkRows(output)
    guard first >= 0 else {
      throw .validation("first", expected: "0 or more", got: "\(first)", advice: "Frames are counted from 0.")
    }
  }

  func checkRows(_ count: Int) throws(FFTError) {
    guard count.isMultiple(of: valuesPerFrame) else {
      throw .validation(
        "output", expected: "a multiple of \(valuesPerFrame) elements", got: "\(count)",
        advice: "Size the output by the transform's valuesPerFrame.")
    }
  }
}

package import RustleCore

/// A weighting of the samples of one frame, which trades the width of a tone's peak in the spectrum for what it leaks into
/// the bins far away.
public enum WindowFunction: String, Sendable, Hashable, Codable, CaseIterable {
  /// No weighting. The narrowest peak (2 bins) and the most leakage (-13 dB in the first side lobe).
  case rectangular
  /// Peaks of 4 bins; side lobes from -31 dB, falling by 18 dB an octave.
  case hann
  /// Peaks of 4 bins; side lobes at about -42 dB that hardly fall.
  case hamming
  /// Peaks of 6 bins; side lobes from -58 dB, falling by 18 dB an octave.
  case blackman

  /// Where a window has its last sample.
  public enum Symmetry: Sendable, Hashable, CaseIterable {
    /// The window is one period of its cosines: for spectra.
    case periodic
    /// The last sample equals the first: for filter design.
    case symmetric

    var native: NativeSymmetry { self == .periodic ? .periodic : .symmetric }
  }

  /// The window of that name: a case's own, or one of the other usual names `none` and `hanning`; nil for any other text.
  public init?(name: String) {
    switch name {
    case "none": self = .rectangular
    case "hanning": self = .hann
    default: self.init(rawValue: name)
    }
  }

  /// Every name that ``init(name:)`` knows.
  public static var names: [String] { ["none", "rectangular", "hann", "hanning", "hamming", "blackman"] }

  /// The weights of a frame of `count` samples (0 or more), from 0 to 1, each rounded once from double precision.
  ///
  /// - Throws: ``FFTError`` with ``FFTError/Code/fft`` when the native archive does not fit the package.
  public func coefficients(count: Int, symmetry: Symmetry = .periodic) throws(FFTError) -> [Float] {
    var coefficients = [Float](repeating: 0, count: max(0, count))
    var span = coefficients.mutableSpan
    do {
      try NativeCalls.fftWindow(window: native, symmetry: symmetry.native, coefficients: &span)
    } catch {
      throw FFTError(error)
    }
    return coefficients
  }

  package var native: NativeWindow {
    switch self {
    case .rectangular: .none
    case .hann: .hann
    case .hamming: .hamming
    case .blackman: .blackman
    }
  }
}

package import RustleCore

/// The weights of the samples of one frame, a trade-off between the width of a tone's peak in the spectrum and its leakage into
/// distant bins.
public enum WindowFunction: String, Sendable, Hashable, Codable, CaseIterable {
  /// No weighting. The narrowest peak (2 bins) and the most leakage (-13 dB in the first side lobe).
  case rectangular
  /// Peaks of 4 bins; side lobes from -31 dB, falling by 18 dB an octave.
  case hann
  /// Peaks of 4 bins; side lobes at about -42 dB that hardly fall.
  case hamming
  /// Peaks of 6 bins; side lobes from -58 dB, falling by 18 dB an octave.
  case blackman

  /// The position of a window function's last sample.
  public enum Symmetry: Sendable, Hashable, CaseIterable {
    /// One period of its cosines: for spectra.
    case periodic
    /// Equal first and last samples: for filter design.
    case symmetric

    var native: NativeSymmetry { self == .periodic ? .periodic : .symmetric }
  }

  /// Creates a window function by its name: a case's own, `none` or `hanning`; nil for any other text.
  public init?(name: String) {
    switch name {
    case "none": self = .rectangular
    case "hanning": self = .hann
    default: self.init(rawValue: name)
    }
  }

  /// The names that ``init(name:)`` accepts.
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

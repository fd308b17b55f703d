internal import RustleCore

/// A resonance of the vocal tract.
public struct Formant: Sendable, Hashable {
  /// The frequency in Hz.
  public var frequency: Double
  /// The width of the band within 3 dB, in Hz.
  public var bandwidth: Double

  /// Creates a formant.
  public init(frequency: Double, bandwidth: Double) {
    self.frequency = frequency
    self.bandwidth = bandwidth
  }
}

/// The formants of a frame or of a signal, F1 first.
public struct Formants: Sendable, Hashable, RandomAccessCollection {
  private var formants: [Formant]
  /// The clarity of F1 to F3, 0 to 1: the mean over them of 1 / (1 + (B / 400 Hz)^2) for a bandwidth B, 0 for a missing one.
  /// Not a probability.
  public var confidence: Double

  /// Creates formants from a list; by default without any.
  ///
  /// - Parameters:
  ///   - formants: F1 and up, in rising order; an analysis finds at most five.
  ///   - confidence: 0 to 1.
  public init(_ formants: [Formant] = [], confidence: Double = 0) {
    self.formants = formants
    self.confidence = confidence
  }

  /// The index of F1, 0.
  public var startIndex: Int { 0 }
  /// The number of formants.
  public var endIndex: Int { formants.count }

  /// The formant at an index, counted from 0.
  ///
  /// - Precondition: `index` is within ``startIndex`` ..< ``endIndex``.
  public subscript(index: Int) -> Formant { formants[index] }

  /// Returns the formant of a number, counted from 1: `formant(1)` is F1. nil: not found.
  public func formant(_ number: Int) -> Formant? {
    number >= 1 && number <= count ? formants[number - 1] : nil
  }

  /// The frequency of F1 in Hz; nil: not found.
  public var f1: Double? { formant(1)?.frequency }
  /// The frequency of F2 in Hz; nil: not found.
  public var f2: Double? { formant(2)?.frequency }
  /// The frequency of F3 in Hz; nil: not found.
  public var f3: Double? { formant(3)?.frequency }

  init(_ native: NativeFormants) {
    self.init(
      (0..<native.count).map { Formant(frequency: native.frequencies[$0], bandwidth: native.bandwidths[$0]) },
      confidence: native.confidence)
  }
}

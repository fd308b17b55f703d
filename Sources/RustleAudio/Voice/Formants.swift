internal import RustleCore

/// A resonance of the vocal tract.
public struct Formant: Sendable, Hashable {
  /// In Hz.
  public var frequency: Double
  /// The width of the band within 3 dB, in Hz.
  public var bandwidth: Double

  /// A resonance.
  public init(frequency: Double, bandwidth: Double) {
    self.frequency = frequency
    self.bandwidth = bandwidth
  }
}

/// The formants of a frame or of a signal.
public struct Formants: Sendable, Hashable {
  /// F1 and up, in rising order, at most five.
  public var found: [Formant]
  /// 0 to 1: how clear F1 to F3 are, the mean over them of 1 / (1 + (B / 400 Hz)^2) for a bandwidth B, 0 for one that is missing.
  /// No probability.
  public var confidence: Double

  /// Formants; by default none.
  public init(found: [Formant] = [], confidence: Double = 0) {
    self.found = found
    self.confidence = confidence
  }

  /// The first formant's frequency in Hz; nil: not found.
  public var f1: Double? { self[1]?.frequency }
  /// The second's.
  public var f2: Double? { self[2]?.frequency }
  /// The third's.
  public var f3: Double? { self[3]?.frequency }

  /// The formant of a number, from 1; nil: not found.
  public subscript(number: Int) -> Formant? {
    number >= 1 && number <= found.count ? found[number - 1] : nil
  }

  init(_ native: NativeFormants) {
    self.init(
      found: (0..<native.count).map { Formant(frequency: native.frequencies[$0], bandwidth: native.bandwidths[$0]) },
      confidence: native.confidence)
  }
}

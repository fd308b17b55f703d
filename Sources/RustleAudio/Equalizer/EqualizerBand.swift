internal import Foundation

/// One band of an equalizer.
///
/// ```swift
/// let bass = EqualizerBand(.lowShelf, frequency: 105, gain: 5.5, q: 0.7)
/// let voice = EqualizerBand.peaking(frequency: 2_000, gain: -3, octaves: 1)
/// ```
///
/// A band is checked when it is used, by ``EqualizerSettings/check(sampleRate:)``.
public struct EqualizerBand: Sendable, Hashable, Codable {
  /// The shape of a band.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The gain at the frequency, falling to 0 dB on both sides.
    case peaking
    /// The gain below the frequency, half of it (in dB) at the frequency.
    case lowShelf
    /// The gain above the frequency, half of it (in dB) at the frequency.
    case highShelf
    /// Frequencies above fall by 12 dB an octave; the gain has no effect.
    case lowPass
    /// Frequencies below fall by 12 dB an octave; the gain has no effect.
    case highPass
  }

  /// The shape.
  public var kind: Kind
  /// The centre, or the edge, in Hz: above 0 and below half the sample rate.
  public var frequency: Double
  /// The gain in dB, within ``EqualizerSettings/gainRange``.
  public var gain: Double
  /// The quality: that of a width within ``EqualizerSettings/bandwidthRange``, 0.18 to 28.9; see ``q(forBandwidth:)``.
  public var q: Double

  /// Creates a band.
  ///
  /// - Parameters:
  ///   - kind: the shape.
  ///   - frequency: the centre or the edge, in Hz.
  ///   - gain: in dB.
  ///   - q: the quality; nil: that of one octave for a peaking band, and for the others 0.7071, the steepest slope without
  ///     overshoot.
  public init(_ kind: Kind = .peaking, frequency: Double, gain: Double, q: Double? = nil) {
    self.kind = kind
    self.frequency = frequency
    self.gain = gain
    self.q = q ?? (kind == .peaking ? Self.q(forBandwidth: 1) : 0.5.squareRoot())
  }

  /// Returns a peaking band of a width.
  ///
  /// - Parameters:
  ///   - frequency: the centre, in Hz.
  ///   - gain: in dB.
  ///   - octaves: between the two frequencies that have half the gain in dB, within ``EqualizerSettings/bandwidthRange``.
  public static func peaking(frequency: Double, gain: Double, octaves: Double) -> Self {
    Self(.peaking, frequency: frequency, gain: gain, q: q(forBandwidth: octaves))
  }

  /// The quality of a band as wide as `octaves`, which are above 0: 1/Q = 2 sinh(ln 2 / 2 octaves) (R. Bristow-Johnson,
  /// "Cookbook formulae for audio equalizer biquad filter coefficients", for the analog filter).
  public static func q(forBandwidth octaves: Double) -> Double { 0.5 / sinh(0.5 * ln2 * octaves) }

  /// The width in octaves of a band of quality `q`, which is above 0: the inverse of ``q(forBandwidth:)``.
  public static func bandwidth(forQ q: Double) -> Double { 2 / ln2 * asinh(0.5 / q) }

  private static let ln2 = log(2.0)

  private enum CodingKeys: String, CodingKey {
    case kind
    case frequency = "frequency_hz"
    case gain = "gain_db"
    case q
  }
}

extension EqualizerBand {
  /// The range of ``q``, with a margin for the rounding of a width converted to a quality and back.
  static let qualities =
    q(forBandwidth: EqualizerSettings.bandwidthRange.upperBound) * 0.999...q(
      forBandwidth: EqualizerSettings.bandwidthRange.lowerBound) * 1.001

  /// A value of a band that is out of range.
  struct Fault {
    let field: String
    let expected: String
    let got: Double
  }

  /// The first value that is out of range; nil when all are in.
  ///
  /// - Parameter sampleRate: in Hz; without it frequencies have no upper end.
  func fault(sampleRate: Double?) -> Fault? {
    let limit = sampleRate.map { 0.5 * $0 } ?? .greatestFiniteMagnitude
    // As on the native side: below a millionth of the sample rate double precision has no curve for a band.
    let lowest = sampleRate.map { 1e-6 * $0 } ?? .leastNonzeroMagnitude
    guard frequency >= lowest, sampleRate == nil ? frequency <= limit : frequency < limit else {
      let expected =
        sampleRate == nil ? "above 0 Hz" : "at least \(lowest.plain) and below \(limit.plain) Hz, half the sample rate"
      return Fault(field: "frequency", expected: expected, got: frequency)
    }
    guard EqualizerSettings.gainRange.contains(gain) else {
      return Fault(field: "gain", expected: EqualizerSettings.gainRangeText, got: gain)
    }
    guard Self.qualities.contains(q) else {
      let widths = EqualizerSettings.bandwidthRange
      let ends = "\(widths.upperBound.plain) to \(widths.lowerBound.plain) octaves"
      return Fault(field: "q", expected: "0.1822 to 28.85, which is \(ends)", got: q)
    }
    return nil
  }
}

extension Double {
  /// The shortest decimal that reads back as the same number, without a needless `.0`.
  var plain: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

internal import Foundation

/// The frequency response of an equalizer: its gain for sines, in dB.
public struct EqualizerResponse: Sendable, Hashable {
  /// The frequencies in Hz.
  public let frequencies: [Double]
  /// In dB, one for each frequency.
  public let left: [Double]
  /// In dB, one for each frequency.
  public let right: [Double]

  /// Frequencies from 20 Hz to 20 kHz, or to just below half the sample rate, evenly spaced on a logarithmic axis.
  public static func audibleFrequencies(count: Int = 256, sampleRate: Double) -> [Double] {
    let (low, high) = (20.0, min(20_000, 0.499 * sampleRate))
    guard count > 1 else { return Array(repeating: low, count: max(0, count)) }
    return (0..<count).map { low * pow(high / low, Double($0) / Double(count - 1)) }
  }
}

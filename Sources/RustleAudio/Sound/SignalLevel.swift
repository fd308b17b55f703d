internal import Foundation

/// The level of one channel of a piece of sound, in dB relative to full scale; minus infinity for silence.
public struct SignalLevel: Sendable, Hashable {
  /// The level of the mean square in dBFS: -3.01 dB for a sine at full scale.
  public let power: Double
  /// The level of the largest absolute sample in dBFS: 0 dB for a sine at full scale.
  public let peak: Double

  /// Returns the levels of interleaved channels, in their order.
  ///
  /// - Parameters:
  ///   - samples: whole frames.
  ///   - channels: samples of a frame, at least 1.
  public static func levels(of samples: [Float], channels: Int) -> [Self] {
    (0..<max(0, channels)).map { Self(samples, channel: $0, channels: channels) }
  }

  private init(_ samples: [Float], channel: Int, channels: Int) {
    var (sum, peak, count) = (0.0, 0.0, 0)
    for index in stride(from: channel, to: samples.count, by: channels) {
      let sample = Double(samples[index])
      sum += sample * sample
      peak = max(peak, abs(sample))
      count += 1
    }
    power = 10 * log10(count == 0 ? 0 : sum / Double(count))
    self.peak = 20 * log10(peak)
  }
}

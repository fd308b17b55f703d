internal import Foundation

/// The levels of a buffer before and after an equalizer.
public struct EqualizerLevels: Sendable, Hashable {
  /// The level of one channel, in dB relative to full scale; minus infinity for silence.
  public struct Level: Sendable, Hashable {
    /// Of the mean square: a sine at full scale has -3.01 dB.
    public let power: Double
    /// Of the highest sample.
    public let peak: Double

    init(_ samples: [Float], channel: Int, channels: Int) {
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

  /// One for each channel.
  public let before: [Level]
  /// One for each channel.
  public let after: [Level]

  init(before: [Float], after: [Float], channels: Int) {
    self.before = (0..<channels).map { Level(before, channel: $0, channels: channels) }
    self.after = (0..<channels).map { Level(after, channel: $0, channels: channels) }
  }
}

/// The levels of a buffer before and after an equalizer.
public struct EqualizerLevels: Sendable, Hashable {
  /// One for each channel.
  public let before: [SignalLevel]
  /// One for each channel.
  public let after: [SignalLevel]

  init(before: [Float], after: [Float], channels: Int) {
    self.before = SignalLevel.levels(of: before, channels: channels)
    self.after = SignalLevel.levels(of: after, channels: channels)
  }
}

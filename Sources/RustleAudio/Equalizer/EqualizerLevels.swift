/// The levels of a buffer before and after an equalizer, in dBFS.
public struct EqualizerLevels: Sendable, Hashable {
  /// The levels before the equalizer, one for each channel.
  public let before: [SignalLevel]
  /// The levels after the equalizer, one for each channel.
  public let after: [SignalLevel]

  init(before: [Float], after: [Float], channels: Int) {
    self.before = SignalLevel.levels(of: before, channels: channels)
    self.after = SignalLevel.levels(of: after, channels: channels)
  }
}

internal import RustleAudio

/// The selection of a file's channels for one channel.
public enum ChannelSelection: Sendable, Hashable {
  /// The arithmetic mean of all channels: a signal that is the same on each keeps its level.
  case mix
  /// One channel, counted from 0.
  case channel(Int)

  /// Reduces interleaved frames to one channel.
  ///
  /// - Parameters:
  ///   - interleaved: whole frames of `channels` samples each; samples of an unfinished last frame are left out.
  ///   - channels: samples in a frame, at least 1.
  ///   - mono: its contents are replaced by one sample for each frame; its storage is kept for the next call.
  /// - Precondition: `channels` is at least 1, and the chosen channel is in `0 ..< channels`.
  public func reduce(_ interleaved: [Float], channels: Int, into mono: inout [Float]) {
    precondition(channels >= 1, "channels must be at least 1, got \(channels)")
    var kept: Int?
    if case .channel(let index) = self {
      precondition((0..<channels).contains(index), "channel must be in 0 ..< \(channels), got \(index)")
      kept = index
    }
    ChannelReduction.reduce(interleaved, channels: channels, to: kept, into: &mono)
  }
}

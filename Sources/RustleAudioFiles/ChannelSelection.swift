/// Which of a file's channels become one.
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
    let frames = interleaved.count / channels
    mono.removeAll(keepingCapacity: true)
    mono.reserveCapacity(frames)
    switch self {
    case .channel(let index):
      precondition((0..<channels).contains(index), "channel must be in 0 ..< \(channels), got \(index)")
      for frame in 0..<frames { mono.append(interleaved[frame * channels + index]) }
    case .mix where channels == 1:
      mono.append(contentsOf: interleaved)
    case .mix:
      // The sum is kept in double precision, so that a file of many channels loses nothing to the order of addition.
      let scale = 1 / Double(channels)
      for frame in 0..<frames {
        var sum = 0.0
        for channel in 0..<channels { sum += Double(interleaved[frame * channels + channel]) }
        mono.append(Float(sum * scale))
      }
    }
  }
}

/// The reduction of several channels to one, for tuners, voices and files.
package enum ChannelReduction {
  /// Reduces interleaved frames to one channel.
  ///
  /// - Parameters:
  ///   - interleaved: whole frames of `channels` samples each; samples of an unfinished last frame are left out.
  ///   - channels: samples in a frame, at least 1.
  ///   - channel: the remaining one, in `0 ..< channels`; nil: the arithmetic mean of all.
  ///   - mono: its contents are replaced by one sample for each frame; its storage is kept for the next call.
  package static func reduce(_ interleaved: [Float], channels: Int, to channel: Int?, into mono: inout [Float]) {
    let frames = interleaved.count / channels
    mono.removeAll(keepingCapacity: true)
    if channels == 1 {
      mono.append(contentsOf: interleaved)
      return
    }
    mono.reserveCapacity(frames)
    if let channel {
      for frame in 0..<frames { mono.append(interleaved[frame * channels + channel]) }
      return
    }
    // The sum is kept in double precision, so that the order of addition does not matter for many channels.
    let scale = 1 / Double(channels)
    for frame in 0..<frames {
      var sum = 0.0
      for channel in 0..<channels { sum += Double(interleaved[frame * channels + channel]) }
      mono.append(Float(sum * scale))
    }
  }
}

extension PCMBuffer {
  /// One channel of the buffer, counted from 0, or with nil the mean of all.
  package func mono(channel: Int?) -> [Float] {
    if format.channels == 1 { return samples }
    var mono: [Float] = []
    ChannelReduction.reduce(samples, channels: format.channels, to: channel, into: &mono)
    return mono
  }
}

extension AsyncSequence where Element == PCMBuffer {
  /// One channel of the buffers, a piece for each. Silence replaces dropped frames, except for gaps of more than a minute.
  ///
  /// - Parameter channel: counted from 0; nil: the mean of all. One that a buffer does not have is an ``AudioError`` with
  ///   ``AudioError/Code/validation``.
  public func mono(channel: Int? = nil) -> AsyncThrowingMapSequence<Self, [Float]> {
    map { buffer in
      if let channel, !(0..<buffer.format.channels).contains(channel) {
        throw AudioError.validation("channel", expected: "one below \(buffer.format.channels)", got: "\(channel)")
      }
      let isGap = buffer.droppedFrames > 0 && buffer.droppedFrames <= Int64(60 * buffer.format.sampleRate)
      let silence = [Float](repeating: 0, count: isGap ? Int(buffer.droppedFrames) : 0)
      return silence + buffer.mono(channel: channel)
    }
  }
}

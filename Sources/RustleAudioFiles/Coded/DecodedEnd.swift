/// The end of a decoded sound whose header has its length: the decoder delivers the encoder's padding too, which is dropped. A header
/// whose length is less than the sound by more than padding is wrong, and the sound is read to its end.
final class DecodedEnd {
  /// The most padding: a coded frame has at most 4,096 samples (ALAC; AAC has 1,024 or 2,048).
  private static let padding = 4_096

  /// The frames until the end by the header; nil once that is passed.
  private var left: Int?
  /// Frames decoded beyond it that were not read yet.
  private var ahead: ArraySlice<Float> = []
  private var isOver = false

  init(frames: Int) { left = frames }

  /// Reads the next frames, as ``SoundFile/read(into:maximumFrameCount:)``, of those that `decode` delivers.
  func read(
    into buffer: inout [Float], maximumFrameCount: Int, channels: Int,
    _ decode: (inout [Float], Int) throws(AudioFileError) -> Int
  ) throws(AudioFileError) -> Int {
    if isOver { buffer.removeAll(keepingCapacity: true) }
    if isOver { return 0 }
    if !ahead.isEmpty {
      buffer.removeAll(keepingCapacity: true)
      buffer.append(contentsOf: ahead.prefix(maximumFrameCount * channels))
      ahead = ahead.dropFirst(buffer.count)
      return buffer.count / channels
    }
    let frames = try decode(&buffer, maximumFrameCount)
    guard let left, frames > left else {
      self.left = self.left.map { $0 - frames }
      return frames
    }
    self.left = nil
    var (more, block): ([Float], [Float]) = ([], [])
    var beyond = frames - left
    while beyond <= Self.padding {
      let count = try decode(&block, Self.padding)
      if count == 0 {
        isOver = true
        buffer.removeLast((frames - left) * channels)
        return left
      }
      more += block
      beyond += count
    }
    ahead = more[...]
    return frames
  }
}

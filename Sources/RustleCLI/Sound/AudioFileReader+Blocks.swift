import RustleAudio
import RustleAudioFiles

extension AudioFileReader {
  /// Reads the sound to its end as one channel, and says on standard error how far it is.
  ///
  /// - Parameters:
  ///   - file: its name, for what is refused.
  ///   - channel: counted from 1; nil: the mean of all.
  ///   - isQuiet: whether nobody is to be told.
  ///   - take: is given some samples at a time.
  /// - Returns: how many frames there were, at least one.
  /// - Throws: a `CommandFailure` for a sound without a frame, or with a sample that is no number; what reading throws.
  mutating func forEachMonoBlock(
    of file: String, channel: Int?, isQuiet: Bool, _ take: ([Float]) throws -> Void
  ) throws -> Int {
    let selection: ChannelSelection = channel.map { .channel($0 - 1) } ?? .mix
    var progress = ProgressLine(
      total: format.frames, isEnabled: !isQuiet && StandardStream.isTerminal(StandardStream.error))
    defer { progress.end() }
    var block: [Float] = []
    var framesRead = 0
    while true {
      let frames = try readMono(into: &block, maximumFrames: 16_384, selecting: selection)
      if frames == 0 { break }
      try CommandFailure.checkFinite(block, of: file, from: framesRead)
      framesRead += frames
      try take(block)
      progress.update(framesRead)
    }
    guard framesRead > 0 else {
      throw CommandFailure(.badData, "\(file): expected sound, got a file of 0 frames")
    }
    return framesRead
  }
}

internal import RustleCore

/// How far a playback has come. Everything is counted in frames.
public struct PlaybackProgress: Sendable, Hashable {
  /// The record's number in its session, from 0.
  public let sequence: UInt64
  /// What the device has taken, silence included.
  public let position: Int64
  /// The sound among it.
  public let played: Int64
  /// What waits for the device.
  public let queued: Int64
  /// The silence that the device was given, after the first sound, because none waited.
  public let insertedSilence: Int64
  /// How often the device ran dry; each time it made a hole.
  public let underruns: Int
}

extension PlaybackProgress {
  init(_ progress: NativePlaybackProgress) {
    sequence = progress.sequence
    position = Int64(clamping: progress.position)
    played = Int64(clamping: progress.played)
    queued = Int64(clamping: progress.queued)
    insertedSilence = Int64(clamping: progress.insertedSilence)
    underruns = progress.underruns
  }
}

internal import RustleCore

/// The progress of a playback, counted in frames.
public struct PlaybackProgress: Sendable, Hashable {
  /// The record's number in its session, from 0.
  public let sequence: UInt64
  /// The frames that the device has taken, silence included.
  public let position: Int64
  /// The frames of sound among them.
  public let played: Int64
  /// The frames that wait for the device.
  public let queued: Int64
  /// The inserted silence: frames after the first sound for which none waited.
  public let insertedSilence: Int64
  /// The device's underruns; each one is a gap in the sound.
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

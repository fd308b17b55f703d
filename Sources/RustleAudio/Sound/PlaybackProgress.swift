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
  /// The inserted silence: frames after the first sound for which none waited. ``AudioOutput/play(_:changing:onProgress:)`` leaves
  /// out those of pauses, and those up to the first progress with sound.
  public internal(set) var insertedSilence: Int64
  /// The device's underruns; each one is a gap in the sound.
  public let underruns: Int
  /// Whether the playback is paused.
  public internal(set) var isPaused = false
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

/// Takes the silence of pauses and of the beginning out of the successive progress of a playback.
struct PauseSilence {
  /// Whether a pause has emptied the queue, until it holds sound again.
  private var isDry = false
  private var hasPlayed = false
  /// The silence of pauses and of the beginning, and all silence, in frames.
  private var ofPauses: Int64 = 0
  private var all: Int64 = 0

  mutating func remove(from progress: PlaybackProgress, isPaused: Bool) -> PlaybackProgress {
    if !hasPlayed || isPaused || isDry {
      ofPauses += progress.insertedSilence - all
      isDry = isPaused || (isDry && progress.queued == 0)
    }
    (all, hasPlayed) = (progress.insertedSilence, progress.played > 0)
    var progress = progress
    progress.insertedSilence -= ofPauses
    progress.isPaused = isPaused
    return progress
  }
}

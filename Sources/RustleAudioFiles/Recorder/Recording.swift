public import Foundation
public import RustleAudio

/// What a recorder has written.
public struct Recording: Sendable, Hashable {
  /// The file.
  public let path: String
  /// The rate and the channels.
  public let format: AudioFormat
  /// Frames in the file.
  public let frames: Int64
  /// Frames that were lost on the way; silence stands in their places, unless there were more than a minute of them at a time.
  public let droppedFrames: Int64
  /// How often the device had no room left; each time it lost sound, how much it does not say.
  public let overruns: Int
  /// Samples that were beyond the range of the encoding.
  public let clippedSamples: Int

  /// The time in the file.
  public var duration: Duration { .seconds(Double(frames) / format.sampleRate) }

  /// A recording of so many frames, of which so many were lost; the recorder makes them, and previews may.
  public init(
    path: String, format: AudioFormat, frames: Int64, droppedFrames: Int64 = 0, overruns: Int = 0,
    clippedSamples: Int = 0
  ) {
    self.path = path
    self.format = format
    self.frames = frames
    self.droppedFrames = droppedFrames
    self.overruns = overruns
    self.clippedSamples = clippedSamples
  }
}

/// A recording that came to an end against the will of whoever made it: the device was lost, or the disk is full. The file is
/// kept, and opens.
public struct RecordingError: Error, Sendable {
  /// What is in the file.
  public let recording: Recording
  /// Why there is no more: ``AudioError``, ``AudioFileError``, or what else the input throws.
  public let cause: any Error
}

extension RecordingError: LocalizedError {
  /// The cause, and what was kept.
  public var errorDescription: String? {
    let kept = (recording.duration / .seconds(1) * 10).rounded() / 10
    return "\(cause.localizedDescription); \(kept) s are kept in \(recording.path)"
  }

  /// What the cause advises.
  public var recoverySuggestion: String? { (cause as? any LocalizedError)?.recoverySuggestion }
}

/// How a recording goes.
public struct RecorderProgress: Sendable, Hashable {
  /// Frames in the file.
  public let frames: Int64
  /// The time in the file.
  public let duration: Duration
  /// Whether what comes is thrown away at the moment.
  public let isPaused: Bool
  /// The levels of the newest buffer, one for each channel, also while paused.
  public let levels: [SignalLevel]
  /// Frames lost so far.
  public let droppedFrames: Int64
  /// Overruns of the device so far.
  public let overruns: Int
  /// Samples beyond the range of the encoding so far.
  public let clippedSamples: Int

  /// The state of a recording; the recorder makes them, and previews may.
  public init(
    frames: Int64, duration: Duration, isPaused: Bool, levels: [SignalLevel], droppedFrames: Int64 = 0,
    overruns: Int = 0,
    clippedSamples: Int = 0
  ) {
    self.frames = frames
    self.duration = duration
    self.isPaused = isPaused
    self.levels = levels
    self.droppedFrames = droppedFrames
    self.overruns = overruns
    self.clippedSamples = clippedSamples
  }
}

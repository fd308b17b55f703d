public import Foundation
public import RustleAudio

/// A recorded file.
public struct Recording: Sendable, Hashable {
  /// The file.
  public let path: String
  /// The rate and the channels.
  public let format: AudioFormat
  /// Frames in the file.
  public let frames: Int64
  /// Frames dropped by the input; silence replaces them, except for gaps of more than a minute.
  public let droppedFrames: Int64
  /// The device's overruns; each one lost an unknown amount of sound.
  public let overruns: Int
  /// Samples that were beyond the range of the encoding.
  public let clippedSamples: Int

  /// The time in the file.
  public var duration: Duration { .seconds(Double(frames) / format.sampleRate) }

  /// Creates a description of a recording, for previews and tests.
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

/// The error of a recording that ended early: the device was lost, or the disk is full. The file is kept, and opens.
public struct RecordingError: Error, Sendable {
  /// The recording in the file.
  public let recording: Recording
  /// The cause: ``AudioError``, ``AudioFileError``, or another error of the input.
  public let cause: any Error
}

extension RecordingError: LocalizedError {
  /// The cause, and the kept duration.
  public var errorDescription: String? {
    let kept = (recording.duration / .seconds(1) * 10).rounded() / 10
    return "\(cause.localizedDescription); \(kept) s are kept in \(recording.path)"
  }

  /// The advice of the cause.
  public var recoverySuggestion: String? { (cause as? any LocalizedError)?.recoverySuggestion }
}

/// The progress of a recording.
public struct RecorderProgress: Sendable, Hashable {
  /// Frames in the file.
  public let frames: Int64
  /// The time in the file.
  public let duration: Duration
  /// Whether sound is being discarded.
  public let isPaused: Bool
  /// The levels of the newest buffer, one for each channel, also while paused.
  public let levels: [SignalLevel]
  /// Frames dropped so far.
  public let droppedFrames: Int64
  /// Overruns of the device so far.
  public let overruns: Int
  /// Samples beyond the range of the encoding so far.
  public let clippedSamples: Int

  /// Creates the progress of a recording, for previews and tests.
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

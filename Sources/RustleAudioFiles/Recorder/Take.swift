internal import RustleAudio

/// One recording as it is written.
struct Take: ~Copyable {
  /// The longest hole that is filled with silence, in seconds: a device that slept for a night leaves a hole.
  private static let longestSilence = 60.0

  private let format: AudioFormat
  /// nil once the file is closed.
  private var writer: AudioFileWriter?
  private(set) var recording: Recording
  private var lostFrames: Int64 = 0
  private var overruns = 0

  init(path: String, format: AudioFormat, options: AudioFileWriter.Options) throws(AudioFileError) {
    self.format = format
    writer = try AudioFileWriter(path: path, format: format, options: options)
    recording = Recording(path: path, format: format, frames: 0, lostFrames: 0, overruns: 0, clippedSamples: 0)
  }

  /// Writes a buffer, with silence in the place of what was lost before it, so that the time in the file is that of the world.
  mutating func add(_ buffer: AudioBuffer, isPaused: Bool) throws(AudioFileError) {
    overruns = buffer.overruns
    defer { note() }
    if isPaused { return }
    lostFrames += buffer.lostFrames
    let most = Int64(Self.longestSilence * format.sampleRate)
    if buffer.lostFrames > 0 && buffer.lostFrames <= most {
      let silence = [Float](repeating: 0, count: Int(buffer.lostFrames) * format.channels)
      try writer?.append(AudioBuffer(format: format, samples: silence, position: buffer.position - buffer.lostFrames))
    }
    try writer?.append(buffer)
  }

  /// Closes the file; what was written stands in `recording`.
  mutating func finish() throws(AudioFileError) {
    guard let open = writer.take() else { return }
    try open.finish()
  }

  func progress(after buffer: AudioBuffer, isPaused: Bool) -> RecorderProgress {
    RecorderProgress(
      frames: recording.frames, duration: recording.duration, isPaused: isPaused,
      levels: SignalLevel.levels(of: buffer.samples, channels: buffer.format.channels), lostFrames: lostFrames,
      overruns: overruns, clippedSamples: recording.clippedSamples)
  }

  /// Keeps what was written so far, also when writing fails.
  private mutating func note() {
    let frames = writer?.framesWritten ?? recording.frames
    let clipped = writer?.clippedSamples ?? recording.clippedSamples
    recording = Recording(
      path: recording.path, format: format, frames: frames, lostFrames: lostFrames, overruns: overruns,
      clippedSamples: clipped)
  }
}

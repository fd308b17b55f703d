internal import RustleAudio

/// One recording as it is written.
struct Take: ~Copyable {
  /// The longest gap that is filled with silence, in seconds: not that of a device that slept for a night.
  private static let maximumSilence = 60.0

  private let format: AudioFormat
  /// nil once the file is closed.
  private var writer: AudioFileWriter?
  private(set) var recording: Recording
  private var droppedFrames: Int64 = 0
  private var overruns = 0
  private var wasPaused = false

  init(path: String, format: AudioFormat, options: AudioFileWriter.Options) throws(AudioFileError) {
    self.format = format
    writer = try AudioFileWriter(path: path, format: format, options: options)
    recording = Recording(path: path, format: format, frames: 0, droppedFrames: 0, overruns: 0, clippedSamples: 0)
  }

  /// Writes a buffer, with silence in the place of frames dropped before it, so that the time in the file is real time.
  mutating func add(_ buffer: PCMBuffer, isPaused: Bool) throws(AudioFileError) {
    overruns = buffer.overruns
    defer { note() }
    defer { wasPaused = isPaused }
    if isPaused { return }
    // Frames dropped during a pause are not missing.
    let lost = wasPaused ? 0 : buffer.droppedFrames
    droppedFrames += lost
    let most = Int64(Self.maximumSilence * format.sampleRate)
    if lost > 0 && lost <= most {
      let silence = [Float](repeating: 0, count: Int(lost) * format.channels)
      try writer?.append(PCMBuffer(format: format, wholeFrames: silence, position: buffer.position - lost))
    }
    try writer?.append(buffer)
  }

  /// Closes the file; what was written stands in `recording`.
  mutating func finish() throws(AudioFileError) {
    guard let open = writer.take() else { return }
    try open.finish()
  }

  func progress(after buffer: PCMBuffer, isPaused: Bool) -> RecorderProgress {
    RecorderProgress(
      frames: recording.frames, duration: recording.duration, isPaused: isPaused,
      levels: SignalLevel.levels(of: buffer.samples, channels: buffer.format.channels), droppedFrames: droppedFrames,
      overruns: overruns, clippedSamples: recording.clippedSamples)
  }

  /// What is in the file after an error: the file itself is measured when the disk did not take everything.
  func kept(after error: any Error) -> Recording {
    guard let error = error as? AudioFileError, error.code == .diskFull || error.code == .writeFailed,
      let frames = Self.frames(in: recording.path)
    else { return recording }
    return Recording(
      path: recording.path, format: format, frames: frames, droppedFrames: droppedFrames, overruns: overruns,
      clippedSamples: recording.clippedSamples)
  }

  private static func frames(in path: String) -> Int64? {
    guard var reader = try? AudioFileReader(path: path) else { return nil }
    if let frames = reader.format.frames { return Int64(frames) }
    var (count, block) = (0, [Float]())
    while let read = try? reader.read(into: &block, maximumFrameCount: 65_536), read > 0 { count += read }
    return Int64(count)
  }

  /// Keeps what was written so far, also when writing fails.
  private mutating func note() {
    let frames = writer?.framesWritten ?? recording.frames
    let clipped = writer?.clippedSamples ?? recording.clippedSamples
    recording = Recording(
      path: recording.path, format: format, frames: frames, droppedFrames: droppedFrames, overruns: overruns,
      clippedSamples: clipped)
  }
}

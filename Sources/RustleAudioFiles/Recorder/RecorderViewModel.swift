public import Observation
public import RustleAudio

/// The state of a recorder for a view.
@MainActor
@Observable
public final class RecorderViewModel {
  /// The recorder's state.
  public private(set) var state = Recorder.State.idle
  /// The progress of the recording, or of the last one when nothing is recorded.
  public private(set) var progress: RecorderProgress?
  /// The last recording that ended.
  public private(set) var recording: Recording?
  /// The error that refused the last call, or ended the last recording early; nil: none.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let recorder: Recorder
  @ObservationIgnored private let runs = Runs()
  /// Whether a task waits for the end of a recording.
  @ObservationIgnored private var hasEnd = false

  /// Creates a model of a new recorder.
  public init() {
    recorder = Recorder()
  }

  deinit {
    // The task that waits for the end keeps the recorder, which therefore has to be stopped.
    if hasEnd { Task { [recorder] in _ = try? await recorder.stop() } }
  }

  /// Begins to record, as `Recorder.start` does. A rejection is shown in ``error``.
  public func start(
    _ input: some AudioInput, format: AudioFormat, to path: String,
    options: AudioFileWriter.Options = AudioFileWriter.Options()
  ) async {
    guard state == .idle else { return }
    let run = runs.overtake()
    (error, recording, progress, state) = (nil, nil, nil, .starting)
    do {
      try await recorder.start(input, format: format, to: path, options: options)
    } catch {
      if !(error is CancellationError) { self.error = error }
      state = .idle
      return
    }
    state = .recording
    let shown = await recorder.progress()
    runs.perform(run) { [weak self] in
      for await progress in shown { self?.progress = progress }
    }
    hasEnd = true
    runs.perform(run) { [weak self, recorder] in
      let result: Result<Recording, any Error>
      do { result = .success(try await recorder.finished()) } catch { result = .failure(error) }
      self?.ended(run, result)
    }
  }

  /// Pauses, or resumes.
  public func setPaused(_ isPaused: Bool) async {
    do {
      if isPaused { try await recorder.pause() } else { try await recorder.resume() }
      state = isPaused ? .paused : .recording
    } catch {
      self.error = error
    }
  }

  /// Ends the recording and returns when the file is closed; cancels one that is being opened. Does nothing when nothing is
  /// recorded.
  public func stop() async {
    guard state != .idle else { return }
    // The task that waits for the end has the result.
    _ = try? await recorder.stop()
    await runs.finished()
  }

  private func ended(_ run: Runs.Run, _ result: Result<Recording, any Error>) {
    guard run == runs.newest else { return }
    hasEnd = false
    switch result {
    case .success(let recording): self.recording = recording
    case .failure(let error):
      self.error = error
      recording = (error as? RecordingError)?.recording
    }
    state = .idle
  }
}

public import Observation
public import RustleAudio

/// The state of a recorder for a view.
@MainActor
@Observable
public final class RecorderViewModel {
  /// What the recorder does.
  public private(set) var state = Recorder.State.idle
  /// How the recording goes; of the last one when nothing is recorded.
  public private(set) var progress: RecorderProgress?
  /// The last recording that came to its end.
  public private(set) var recording: Recording?
  /// Why the last call was refused, or the last recording ended early; nil when it was not.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let recorder: Recorder
  @ObservationIgnored private var watch: Task<Void, Never>?
  @ObservationIgnored private var end: Task<Void, Never>?
  /// Counts starts, so that the end of an earlier recording does not touch a later one.
  @ObservationIgnored private var generation = 0

  /// A model over a recorder of its own.
  public init() {
    recorder = Recorder()
  }

  deinit {
    watch?.cancel()
    // Whoever waits for the end keeps the recorder: it has to be told.
    if end != nil { Task { [recorder] in _ = try? await recorder.stop() } }
  }

  /// Begins to record, as `Recorder.start` does. A refusal is shown in ``error``.
  public func start(
    _ input: some AudioInput, format: AudioFormat, to path: String,
    options: AudioFileWriter.Options = AudioFileWriter.Options()
  ) async {
    guard state == .idle else { return }
    generation += 1
    (error, recording, progress, state, end) = (nil, nil, nil, .starting, nil)
    let mine = generation
    do {
      try await recorder.start(input, format: format, to: path, options: options)
    } catch {
      if !(error is CancellationError) { self.error = error }
      state = .idle
      return
    }
    state = .recording
    let shown = await recorder.progress()
    watch = Task { [weak self] in
      for await progress in shown { self?.progress = progress }
    }
    end = Task { [weak self, recorder] in
      let result: Result<Recording, any Error>
      do { result = .success(try await recorder.finished()) } catch { result = .failure(error) }
      self?.ended(mine, result)
    }
  }

  /// Pauses, or goes on.
  public func setPaused(_ isPaused: Bool) async {
    do {
      if isPaused { try await recorder.pause() } else { try await recorder.resume() }
      state = isPaused ? .paused : .recording
    } catch {
      self.error = error
    }
  }

  /// Ends the recording and returns when the file is closed; calls one off that is being opened. Does nothing when nothing is
  /// recorded.
  public func stop() async {
    guard state != .idle else { return }
    // Its result is that of the one who waits for the end.
    _ = try? await recorder.stop()
    await end?.value
  }

  private func ended(_ generation: Int, _ result: Result<Recording, any Error>) {
    guard generation == self.generation else { return }
    switch result {
    case .success(let recording): self.recording = recording
    case .failure(let error):
      self.error = error
      recording = (error as? RecordingError)?.recording
    }
    state = .idle
  }
}

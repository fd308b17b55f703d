public import RustleAudio
internal import Synchronization

/// Records sound into a file that opens whatever becomes of the process, and shows the level meanwhile.
///
/// ```swift
/// let recorder = Recorder()
/// try await recorder.start(capture, format: capture.configuration.format, to: "take1.flac")
/// for await progress in recorder.progress() { print(progress.duration, progress.levels[0].peak) }
/// let recording = try await recorder.stop()
/// ```
///
/// One recording at a time; a stopped recorder can be started again. A device that is lost and a disk that is full end the
/// recording, with the file kept: ``stop()`` and ``finished()`` throw a ``RecordingError`` then. Dropping the recorder stops it.
public actor Recorder {
  /// What a recorder does.
  public enum State: Sendable, Hashable {
    /// Nothing yet, or nothing any more.
    case idle
    /// Opening its input and its file.
    case starting
    /// Writing what comes.
    case recording
    /// Throwing away what comes.
    case paused
  }

  private enum Phase {
    case idle
    case starting
    /// The latest recording, which may be over.
    case running(Run)
  }

  private var phase = Phase.idle
  private nonisolated let shown = Broadcast<RecorderProgress>()

  /// A recorder that does nothing yet.
  public init() {}

  deinit {
    if case .running(let run) = phase { run.task.cancel() }
  }

  /// What it does. A recording whose input has come to its end is idle.
  public var state: State {
    switch phase {
    case .idle: .idle
    case .starting: .starting
    case .running(let run) where run.control.isOver: .idle
    case .running(let run): run.control.isPaused ? .paused : .recording
    }
  }

  /// Opens the input and the file and begins to record. Returns when both are open.
  ///
  /// - Parameters:
  ///   - input: what is recorded.
  ///   - format: the input's format; sound of another one ends the recording with an error.
  ///   - path: the file, WAV or FLAC by its extension.
  ///   - options: how it is written.
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` while a recording goes on; what the input throws when it
  ///   cannot be opened; ``AudioFileError`` when the file cannot be made. Nothing goes on then.
  public func start(
    _ input: some AudioInput, format: AudioFormat, to path: String,
    options: AudioFileWriter.Options = AudioFileWriter.Options()
  ) async throws {
    guard state == .idle else {
      throw AudioError(
        .wrongState, "expected a recorder that is idle, got one that records", advice: "Stop it first.")
    }
    phase = .starting
    let control = RecordingControl()
    let opened = OpenedSignal()
    let task = Task { [shown] in
      await Self.record(
        input, format: format, path: path, options: options, control: control, opened: opened, shown: shown)
    }
    do {
      try await opened.wait()
    } catch {
      phase = .idle
      throw error
    }
    phase = .running(Run(task: task, control: control))
  }

  /// Throws away what comes until ``resume()``; the file goes on where it is. Does nothing when it is paused.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` when nothing is recorded.
  public func pause() throws(AudioError) { try running().control.setPaused(true) }

  /// Writes what comes again. Does nothing when it is not paused.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` when nothing is recorded.
  public func resume() throws(AudioError) { try running().control.setPaused(false) }

  /// Ends the recording and closes the file. Of one that is over already it tells what became of it.
  ///
  /// - Returns: what was written.
  /// - Throws: ``RecordingError`` when the recording ended by itself for a reason; ``AudioError`` with
  ///   ``AudioError/Code/wrongState`` when there has been none.
  public func stop() async throws -> Recording {
    let run = try latest()
    run.task.cancel()
    return try await run.task.value.get()
  }

  /// Waits for the end of the recording: that of its input, or ``stop()``.
  ///
  /// - Returns: what was written.
  /// - Throws: as ``stop()``.
  public func finished() async throws -> Recording {
    try await latest().task.value.get()
  }

  /// How the recordings of this recorder go from now on: one record for each buffer; a listener that is too slow sees the
  /// newest.
  public nonisolated func progress() -> AsyncStream<RecorderProgress> { shown.stream() }

  private func latest() throws(AudioError) -> Run {
    guard case .running(let run) = phase else { throw Self.recordsNothing }
    return run
  }

  private func running() throws(AudioError) -> Run {
    let run = try latest()
    if run.control.isOver { throw Self.recordsNothing }
    return run
  }

  private static var recordsNothing: AudioError {
    AudioError(.wrongState, "expected a recorder that records, got one that does not", advice: "Start it first.")
  }

  private struct Run {
    let task: Task<Result<Recording, RecordingError>, Never>
    let control: RecordingControl
  }

  /// The recording itself: on threads of the concurrency runtime, not on the actor, because the file's calls block.
  @concurrent
  private static func record<Input: AudioInput>(
    _ input: Input, format: AudioFormat, path: String, options: AudioFileWriter.Options, control: RecordingControl,
    opened: OpenedSignal, shown: Broadcast<RecorderProgress>
  ) async -> Result<Recording, RecordingError> {
    defer { control.setOver() }
    var take: Take
    let buffers: Input.Buffers
    do {
      buffers = try await input.buffers()
      take = try Take(path: path, format: format, options: options)
    } catch {
      opened.fire(error)
      let nothing = Recording(path: path, format: format, frames: 0, lostFrames: 0, overruns: 0, clippedSamples: 0)
      return .failure(RecordingError(recording: nothing, cause: error))
    }
    opened.fire(nil)
    do {
      for try await buffer in buffers {
        try take.add(buffer, isPaused: control.isPaused)
        shown.show(take.progress(after: buffer, isPaused: control.isPaused))
      }
    } catch is CancellationError {
      // That is how a stop reaches some inputs.
    } catch {
      // The file is kept; an error of its end would hide the cause.
      try? take.finish()
      return .failure(RecordingError(recording: take.recording, cause: error))
    }
    do {
      try take.finish()
      return .success(take.recording)
    } catch {
      return .failure(RecordingError(recording: take.recording, cause: error))
    }
  }
}

/// What a recorder and its recording share.
private final class RecordingControl: Sendable {
  private let paused = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  var isPaused: Bool { paused.load(ordering: .acquiring) }
  var isOver: Bool { over.load(ordering: .acquiring) }
  func setPaused(_ isPaused: Bool) { paused.store(isPaused, ordering: .releasing) }
  func setOver() { over.store(true, ordering: .releasing) }
}

/// Fired once: the input and the file are open, or could not be opened.
private final class OpenedSignal: Sendable {
  private enum State {
    case waiting(CheckedContinuation<Void, any Error>?)
    case fired((any Error)?)
  }

  private let state = Mutex(State.waiting(nil))

  func fire(_ error: (any Error)?) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard case .waiting(let waiter) = state else { return nil }
      state = .fired(error)
      return waiter
    }
    waiter?.resume(with: error.map { .failure($0) } ?? .success(()))
  }

  func wait() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let fired = state.withLock { state -> Result<Void, any Error>? in
        switch state {
        case .fired(let error): return error.map { .failure($0) } ?? .success(())
        case .waiting:
          state = .waiting(continuation)
          return nil
        }
      }
      if let fired { continuation.resume(with: fired) }
    }
  }
}

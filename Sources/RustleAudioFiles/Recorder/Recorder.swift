public import RustleAudio
internal import Synchronization

/// A recorder of sound into a file (WAV, FLAC, Ogg, Opus, MP3, M4A) that opens even when the process is killed, with level
/// reports meanwhile.
///
/// ```swift
/// let recorder = Recorder()
/// try await recorder.start(capture, format: capture.configuration.format, to: "take1.flac")
/// for await progress in await recorder.progress() where progress.duration >= .seconds(3) { break }
/// let recording = try await recorder.stop()
/// ```
///
/// One recording at a time; a stopped recorder can be started again. A device that is lost and a disk that is full end the
/// recording, with the file kept: ``stop()`` and ``finished()`` throw a ``RecordingError`` then. Dropping the recorder stops it.
public actor Recorder {
  /// The state of a recorder.
  public enum State: Sendable, Hashable {
    /// Not recording.
    case idle
    /// Opening its input and its file.
    case starting
    /// Writing the sound of its input.
    case recording
    /// Discarding the sound of its input.
    case paused
  }

  private enum Phase {
    case idle
    case starting(Start)
    /// The latest recording, which may have ended.
    case running(Run)
  }

  private var phase = Phase.idle
  /// The progress of the next recording.
  private var upcoming = Broadcast<RecorderProgress>()

  /// Creates an idle recorder.
  public init() {}

  deinit {
    switch phase {
    case .idle: break
    case .starting(let start): start.callOff()
    case .running(let run): run.task.cancel()
    }
  }

  /// The state. A recorder whose input has ended is idle.
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
  ///   - input: the recorded sound.
  ///   - format: the input's format; sound of another one ends the recording with an error.
  ///   - path: the file; its extension is that of a format of `AudioFileWriter`.
  ///   - options: the options of the writer.
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` while a recording is being opened or runs; the input's error
  ///   when it cannot be opened; ``AudioFileError`` when the file cannot be made; `CancellationError` when the task is cancelled meanwhile, or
  ///   ``stop()`` is called. Nothing is recorded then; a file that was made just before stays empty.
  public func start(
    _ input: some AudioInput, format: AudioFormat, to path: String,
    options: AudioFileWriter.Options = AudioFileWriter.Options()
  ) async throws {
    guard state == .idle else {
      throw AudioError(
        .wrongState, "expected a recorder that is idle, got one that records", advice: "Stop it first.")
    }
    let control = RecordingControl()
    let opened = OpenedSignal()
    let shown = upcoming
    let task = Task {
      await Self.record(
        input, format: format, path: path, options: options, control: control, opened: opened, shown: shown)
    }
    let start = Start(task: task, opened: opened)
    phase = .starting(start)
    do {
      try await withTaskCancellationHandler {
        try await opened.wait()
      } onCancel: {
        start.callOff()
      }
    } catch {
      phase = .idle
      throw error
    }
    upcoming = Broadcast()
    phase = .running(Run(task: task, control: control, shown: shown))
  }

  /// Discards sound until ``resume()``, after which the file continues. Does nothing when it is paused.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` when no recording is in progress.
  public func pause() throws(AudioError) { try running().control.setPaused(true) }

  /// Continues to write sound. Does nothing when it is not paused.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` when no recording is in progress.
  public func resume() throws(AudioError) { try running().control.setPaused(false) }

  /// Ends the recording and returns when the file and the device are closed. Of an ended recording it reports the result; a
  /// recording that is still being opened is cancelled.
  ///
  /// - Returns: what was written.
  /// - Throws: ``RecordingError`` when an error ended the recording; ``AudioError`` with ``AudioError/Code/wrongState`` when
  ///   there has been none.
  public func stop() async throws -> Recording {
    if case .starting(let start) = phase {
      start.callOff()
      throw Self.recordsNothing
    }
    let run = try latest()
    run.task.cancel()
    return try await run.task.value.get()
  }

  /// Waits for the end of the recording: the end of its input, or ``stop()``.
  ///
  /// - Returns: what was written.
  /// - Throws: as ``stop()``.
  public func finished() async throws -> Recording {
    try await latest().task.value.get()
  }

  /// Returns the progress of the recording from now on, or of the next one if there has been none: one record for each buffer; a
  /// consumer that is too slow receives the newest. It ends with the recording.
  public func progress() -> AsyncStream<RecorderProgress> {
    if case .running(let run) = phase { return run.shown.stream() }
    return upcoming.stream()
  }

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
    AudioError(.wrongState, "expected a started recorder, got one that is stopped", advice: "Call start() first.")
  }

  private typealias Result = Swift.Result<Recording, RecordingError>

  /// A recording that is being opened.
  private struct Start: Sendable {
    let task: Task<Result, Never>
    let opened: OpenedSignal

    /// Opening may take long and cannot be interrupted: an input that opens too late is closed again.
    func callOff() {
      task.cancel()
      _ = opened.fire(CancellationError())
    }
  }

  private struct Run {
    let task: Task<Result, Never>
    let control: RecordingControl
    let shown: Broadcast<RecorderProgress>
  }

  /// The recording itself: on threads of the concurrency runtime, not on the actor, because the file's calls block.
  @concurrent
  private static func record<Input: AudioInput>(
    _ input: Input, format: AudioFormat, path: String, options: AudioFileWriter.Options, control: RecordingControl,
    opened: OpenedSignal, shown: Broadcast<RecorderProgress>
  ) async -> Result {
    defer {
      control.setOver()
      shown.finish()
    }
    let nothing = Recording(path: path, format: format, frames: 0)
    var take: Take
    let buffers: Input.Buffers
    do {
      buffers = try await input.buffers()
      // A cancelled recording does not replace an older file.
      try Task.checkCancellation()
      take = try Take(path: path, format: format, options: options)
    } catch {
      _ = opened.fire(error)
      return .failure(RecordingError(recording: nothing, cause: error))
    }
    guard opened.fire(nil) else {
      try? take.finish()
      return .failure(RecordingError(recording: nothing, cause: CancellationError()))
    }
    let failure = await write(buffers, to: &take, control: control, shown: shown)
    // A device that is still open would refuse the next caller.
    if let device = buffers as? any SettlingBuffers { await device.settle() }
    do {
      try take.finish()
    } catch {
      return .failure(RecordingError(recording: take.kept(after: error), cause: failure ?? error))
    }
    guard let failure else { return .success(take.recording) }
    return .failure(RecordingError(recording: take.kept(after: failure), cause: failure))
  }

  /// Writes the sound until it ends; returns the error, nil for a normal end.
  private static func write<Buffers: AsyncSequence>(
    _ buffers: Buffers, to take: inout Take, control: RecordingControl, shown: Broadcast<RecorderProgress>
  ) async -> (any Error)? where Buffers.Element == PCMBuffer {
    do {
      for try await buffer in buffers {
        let isPaused = control.isPaused
        try take.add(buffer, isPaused: isPaused)
        shown.show(take.progress(after: buffer, isPaused: isPaused))
      }
      return nil
    } catch is CancellationError {
      // Some inputs receive a stop this way.
      return nil
    } catch {
      return error
    }
  }
}

/// The state that a recorder and its recording share.
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

  private let state = SeenMutex(State.waiting(nil))

  /// Sets the result; false when it was set before.
  func fire(_ error: (any Error)?) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, any Error>?) in
      guard case .waiting(let waiter) = state else { return (false, nil) }
      state = .fired(error)
      return (true, waiter)
    }
    waiter?.resume(with: error.map { .failure($0) } ?? .success(()))
    return isFirst
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

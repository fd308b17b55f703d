public import RustleCore
internal import Synchronization

/// A playback device, which plays the sound of any ``AudioInput``, or samples that are written to it.
///
/// ```swift
/// let output = try AudioOutput(DeviceConfiguration(format: format))
/// let end = try await output.play(AudioFileInput(path: "take1.flac"))
/// print("\(end.underruns) underruns")
/// ```
///
/// A thread of the native side writes to the device, without a lock and without allocating, from a queue of half a second; it
/// writes silence while the queue is empty.
public actor AudioOutput: NativeStreamEngine {
  /// The device and the format.
  public nonisolated let configuration: DeviceConfiguration

  private let playback: NativePlayback
  private let pause = Pause()
  /// The progress of the playbacks that it has started, counted in records.
  package let streams = EngineStreams()

  /// Creates an output; each playback opens the device.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` or ``AudioError/Code/native``.
  public init(_ configuration: DeviceConfiguration) throws(AudioError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates an output on the caller's runtime.
  package init(_ configuration: DeviceConfiguration, runtime: NativeRuntime?) throws(AudioError) {
    self.configuration = configuration
    let native = try configuration.native()
    playback = try AudioError.rethrowing { () throws(NativeError) in try NativePlayback(native, runtime: runtime) }
  }

  /// Opens the device and starts a playback of the samples written to it.
  ///
  /// - Parameter buffering: the buffering policy of its progress; by default only the newest is kept.
  /// - Throws: ``AudioError`` of the device, or with ``AudioError/Code/validation`` for a capacity; nothing was started then.
  public func start(
    buffering: StreamBuffering = .batched(capacity: 1, overflow: .conflate)
  ) throws(AudioError) -> Playback {
    let (stream, session) = try start(
      buffering: buffering, reader: ElementReader { PlaybackProgress($0) }, sequenceNumber: \.sequence)
    return Playback(progress: stream, format: configuration.format, session: session)
  }

  /// As ``start(buffering:)``, for values of the caller's type.
  package func start<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativePlaybackProgress, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(AudioError) -> (progress: EngineStream<Value>, session: PlaybackID) {
    let stream = try started(orThrow: AudioError.self) { () throws(NativeError) in
      try playback.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
    return (stream, PlaybackID(of: stream))
  }

  /// Whether ``play(_:changing:onProgress:)`` is paused: it plays what it has queued, up to half a second, and then silence; the
  /// progress goes on.
  public nonisolated var isPaused: Bool {
    get { pause.isActive.load(ordering: .acquiring) }
    set { pause.isActive.store(newValue, ordering: .releasing) }
  }

  /// Plays an input to its end, and returns when its last sound has been played. Cancelling the task ends the playback at once.
  /// The device is closed when this returns.
  ///
  /// - Parameters:
  ///   - input: sound of this output's format.
  ///   - change: changes each buffer on its way, an equalizer for example. It returns sound of this output's format.
  ///   - onProgress: receives the progress, about a hundred times per second.
  /// - Returns: the last progress.
  /// - Throws: ``AudioError`` of the device, with ``AudioError/Code/formatMismatch``, or with ``AudioError/Code/wrongState``
  ///   when the configuration's limit came before the end; the errors of the input and of `change`; `CancellationError` when the
  ///   task or the playback was cancelled.
  public func play(
    _ input: some AudioInput, changing change: (@Sendable (PCMBuffer) throws -> PCMBuffer)? = nil,
    onProgress: (@Sendable (PlaybackProgress) -> Void)? = nil
  ) async throws -> PlaybackProgress {
    let playback = try start()
    let monitor = StreamMonitor(playback.progress)
    do {
      var player = Player(playback, pause: pause, onProgress: onProgress)
      for try await buffer in try await input.buffers() {
        try buffer.expect(configuration.format)
        guard let change else {
          try await player.play(buffer)
          continue
        }
        let changed = try change(buffer)
        try changed.expect(configuration.format)
        try await player.play(changed)
      }
      let end = try await player.finish()
      // The last progress arrives before the device is closed.
      await monitor.released()
      return end
    } catch {
      // A device that is still open would refuse the next caller.
      playback.cancel()
      await monitor.released()
      throw error
    }
  }

  /// Makes the native side refuse new playbacks and end the running ones, without waiting for their end.
  package func refuseStreams() { playback.shutDown() }
}

/// A running playback, which takes sound and reports its progress. It ends when its progress is dropped.
public struct Playback: Sendable {
  /// The progress; for one consumer.
  public let progress: EngineStream<PlaybackProgress>
  /// The format of its sound.
  public let format: AudioFormat

  let session: PlaybackID

  /// Writes as many whole frames of the samples as there is room for, without waiting.
  ///
  /// - Parameter samples: whole frames, interleaved.
  /// - Returns: the number of samples taken; pass the others again.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for samples that are not whole frames.
  public func write(_ samples: Span<Float>) throws(AudioError) -> Int {
    try AudioError.rethrowing { () throws(NativeError) in try session.write(samples) }
  }

  /// Marks the end of the sound and returns at once: the playback ends when all of it has been played.
  public func finish() { session.finish() }

  /// Ends the playback at once, without playing the sound that waits.
  public func cancel() { session.cancel() }
}

/// Whether an output is paused.
private final class Pause: Sendable {
  let isActive = Atomic(false)
}

/// Writes buffers to a playback as it has room for them. Its progress is the clock.
private struct Player {
  private let playback: Playback
  private let pause: Pause
  private var silence = PauseSilence()
  private let onProgress: (@Sendable (PlaybackProgress) -> Void)?
  private var progress: EngineStream<PlaybackProgress>.Iterator
  private var framesGiven: Int64 = 0
  private var last = PlaybackProgress(sequence: 0, position: 0, played: 0, queued: 0, insertedSilence: 0, underruns: 0)

  init(_ playback: Playback, pause: Pause, onProgress: (@Sendable (PlaybackProgress) -> Void)?) {
    self.playback = playback
    self.pause = pause
    self.onProgress = onProgress
    progress = playback.progress.makeAsyncIterator()
  }

  mutating func play(_ buffer: PCMBuffer) async throws {
    while pause.isActive.load(ordering: .acquiring) {
      if try await !hear() { throw Self.cutOff }
    }
    var taken = 0
    while taken < buffer.samples.count {
      taken += try playback.write(buffer.samples.span.extracting(taken...))
      if taken < buffer.samples.count, try await !hear() { throw Self.cutOff }
    }
    framesGiven += Int64(buffer.frameCount)
  }

  /// Returns when all has been played.
  mutating func finish() async throws -> PlaybackProgress {
    playback.finish()
    while try await hear() {}
    // Sound that is written to an ended playback is taken, and not heard.
    guard last.played >= framesGiven else { throw Self.cutOff }
    return last
  }

  private static let cutOff = AudioError(
    .wrongState, "expected the playback to take all sound, got its end",
    advice: "Raise the configuration's limit, or start it again.")

  /// Waits for the next progress; false at the end.
  private mutating func hear() async throws -> Bool {
    while let element = await progress.next() {
      guard let news = element.value else { continue }
      last = silence.remove(from: news, isPaused: pause.isActive.load(ordering: .acquiring))
      onProgress?(last)
      return true
    }
    try Task.checkCancellation()
    if let error = AudioError.end(of: playback.progress.outcome, advice: "Check the device, and play again.") {
      throw error
    }
    if playback.progress.outcome == .cancelled { throw CancellationError() }
    return false
  }
}

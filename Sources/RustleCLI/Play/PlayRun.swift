import Foundation
import RustleAudio

/// One playback, from its start to its end.
struct PlayRun {
  let sound: SoundInput
  let output: AudioOutput
  let equalizer: Equalizer?
  let line: PlayLine
  /// Whether progress records are written to standard output.
  let writesRecords: Bool

  /// The sound played between two records, in seconds.
  private static let interval = 0.1

  func play(keys: AsyncStream<Key>?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.signals + (keys == nil ? [] : [SIGTSTP]))
    let gate = PlayGate()
    // A slow reader gets the newest progress, and does not block the sound.
    let (news, reporter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let session = TerminalSession(
      output: StandardStream.error, input: StandardStream.input, write: { try LineWriter.standardError.write($0) })
    if keys != nil { try session.begin() }
    defer {
      line.end()
      if keys != nil { session.end() }
    }
    let result: Result<RunEnding, any Error>
    do {
      let ending = try await RunEnding.first { tasks in
        tasks.addTask {
          var change: (@Sendable (PCMBuffer) throws -> PCMBuffer)?
          if let equalizer { change = { try equalizer.process($0) } }
          let last = try await output.play(GatedInput(input: sound, gate: gate), changing: change) {
            line.show($0)
            reporter.yield()
          }
          line.show(last)
          return .streamEnded
        }
        if writesRecords {
          tasks.addTask {
            try await write(news)
            return nil
          }
          tasks.addTask { await RunEnding.readerGone(from: StandardStream.output) }
        }
        tasks.addTask {
          try await RunEnding.signal(from: signals, isForced: true) { _ in
            line.end(isLeft: true)
            try session.suspend()
          }
        }
        tasks.addKeys(keys) { key in
          if key == .pause { line.setPaused(await gate.toggle()) }
          return key == .quit
        }
      } settle: { _ in
        // A paused playback resumes, and is cancelled.
        await gate.open()
      }
      result = .success(ending)
    } catch {
      result = .failure(error)
    }
    await output.shutDown()
    let ending = try result.get()
    var state = line.state
    if writesRecords, ending != .readerGone, state.last != nil {
      state.isComplete = ending == .streamEnded
      try LineWriter.standardOutput.write(table("summary").line(state))
    }
    return ending
  }

  private func write(_ news: AsyncStream<Void>) async throws {
    let table = table("progress")
    var next = Self.interval
    for await _ in news {
      let state = line.state
      let seconds = Double(state.played) / sound.format.sampleRate
      guard seconds >= next else { continue }
      next = ((seconds / Self.interval).rounded(.down) + 1) * Self.interval
      try LineWriter.standardOutput.write(table.line(state))
    }
  }

  private func table(_ kind: String) -> Table<PlayLine.State> {
    let (format, name, first) = (sound.format, sound.name, Int64(sound.firstFrame))
    let common: [Column<PlayLine.State>] = [
      Column("position_s") { Double(first + $0.played) / format.sampleRate },
      Column("played_s") { Double($0.played) / format.sampleRate },
      Column("underruns", \.underruns),
      Column("inserted_silence_s") { Double($0.insertedSilence) / format.sampleRate },
    ]
    let rest: [Column<PlayLine.State>] =
      kind == "progress"
      ? [Column("paused", \.isPaused)]
      : [
        Column("input") { _ in name },
        Column("sample_rate_hz") { _ in format.sampleRate },
        Column("channels") { _ in format.channels },
        Column("frames", \.played),
        Column("complete", \.isComplete),
      ]
    return Table(common + rest, kind: kind, format: .ndjson, profile: .standardOutput(isASCIIAskedFor: false))
  }
}

/// Suspends the sound while the playback is paused.
private actor PlayGate {
  private var isPaused = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Pauses or resumes; returns whether it is paused now.
  func toggle() -> Bool {
    if isPaused { open() } else { isPaused = true }
    return isPaused
  }

  func open() {
    isPaused = false
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Waits until it is not paused.
  func pass() async {
    while isPaused { await withCheckedContinuation { waiting.append($0) } }
  }
}

/// An input whose buffers pass a gate.
private struct GatedInput: AudioInput {
  let input: SoundInput
  let gate: PlayGate

  func buffers() -> AsyncMapSequence<SoundBuffers, PCMBuffer> {
    input.buffers().map { [gate] buffer in
      await gate.pass()
      return buffer
    }
  }
}

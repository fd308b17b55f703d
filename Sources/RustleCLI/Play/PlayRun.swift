import Foundation
import RustleAudio
import Synchronization

/// One playback, from its start until one of the things that end it.
struct PlayRun {
  let sound: SoundInput
  let output: AudioOutput
  let equalizer: Equalizer?
  let line: PlayLine
  /// What is written for programs, and where; nil for people.
  var records: (lines: PlayLines, output: LineWriter)?

  /// - Returns: what ended it, and how far it came; nil when nothing was heard of the device.
  func play(keys: AsyncStream<Key>?) async throws -> (RunEnding, PlaybackProgress?) {
    let hasTerminal = keys != nil
    let signals = await Signals.stream(of: RunEnding.signals + (hasTerminal ? [SIGTSTP] : []))
    let gate = PlayGate()
    // A reader that is too slow sees the newest, and does not hold the sound up.
    let (news, teller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let session = TerminalSession(
      output: StandardStream.error, input: StandardStream.input, write: { try LineWriter.standardError.write($0) })
    if hasTerminal { try session.begin() }
    defer {
      line.end()
      if hasTerminal { session.end() }
    }
    do {
      let ending = try await RunEnding.first { tasks in
        tasks.addTask { try await heard(gate, teller) }
        if let records {
          tasks.addTask {
            var next = PlayLines.interval
            for await _ in news {
              let record = line.record
              let seconds = Double(record.played) / sound.format.sampleRate
              guard seconds >= next else { continue }
              next = (seconds / PlayLines.interval).rounded(.down) * PlayLines.interval + PlayLines.interval
              try records.output.write(records.lines.line(record))
            }
            return nil
          }
          tasks.addTask { await RunEnding.readerGone(from: StandardStream.output) }
        }
        tasks.addTask {
          try await RunEnding.signal(from: signals, isForced: true) { _ in
            line.forget()
            try session.suspend()
          }
        }
        tasks.addKeys(keys) { key in
          if key == .pause { line.setPaused(await gate.toggle()) }
          return key == .quit
        }
      } settle: { _ in
        // What waits for the end of a pause goes on, and is cancelled.
        await gate.open()
      }
      await output.shutDown()
      if let records, ending != .readerGone, line.last != nil {
        try records.output.write(records.lines.summary(line.record, isComplete: ending == .streamEnded))
      }
      return (ending, line.last)
    } catch {
      await output.shutDown()
      throw error
    }
  }

  private func heard(_ gate: PlayGate, _ teller: AsyncStream<Void>.Continuation) async throws -> RunEnding {
    let gated = GatedInput(input: sound, gate: gate)
    let line = line
    var change: (@Sendable (AudioBuffer) throws -> AudioBuffer)?
    if let equalizer { change = { buffer in try equalizer.process(buffer) } }
    let last = try await output.play(
      gated, changing: change,
      onProgress: {
        line.show($0)
        teller.yield()
      })
    line.show(last)
    return .streamEnded
  }
}

/// Holds the sound back while the playback is paused.
actor PlayGate {
  private var isPaused = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Returns: whether it is paused now.
  func toggle() -> Bool {
    if isPaused { open() } else { isPaused = true }
    return isPaused
  }

  func open() {
    isPaused = false
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Returns when it is not paused.
  func pass() async {
    while isPaused { await withCheckedContinuation { waiting.append($0) } }
  }
}

/// An input whose buffers pass a gate.
struct GatedInput: AudioInput {
  let input: SoundInput
  let gate: PlayGate

  func buffers() -> Buffers { Buffers(base: input.buffers(), gate: gate) }

  struct Buffers: AsyncSequence {
    typealias Element = AudioBuffer
    let base: SoundBuffers
    let gate: PlayGate

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), gate: gate) }

    struct Iterator: AsyncIteratorProtocol {
      var base: SoundBuffers.Iterator
      let gate: PlayGate

      mutating func next() async throws -> AudioBuffer? { try await next(isolation: #isolation) }

      mutating func next(isolation actor: isolated (any Actor)?) async throws -> AudioBuffer? {
        await gate.pass()
        return try await base.next(isolation: actor)
      }
    }
  }
}

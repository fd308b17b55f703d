import Foundation
import RustleAudio
import Synchronization

/// Sound from a device through an equalizer to a device, until one of the things that end it.
struct LiveEqualizerRun: Sendable {
  let input: SoundInput
  let output: AudioOutput
  let equalizer: Equalizer
  private let progress = PlaybackTally()

  init(input: SoundInput, output: AudioOutput, equalizer: Equalizer) {
    self.input = input
    self.output = output
    self.equalizer = equalizer
  }

  /// Seconds of sound from one line to the next.
  static let lineInterval = 0.25

  /// Writes a line every quarter of a second of sound, and one at the end.
  func lines(_ lines: EqualizerStateLines, to writer: LineWriter) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.signals)
    let levels = equalizer.levels()
    let rhythm = LineRhythm(interval: Self.lineInterval)
    try writer.write(lines.header)
    let ending = try await firstEnding { tasks in
      tasks.addTask {
        for await level in levels {
          if let due = rhythm.add(await state(level)) { try writer.write(lines.line(due)) }
        }
        return nil
      }
      tasks.addEndingsOfLines(signals: signals)
    }
    if ending == .streamEnded, let last = rhythm.waiting { try writer.write(lines.line(last)) }
    return ending
  }

  /// Shows the sliders.
  func panel(_ view: LiveEqualizer) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let levels = equalizer.levels()
    let keys = await view.screen.keys()
    return try await view.whileShown {
      try await firstEnding { tasks in
        tasks.addTask {
          for await level in levels { await view.show(await state(level)) }
          return nil
        }
        tasks.add(view, signals: signals, keys: keys) { await view.press($0) }
      }
    }
  }

  /// What there is to tell now.
  private func state(_ levels: EqualizerLevels) async -> EqualizerState {
    let settings = await equalizer.settings
    return EqualizerState(
      seconds: Double(input.tally.frames) / input.format.sampleRate, before: levels.before.map(\.power),
      after: levels.after.map(\.power), preamp: settings.preamp, lostFrames: input.tally.lostFrames,
      overruns: input.tally.overruns, underruns: progress.underruns)
  }

  /// Plays, and runs the tasks, until the first of them says how the run ended. Both devices are closed when this returns.
  private func firstEnding(_ addTasks: (inout RunTasks) -> Void) async throws -> RunEnding {
    let result: Result<RunEnding, any Error>
    do {
      let ending = try await RunEnding.first { tasks in
        addTasks(&tasks)
        tasks.addTask {
          _ = try await output.play(
            input, changing: { [equalizer] in try equalizer.process($0) },
            onProgress: { [progress] in progress.set($0) })
          return .streamEnded
        }
      }
      result = .success(ending)
    } catch {
      result = .failure(error)
    }
    await input.close()
    await output.shutDown()
    return try result.get()
  }
}

/// What the playback has told last; any task may look.
private final class PlaybackTally: Sendable {
  private let count = Mutex(0)

  var underruns: Int { count.withLock { $0 } }

  func set(_ progress: PlaybackProgress) { count.withLock { $0 = progress.underruns } }
}

/// Says when it is time for a line, and which state has had none yet.
private final class LineRhythm: Sendable {
  private let interval: Double
  private let state = Mutex((next: 0.0, waiting: EqualizerState?.none))

  init(interval: Double) { self.interval = interval }

  /// The newest state, if nothing was written of it.
  var waiting: EqualizerState? { state.withLock { $0.waiting } }

  /// - Returns: the state, when there is to be a line of it.
  func add(_ new: EqualizerState) -> EqualizerState? {
    state.withLock { state in
      guard new.seconds >= state.next else {
        state.waiting = new
        return nil
      }
      state = (new.seconds + interval, nil)
      return new
    }
  }
}

import Foundation
import RustleAudio

/// One measurement, from its start until one of the things that end it.
struct MeterRun: Sendable {
  let input: SoundInput
  let meter: NoiseMeter
  /// The sound between two readings.
  let interval: Duration
  /// Told of each reading, and of the end before the summary is written.
  let follower: MeterFollower

  /// What the meter shows now.
  func state() async throws -> MeterState { try await MeterState(meter.reading, of: meter, tally: input.tally) }

  /// Measures without a view.
  func lines(to sink: some MeterSink) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    return try await firstEnding(finishing: sink) { tasks in
      tasks.addTask { try await measure(to: sink) }
      tasks.addEndingsOfLines(signals: signals)
    }
  }

  /// Measures with the live view.
  func view(_ view: LiveMeter) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let keys = await view.screen.keys()
    return try await view.whileShown {
      try await firstEnding(finishing: view) { tasks in
        tasks.addTask { try await measure(to: view) }
        tasks.add(view, signals: signals, isForced: true, keys: keys) { key in
          if key == .restart {
            try await meter.restart()
            await follower.restart()
          }
          return await view.press(key)
        }
      }
    }
  }

  private func measure(to sink: some MeterSink) async throws -> RunEnding {
    for try await reading in try await meter.readings(of: input, every: interval) {
      let state = try await MeterState(reading, of: meter, tally: input.tally)
      await follower.add(state, framesRead: input.tally.frames)
      try await sink.show(state)
    }
    try input.checkIsNotEmpty()
    return .streamEnded
  }

  /// Runs the tasks until the first of them says how the run ended, and then writes the summary, before the other tasks have
  /// ended: one of them may wait for sound that does not come.
  private func firstEnding(
    finishing sink: some MeterSink, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.first(of: addTasks) { ending in
        guard let ending else { return }
        var state = try await state()
        state.shares = await follower.shares
        // The picture first: a reader of the pipe that has seen enough must not cost it.
        try await follower.finish(state)
        if ending != .readerGone { try await sink.finish(state) }
      }
      await input.close()
      return ending
    } catch {
      // What was measured before a device was lost, or a file turned out to be damaged, is not lost with it.
      if input.tally.frames > 0, !(error is BrokenPipe), let state = try? await state() {
        try? await follower.finish(state)
        try? await sink.finish(state)
      }
      await follower.abandon()
      await input.close()
      throw error
    }
  }
}

import Foundation
import RustleAudio

/// One run of the tuner, from its start until one of the things that end it.
struct TuneRun: Sendable {
  let input: SoundInput
  let tuner: Tuner
  /// Told of every frame.
  let follower: TuneFollower

  /// Listens without a view.
  func lines(to sink: some TuneSink) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    return try await firstEnding(finishing: sink) { tasks in
      tasks.addTask { try await listen(to: sink) }
      tasks.addEndingsOfLines(signals: signals)
    }
  }

  /// Listens with the live view.
  func view(_ view: LiveTuner) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let keys = await view.screen.keys()
    return try await view.whileShown {
      try await firstEnding(finishing: view) { tasks in
        tasks.addTask { try await listen(to: view) }
        tasks.add(view, signals: signals, isForced: true, keys: keys) { await view.press($0) }
      }
    }
  }

  private func listen(to sink: some TuneSink) async throws -> RunEnding {
    // Every frame counts for the notes, and not those alone that are shown.
    for try await update in try await tuner.updates(of: input) {
      let (isDue, ended) = await follower.add(update, framesRead: input.tally.frames)
      try await sink.show(update, isDue: isDue, ended: ended)
    }
    try input.checkIsNotEmpty()
    return .streamEnded
  }

  /// What there is to say at the end.
  private func result(to sink: some TuneSink) async throws -> TuneResult {
    let (ended, last) = await follower.finish()
    if let ended, let last { try await sink.show(last, isDue: false, ended: ended) }
    return TuneResult(
      seconds: Double(input.tally.frames) / input.format.sampleRate, notes: await follower.ended,
      configuration: await tuner.configuration, learned: await tuner.learned, isLearning: await tuner.isLearning,
      inharmonicities: await tuner.inharmonicities, lostFrames: input.tally.lostFrames, overruns: input.tally.overruns)
  }

  /// Runs the tasks until the first of them says how the run ended, and then writes the summary, before the other tasks have
  /// ended: one of them may wait for sound that does not come.
  private func firstEnding(
    finishing sink: some TuneSink, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.first(of: addTasks) { ending in
        guard let ending, ending != .readerGone else { return }
        try await sink.finish(try await result(to: sink))
      }
      await input.close()
      return ending
    } catch {
      // What was heard before a device was lost, or a file turned out to be damaged, is not lost with it.
      if input.tally.frames > 0, !(error is BrokenPipe), let result = try? await result(to: sink) {
        try? await sink.finish(result)
      }
      _ = await follower.finish()
      await input.close()
      throw error
    }
  }
}

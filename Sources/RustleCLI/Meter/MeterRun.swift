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

  /// Pictures a second on a terminal, at most.
  private static let framesPerSecond = 20

  /// What the meter shows now.
  func state() async throws -> MeterState { try await MeterState(meter.reading, of: meter, tally: input.tally) }

  /// Measures without a view.
  func lines(to sink: some MeterSink) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    return try await firstEnding(finishing: sink) { group in
      group.addTask { try await measure(to: sink) }
      group.addTask { await RunEnding.signal(from: signals) }
      group.addTask { await RunEnding.readerGone(from: StandardStream.output) }
    }
  }

  /// Measures with the live view.
  func view(_ view: LiveMeter, keys: AsyncStream<Key>?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.signals + [SIGTSTP, SIGWINCH])
    try await view.begin()
    do {
      return try await firstEnding(finishing: view) { group in
        group.addTask { try await measure(to: view) }
        group.addTask {
          for await number in signals {
            switch number {
            case SIGTSTP: try await view.suspend()
            case SIGWINCH: await view.resized()
            default:
              RunEnding.leaveInASecond(with: number)
              return .signal(number)
            }
          }
          return nil
        }
        group.addTask {
          while !Task.isCancelled {
            try await view.drawIfNeeded()
            try? await Task.sleep(for: .seconds(1) / Self.framesPerSecond)
          }
          return nil
        }
        if let keys {
          group.addTask {
            for await key in keys {
              if key == .restart {
                try await meter.restart()
                await follower.restart()
              }
              if await view.press(key) { return .quit }
            }
            return nil
          }
        }
      }
    } catch {
      await view.abandon()
      throw error
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
    finishing sink: some MeterSink, _ addTasks: (inout ThrowingTaskGroup<RunEnding?, any Error>) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await withThrowingTaskGroup(of: RunEnding?.self) { group in
        addTasks(&group)
        defer { group.cancelAll() }
        while let ending = try await group.next() {
          guard let ending else { continue }
          group.cancelAll()
          var state = try await state()
          state.shares = await follower.shares
          // The picture first: a reader of the pipe that has seen enough must not cost it.
          try await follower.finish(state)
          if ending != .readerGone { try await sink.finish(state) }
          return ending
        }
        return .streamEnded
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

import Foundation
import RustleMarket

/// One run of the ticker, from its start until one of the things that end it.
struct TickerRun {
  let symbols: [String]
  let configuration: TickerConfiguration
  let duration: Duration?

  /// Pictures a second on a terminal, at most.
  private static let framesPerSecond = 20

  /// Writes one line for each update. What the reader of the output is too slow for is told in its place, and once more in
  /// `notes` at the end.
  func lines(
    _ format: OutputFormat, profile: TerminalProfile, to output: LineWriter, notes: LineWriter?
  ) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: [SIGINT, SIGTERM, SIGHUP])
    let ticker = try TickerController(configuration: configuration)
    let updates = try await ticker.updates(for: symbols, lane: .frames())
    let lines = TickerLines(format: format, profile: profile, symbols: symbols)
    let ending = try await firstEnding(of: ticker) { group in
      group.addTask {
        var lines = lines
        try output.write(lines.header)
        for await batch in updates.batches(upTo: 256) {
          var text = ""
          for element in batch {
            switch element {
            case .value(let update): text += lines.line(update)
            case .gap(let count): text += lines.gap(count)
            }
          }
          try output.write(text)
        }
        return .streamEnded
      }
      group.addTask { await RunEnding.signal(from: signals) }
      group.addTask { await RunEnding.readerGone(from: StandardStream.output) }
    }
    let lost = updates.statistics.dropped
    if lost > 0 && ending != .readerGone {
      try? notes?.write("rustle: the output was read too slowly: \(lost) updates were lost\n")
    }
    return ending
  }

  /// Shows the live table.
  func table(keys: AsyncStream<Key>?, view: LiveTicker) async throws -> RunEnding {
    let signals = await Signals.stream(of: [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH])
    let ticker = try TickerController(configuration: configuration)
    // A table shows the newest of each symbol, however fast they come.
    let updates = try await ticker.updates(for: symbols, lane: .frames(overflow: .keepLatest))
    try await view.begin()
    do {
      let ending = try await firstEnding(of: ticker) { group in
        group.addTask {
          for await case .value(let update) in updates { await view.apply(update) }
          return .streamEnded
        }
        group.addTask {
          for await number in signals {
            switch number {
            case SIGTSTP: try await view.suspend()
            case SIGWINCH: await view.resized()
            default: return .signal(number)
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
            for await key in keys where await view.press(key) { return .quit }
            return nil
          }
        }
      }
      await view.end()
      return ending
    } catch {
      await view.end()
      throw error
    }
  }

  /// Runs the tasks and the clock until the first of them says how the run ended; nil says nothing. The stream has ended
  /// on the native side when this returns.
  private func firstEnding(
    of ticker: TickerController, _ addTasks: (inout ThrowingTaskGroup<RunEnding?, any Error>) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await withThrowingTaskGroup(of: RunEnding?.self) { group in
        addTasks(&group)
        if let duration {
          group.addTask {
            try await Task.sleep(for: duration)
            // The stream ends, once what waits in it has been delivered.
            await ticker.cancel()
            return nil
          }
        }
        defer { group.cancelAll() }
        while let ending = try await group.next() {
          if let ending { return ending }
        }
        return .streamEnded
      }
      await ticker.cancel()
      return ending
    } catch {
      await ticker.cancel()
      throw error
    }
  }
}

import Foundation
import RustleMarket

/// One run of the ticker, from its start until one of the things that end it.
struct TickerRun {
  let symbols: [String]
  let configuration: TickerConfiguration
  let duration: Duration?

  /// Writes one line for each update. What the reader of the output is too slow for is told in its place, and once more in
  /// `notes` at the end.
  func lines(
    _ format: OutputFormat, profile: TerminalProfile, to output: LineWriter, notes: LineWriter?
  ) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    let ticker = try TickerController(configuration: configuration)
    let updates = try await ticker.updates(for: symbols, lane: .frames())
    let lines = TickerLines(format: format, profile: profile, symbols: symbols)
    let ending = try await firstEnding(of: ticker) { tasks in
      tasks.addTask {
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
      tasks.addEndingsOfLines(signals: signals)
    }
    let lost = updates.statistics.dropped
    if lost > 0 && ending != .readerGone {
      try? notes?.write("rustle: the output was read too slowly: \(lost) updates were lost\n")
    }
    return ending
  }

  /// Shows the live table.
  func table(_ view: LiveTicker) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let ticker = try TickerController(configuration: configuration)
    // A table shows the newest of each symbol, however fast they come.
    let updates = try await ticker.updates(for: symbols, lane: .frames(overflow: .keepLatest))
    let keys = await view.screen.keys()
    return try await view.whileShown {
      try await firstEnding(of: ticker) { tasks in
        tasks.addTask {
          for await case .value(let update) in updates { await view.apply(update) }
          return .streamEnded
        }
        tasks.add(view, signals: signals, keys: keys) { await view.press($0) }
      }
    }
  }

  /// Runs the tasks and the clock until the first of them says how the run ended. The stream has ended on the native side when
  /// this returns.
  private func firstEnding(
    of ticker: TickerController, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.first { tasks in
        addTasks(&tasks)
        if let duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The stream ends, once what waits in it has been delivered.
            await ticker.cancel()
            return nil
          }
        }
      }
      await ticker.cancel()
      return ending
    } catch {
      await ticker.cancel()
      throw error
    }
  }
}

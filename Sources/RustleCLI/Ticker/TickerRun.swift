import Foundation
import RustleMarket

/// One run of the ticker, from its start until one of the things that end it.
struct TickerRun {
  let plan: TickerPlan

  /// Writes one line for each update or candle. What the reader of the output is too slow for is told in its place, and once more
  /// in `notes` at the end, with what was wrong with the source.
  func lines(
    _ format: OutputFormat, profile: TerminalProfile, to output: LineWriter, notes: LineWriter?
  ) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
    let signals = await Signals.stream(of: RunEnding.signals)
    let feed = try MarketFeed(plan.source)
    let sink = TickerOutput(plan, format: format, profile: profile, to: output, notes: notes)
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed)
      try await recording?.begin()
      try await sink.begin()
      try await feed.run()
      let ending = try await firstEnding(of: feed) { tasks in
        tasks.addTask {
          try await streams.deliver(to: sink, recording: recording)
          return .streamEnded
        }
        tasks.addEndingsOfLines(signals: signals)
      }
      try await finish(ending, streams, feed, notes: notes)
      return ending
    }
  }

  /// Shows the live table.
  func table(_ view: LiveTicker, notes: LineWriter?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let feed = try MarketFeed(plan.source)
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed)
      try await recording?.begin()
      try await feed.run()
      let keys = await view.screen.keys()
      let ending = try await view.whileShown {
        let ending = try await firstEnding(of: feed) { tasks in
          tasks.addTask {
            try await streams.deliver(to: view, recording: recording)
            return .streamEnded
          }
          tasks.addTask {
            while !Task.isCancelled {
              await view.show(await feed.counts, late: streams.candles?.lateQuoteCount ?? 0)
              try? await Task.sleep(for: .milliseconds(250))
            }
            return nil
          }
          tasks.add(view, signals: signals, keys: keys) { await view.press($0) }
        }
        // The last picture has the last counts.
        await view.show(await feed.counts, late: nil)
        return ending
      }
      try await finish(ending, streams, feed, notes: nil)
      return ending
    }
  }

  /// Runs with the file that is recorded to, and closes it whatever becomes of the run.
  private func recorded(
    notes: LineWriter?, _ run: (QuoteRecording?) async throws -> RunEnding
  ) async throws -> RunEnding {
    guard let record = plan.record else { return try await run(nil) }
    let recording = try QuoteRecording(record)
    let ending: RunEnding
    do {
      ending = try await run(recording)
    } catch {
      try? await recording.end()
      throw error
    }
    try await recording.end()
    try? notes?.write(await recording.summary)
    return ending
  }

  /// Tells what there is to tell at the end.
  ///
  /// - Throws: `CommandFailure` when the source failed, or there was no quote in a recording.
  private func finish(
    _ ending: RunEnding, _ streams: TickerStreams, _ feed: MarketFeed, notes: LineWriter?
  ) async throws {
    if ending == .readerGone { return }
    let summary = TickerSummary(
      plan: plan, counts: await feed.counts, statistics: streams.statistics, outcome: streams.outcome)
    for note in summary.notes { try? notes?.write("rustle: \(note)\n") }
    if let failure = summary.failure { throw failure }
  }

  /// Runs the tasks and the clock until the first of them says how the run ended. The streams have ended on the native side when
  /// this returns.
  private func firstEnding(
    of feed: MarketFeed, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.first { tasks in
        addTasks(&tasks)
        if let duration = plan.duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The streams end, once what waits in them has been delivered.
            await feed.cancel()
            return nil
          }
        }
      }
      await feed.shutDown()
      return ending
    } catch {
      await feed.shutDown()
      throw error
    }
  }
}

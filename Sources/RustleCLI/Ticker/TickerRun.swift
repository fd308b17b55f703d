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
    let feed = try makeFeed()
    let sink = TickerOutput(plan, format: format, profile: profile, to: output, notes: notes)
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed)
      let server = try await TickerServer(plan, of: feed)
      try await recording?.begin()
      try await sink.begin()
      if let server { try? notes?.write("rustle: serving on \(CommandFailure.visible(server.address.description))\n") }
      let ending = try await firstEnding(of: feed, server) { tasks in
        add(streams, of: feed, server, to: sink, recording: recording, &tasks)
        tasks.addEndingsOfLines(signals: signals)
      }
      try await finish(ending, streams, feed, server, notes: notes)
      return ending
    }
  }

  /// Shows the live table.
  func table(_ view: LiveTicker, notes: LineWriter?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    let feed = try makeFeed()
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed)
      let server = try await TickerServer(plan, of: feed)
      try await recording?.begin()
      let keys = await view.screen.keys()
      let ending = try await view.whileShown {
        let ending = try await firstEnding(of: feed, server) { tasks in
          add(streams, of: feed, server, to: view, recording: recording, &tasks)
          tasks.addTask {
            while !Task.isCancelled {
              await view.show(await feed.counts, late: streams.late)
              if let server { await view.show(server.status) }
              try? await Task.sleep(for: .milliseconds(250))
            }
            return nil
          }
          tasks.add(view, signals: signals, keys: keys) { await view.press($0) }
        }
        // The last picture has the last counts.
        await view.show(await feed.counts, late: streams.late)
        return ending
      }
      try await finish(ending, streams, feed, server, notes: nil)
      return ending
    }
  }

  private func makeFeed() throws -> MarketFeed {
    do throws(FeedError) {
      return try MarketFeed(plan.source)
    } catch {
      throw error.code == .malformedAddress ? error.named("--connect") : error
    }
  }

  /// Adds the source and what reads it: the run is over when the streams have been read to their ends, by the clients too.
  private func add(
    _ streams: TickerStreams, of feed: MarketFeed, _ server: TickerServer?, to sink: some TickerSink,
    recording: QuoteRecording?, _ tasks: inout RunTasks
  ) {
    tasks.addTask {
      if plan.recording != nil { await server?.untilSomebodyIsThere() }
      // One that was ended meanwhile has nothing to run.
      if !Task.isCancelled { try await feed.run() }
      return nil
    }
    tasks.addTask {
      try await streams.deliver(to: sink, recording: recording)
      await server?.untilOver()
      return .streamEnded
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
    _ ending: RunEnding, _ streams: TickerStreams, _ feed: MarketFeed, _ server: TickerServer?, notes: LineWriter?
  ) async throws {
    if ending == .readerGone { return }
    let summary = TickerSummary(
      plan: plan, counts: await feed.counts, statistics: streams.statistics, late: streams.late,
      served: server?.counts, outcome: streams.outcome)
    for note in summary.notes { try? notes?.write("rustle: \(note)\n") }
    if let failure = summary.failure { throw failure }
  }

  /// Runs the tasks and the clock until the first of them says how the run ended. The streams have ended on the native side when
  /// this returns.
  private func firstEnding(
    of feed: MarketFeed, _ server: TickerServer?, _ addTasks: (inout RunTasks) -> Void
  ) async throws -> RunEnding {
    do {
      let ending = try await RunEnding.first { tasks in
        addTasks(&tasks)
        if let duration = plan.duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The streams end, once what waits in them has been delivered.
            await feed.cancel()
            await server?.stop()
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

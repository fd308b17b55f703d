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
      try await sink.begin()
      if let server { try? notes?.write("rustle: serving on \(CommandFailure.visible(server.address.description))\n") }
      let ending = try await firstEnding(of: feed, streams, server, recording: recording, isForced: true) {
        tasks, file in
        add(streams, of: feed, server, to: sink, file: file, &tasks)
        // What is recorded is written first.
        tasks.addEndingsOfLines(signals: signals, isForced: file == nil)
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
      let keys = await view.screen.keys()
      let ending = try await view.whileShown {
        let ending = try await firstEnding(of: feed, streams, server, recording: recording) { tasks, file in
          add(streams, of: feed, server, to: view, file: file, &tasks)
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
      switch error.code {
      case .malformedAddress: throw error.named("--connect")
      case .malformedSchema: throw error.named("--schema")
      default: throw error
      }
    }
  }

  /// Adds the source and what reads it: the run is over when the streams have been read to their ends, by the clients too.
  ///
  /// - Parameter file: writes what is recorded.
  private func add(
    _ streams: TickerStreams, of feed: MarketFeed, _ server: TickerServer?, to sink: some TickerSink,
    file: Task<Void, any Error>?, _ tasks: inout RunTasks
  ) {
    tasks.addTask {
      if plan.recording != nil { await server?.untilSomebodyIsThere() }
      // One that was ended meanwhile has nothing to run.
      if !Task.isCancelled { try await feed.run() }
      return nil
    }
    tasks.addTask {
      try await streams.deliver(to: sink)
      try await file?.value
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
      evicted: streams.evicted, lostAlerts: streams.lostAlerts, served: server?.counts, outcome: streams.outcome,
      isOver: ending == .streamEnded)
    for note in summary.notes { try? notes?.write("rustle: \(note)\n") }
    if let failure = summary.failure { throw failure }
  }

  /// So long after a signal the process ends in any case, also while a file is written.
  private static let longestWriting = Duration.seconds(5)

  /// Runs the tasks and the clock until the first of them says how the run ended. The streams have ended on the native side when
  /// this returns, and what was recorded until then is in its file, however the run ended.
  ///
  /// - Parameters:
  ///   - isForced: whether a signal ends the process in any case while there is a recording: a second after that is written, or after
  ///     `longestWriting`.
  ///   - addTasks: adds the tasks; it is given the one that writes what is recorded, which is not cancelled with them.
  func firstEnding(
    of feed: MarketFeed, _ streams: TickerStreams, _ server: TickerServer?, recording: QuoteRecording?,
    isForced: Bool = false, _ addTasks: (inout RunTasks, Task<Void, any Error>?) -> Void
  ) async throws -> RunEnding {
    let writing: Task<Void, any Error>? =
      if let recording, let recorded = streams.recorded {
        Task { try await recording.follow(recorded) }
      } else {
        nil
      }
    do {
      let ending = try await RunEnding.first { tasks in
        addTasks(&tasks, writing)
        // A file that cannot be written ends the run.
        if let writing {
          tasks.addTask {
            try await writing.value
            return nil
          }
        }
        if let duration = plan.duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The streams end, once what waits in them has been delivered.
            await feed.cancel()
            await server?.stop()
            return nil
          }
        }
      } settle: { ending in
        guard let writing else { return }
        let signal: Int32? = if case .signal(let number)? = ending, isForced { number } else { nil }
        if let signal { RunEnding.leave(after: Self.longestWriting, with: signal) }
        // The streams end; what waits in that of the recording is written.
        await feed.cancel()
        if ending == nil { _ = await writing.result } else { try await writing.value }
        if let signal { RunEnding.leave(with: signal) }
      }
      await feed.shutDown()
      return ending
    } catch {
      await feed.shutDown()
      throw error
    }
  }
}

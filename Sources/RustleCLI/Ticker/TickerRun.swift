import Foundation
import RustleMarket

/// One run of the ticker, from its start to its end.
struct TickerRun: Sendable {
  let plan: TickerPlan

  /// Writes one line for each update or candle. Dropped updates are reported in their places, and in `notes` at the end,
  /// with the faults of the source.
  func lines(
    _ format: OutputFormat, profile: TerminalProfile, to output: LineWriter, notes: LineWriter?
  ) async throws -> RunEnding {
    // Signals are handled before anything starts, so that none is lost.
    let signals = await Signals.stream(of: RunEnding.signals)
    let sink = TickerOutput(plan, format: format, profile: profile, to: output, notes: notes)
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed(), recording: recording)
      try await sink.begin()
      if let server = streams.server {
        try? notes?.write("rustle: serving on \(CommandFailure.visible(server.address.description))\n")
      }
      let ending = try await streams.firstEnding(isForced: true) { tasks, file in
        streams.add(to: &tasks, sink, file: file)
        // The recording is written first.
        tasks.addEndingsOfLines(signals: signals, isForced: file == nil)
      }
      try await finish(ending, streams, notes: notes)
      return ending
    }
  }

  /// Shows the live table.
  func table(_ view: LiveTicker, notes: LineWriter?) async throws -> RunEnding {
    let signals = await Signals.stream(of: RunEnding.viewSignals)
    return try await recorded(notes: notes) { recording in
      let streams = try await TickerStreams(plan, of: feed(), recording: recording)
      let keys = await view.screen.keys()
      let ending = try await view.whileShown {
        let ending = try await streams.firstEnding { tasks, file in
          streams.add(to: &tasks, view, file: file)
          tasks.addTask {
            while !Task.isCancelled {
              await view.show(streams)
              try? await Task.sleep(for: .milliseconds(250))
            }
            return nil
          }
          tasks.add(view, signals: signals, keys: keys) { await view.press($0) }
        }
        // The last picture has the last counts.
        await view.show(streams)
        return ending
      }
      try await finish(ending, streams, notes: nil)
      return ending
    }
  }

  private func feed() throws -> MarketFeed {
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

  /// Runs with the file to record to, and closes it however the run ends.
  private func recorded(
    notes: LineWriter?, _ run: (TradeRecording?) async throws -> RunEnding
  ) async throws -> RunEnding {
    guard let record = plan.record else { return try await run(nil) }
    let recording = try TradeRecording(record)
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

  /// Reports losses and faults at the end.
  ///
  /// - Throws: `CommandFailure` when the source failed, or there was no trade in a recording.
  private func finish(_ ending: RunEnding, _ streams: TickerStreams, notes: LineWriter?) async throws {
    if ending == .readerGone { return }
    let summary = TickerSummary(
      plan: plan, streams: streams, counts: await streams.feed.counts, isOver: ending == .streamEnded)
    for note in summary.notes { try? notes?.write("rustle: \(note)\n") }
    if let failure = summary.failure { throw failure }
  }
}

/// The stream of a ticker's records.
protocol ShownStream: Sendable {
  var outcome: SessionOutcome? { get }
  var statistics: StreamStatistics { get }
  var lateTradeCount: UInt64 { get }
  var evictedTradeCount: UInt64 { get }

  /// Reads the stream to its end.
  func deliver(to sink: some TickerSink) async throws
}

extension EngineStream: ShownStream where Value: TickerRecord {
  func deliver(to sink: some TickerSink) async throws { for await batch in batches() { try await sink.take(batch) } }
}

/// The feed of a run, and its streams. The streams begin before the source, so that none misses its first trade.
struct TickerStreams: Sendable {
  let feed: MarketFeed
  let shown: any ShownStream
  let alerts: EngineStream<PriceAlert>?
  /// The server of the source to other processes.
  let server: FeedServer?
  private let notices: EngineStream<FeedNotice>
  /// The states of the connection; nil for a source without one.
  private let connections: EngineStream<FeedConnection>?
  private let recorded: EngineStream<Trade>?
  private let recording: TradeRecording?
  private let isPlayed: Bool
  private let duration: Duration?

  /// - Parameter recording: the file to record trades to.
  /// - Throws: `FeedError`; `CommandFailure`, naming the option, for an address that cannot be served on.
  init(_ plan: TickerPlan, of feed: MarketFeed, recording: TradeRecording? = nil) async throws {
    let (symbols, policy) = (plan.symbols, plan.policy ?? plan.everything)
    self.feed = feed
    self.recording = recording
    isPlayed = plan.recording != nil
    duration = plan.duration
    switch plan.content {
    case .trades: shown = try await feed.trades(for: symbols, policy: policy)
    case .candles(let interval, let lateness):
      shown = try await feed.candles(of: symbols, every: interval, lateness: lateness, policy: policy)
    case .statistics(let window): shown = try await feed.statistics(of: symbols, over: window, policy: policy)
    }
    recorded = recording == nil ? nil : try await feed.trades(for: symbols, policy: plan.everything)
    alerts = plan.thresholds.isEmpty ? nil : try await feed.alerts(at: plan.thresholds, policy: plan.everything)
    notices = try await feed.notices()
    connections = plan.connection == nil ? nil : try await feed.connectionStates()
    do throws(FeedError) {
      // A recording waits for its clients, as for other readers.
      server = if let address = plan.serve { try await feed.serve(on: address, policy: plan.everything) } else { nil }
    } catch {
      throw error.named("--serve")
    }
  }

  /// Reads the streams to their ends.
  func deliver(to sink: some TickerSink) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await shown.deliver(to: sink) }
      if let alerts { tasks.addTask { for await alert in alerts { try await sink.take(alert) } } }
      tasks.addTask { for await case .value(let notice) in notices { try await sink.take(notice) } }
      if let connections {
        tasks.addTask { for await case .value(let state) in connections { try await sink.take(state) } }
      }
      // The first failure ends the others.
      for try await _ in tasks {}
    }
  }

  /// Adds the source and its readers: the run ends when the streams have been read to their ends, also by the clients.
  ///
  /// - Parameter file: the task that writes the recording.
  func add(to tasks: inout RunTasks, _ sink: some TickerSink, file: Task<Void, any Error>?) {
    tasks.addTask {
      if isPlayed { await server?.untilFirstClient() }
      // A cancelled feed is not run.
      if !Task.isCancelled { try await feed.run() }
      return nil
    }
    tasks.addTask {
      try await deliver(to: sink)
      try await file?.value
      await server?.untilOver()
      return .streamEnded
    }
  }

  /// The time from a signal to the end of the process while a file is written.
  private static let maximumWriting = Duration.seconds(5)

  /// Runs the tasks and the clock until the first of them returns an ending. On return the native streams have ended, and
  /// the recording is complete up to then, however the run ended.
  ///
  /// - Parameters:
  ///   - isForced: whether a signal ends the process during a recording: a second after that is written, or after
  ///     `maximumWriting`.
  ///   - addTasks: adds the tasks; receives the task that writes the recording, which is not cancelled with them.
  func firstEnding(
    isForced: Bool = false, _ addTasks: (inout RunTasks, Task<Void, any Error>?) -> Void
  ) async throws -> RunEnding {
    let writing: Task<Void, any Error>? =
      if let recording, let recorded { Task { try await recording.follow(recorded) } } else { nil }
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
        if let duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The streams end, once their buffered elements have been delivered.
            await feed.cancel()
            await server?.stop()
            return nil
          }
        }
      } settle: { ending in
        guard let writing else { return }
        let signal: Int32? = if case .signal(let number)? = ending, isForced { number } else { nil }
        if let signal { RunEnding.leave(after: Self.maximumWriting, with: signal) }
        // The streams end; the buffered elements of the recording's stream are written.
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

extension FeedError {
  /// The failure with the name of the option in place of the library's term.
  fileprivate func named(_ option: String) -> any Error {
    guard let failure = CommandFailure(self) else { return self }
    let word = "\(option.drop { $0 == "-" }): "
    let message = failure.message.hasPrefix(word) ? String(failure.message.dropFirst(word.count)) : failure.message
    return CommandFailure(failure.status, "\(option): \(message)", advice: failure.advice)
  }
}

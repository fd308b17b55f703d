import Foundation
import RustleMarket

/// One run of the ticker, from its start until one of the things that end it.
struct TickerRun: Sendable {
  let plan: TickerPlan

  /// Writes one line for each update or candle. What the reader of the output is too slow for is told in its place, and once more
  /// in `notes` at the end, with what was wrong with the source.
  func lines(
    _ format: OutputFormat, profile: TerminalProfile, to output: LineWriter, notes: LineWriter?
  ) async throws -> RunEnding {
    // Signals are taken before anything starts, so that none falls between.
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
        // What is recorded is written first.
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

  /// Runs with the file that is recorded to, and closes it whatever becomes of the run.
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

  /// Tells what there is to tell at the end.
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

/// The stream of what a ticker shows.
protocol ShownStream: Sendable {
  var outcome: SessionOutcome? { get }
  var statistics: StreamStatistics { get }
  var lateTradeCount: UInt64 { get }
  var evictedTradeCount: UInt64 { get }

  /// Reads it to its end.
  func deliver(to sink: some TickerSink) async throws
}

extension EngineStream: ShownStream where Value: TickerRecord {
  func deliver(to sink: some TickerSink) async throws { for await batch in batches() { try await sink.take(batch) } }
}

/// The feed of a run, and what reads it. Each stream has begun before the source does, so that none misses its first trade.
struct TickerStreams: Sendable {
  let feed: MarketFeed
  let shown: any ShownStream
  let alerts: EngineStream<PriceAlert>?
  /// Where others read the source.
  let server: FeedServer?
  private let notices: EngineStream<FeedNotice>
  /// Of a source that is connected to.
  private let connections: EngineStream<FeedConnection>?
  private let recorded: EngineStream<Trade>?
  private let recording: TradeRecording?
  private let isPlayed: Bool
  private let duration: Duration?

  /// - Parameter recording: the file that the trades are written to.
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
      // Clients of a recording are waited for, as its other readers are.
      server = if let address = plan.serve { try await feed.serve(on: address, policy: plan.everything) } else { nil }
    } catch {
      throw error.named("--serve")
    }
  }

  /// Reads what is shown to its end.
  func deliver(to sink: some TickerSink) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await shown.deliver(to: sink) }
      if let alerts { tasks.addTask { for await alert in alerts { try await sink.take(alert) } } }
      tasks.addTask { for await case .value(let notice) in notices { try await sink.take(notice) } }
      if let connections {
        tasks.addTask { for await case .value(let state) in connections { try await sink.take(state) } }
      }
      // The first that fails ends the others.
      for try await _ in tasks {}
    }
  }

  /// Adds the source and what reads it: the run is over when the streams have been read to their ends, by the clients too.
  ///
  /// - Parameter file: writes what is recorded.
  func add(to tasks: inout RunTasks, _ sink: some TickerSink, file: Task<Void, any Error>?) {
    tasks.addTask {
      if isPlayed { await server?.untilFirstClient() }
      // One that was ended meanwhile has nothing to run.
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

  /// So long after a signal the process ends in any case, also while a file is written.
  private static let maximumWriting = Duration.seconds(5)

  /// Runs the tasks and the clock until the first of them says how the run ended. The streams have ended on the native side when
  /// this returns, and what was recorded until then is in its file, however the run ended.
  ///
  /// - Parameters:
  ///   - isForced: whether a signal ends the process in any case while there is a recording: a second after that is written, or
  ///     after `maximumWriting`.
  ///   - addTasks: adds the tasks; it is given the one that writes what is recorded, which is not cancelled with them.
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
            // The streams end, once what waits in them has been delivered.
            await feed.cancel()
            await server?.stop()
            return nil
          }
        }
      } settle: { ending in
        guard let writing else { return }
        let signal: Int32? = if case .signal(let number)? = ending, isForced { number } else { nil }
        if let signal { RunEnding.leave(after: Self.maximumWriting, with: signal) }
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

extension FeedError {
  /// The failure with the option that is at fault, in the place of the library's word for it.
  fileprivate func named(_ option: String) -> any Error {
    guard let failure = CommandFailure(self) else { return self }
    let word = "\(option.drop { $0 == "-" }): "
    let message = failure.message.hasPrefix(word) ? String(failure.message.dropFirst(word.count)) : failure.message
    return CommandFailure(failure.status, "\(option): \(message)", advice: failure.advice)
  }
}

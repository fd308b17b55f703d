import Foundation
import Logging
import RustleCore
import RustleMarket
import RustlePlot

/// A consumer of a run's streams: lines, or a view.
protocol TickerSink: Actor {
  func begin(serving address: FeedAddress?) throws
  func take(_ batch: [StreamElement<some TickerRecord>]) throws
  /// Takes candles of one of several periods.
  func take(_ batch: [StreamElement<Candle>], of period: MarketCalendar.Period) throws
  func take(_ alert: StreamElement<PriceAlert>) throws
  func take(_ notice: FeedNotice) throws
  func take(_ connection: FeedConnection) throws
}

extension TickerPlan {
  /// Delivers the streams to a sink. Dropped updates are reported in their places, and in the notes at the end, with the faults of
  /// the source.
  ///
  /// - Parameters:
  ///   - view: the sink, if it is a live view.
  ///   - notes: receives reports about the source; nil for none.
  ///   - metrics: the endpoint of the run; nil: none.
  func run(
    to sink: some TickerSink, view: LiveTicker? = nil, notes: LineWriter?, metrics: MetricsAddress? = nil
  ) async throws -> RunEnding {
    let recorder = try recorder()
    // The recording is closed however the run ends.
    return try await finally {
      try? await recorder?.close()
    } after: {
      let streams = try await TickerStreams(self, of: feed(), recorder: recorder)
      // Signals are handled by then.
      let ending = try await streams.run(view: view, isForced: view == nil) { tasks in
        try await sink.begin(serving: streams.server?.address)
        let shown = view == nil ? notes : nil
        try await tasks.addMetrics(at: metrics, note: view == nil ? { shown?.note($0) } : nil) {
          await streams.metrics
        }
        streams.add(to: &tasks, sink, notes: shown)
      }
      if ending != .readerGone {
        let summary = try TickerSummary(
          self, streams.shown, alerts: streams.alerts?.statistics, server: streams.server?.counts,
          try await streams.feed.counts, isOver: ending == .streamEnded)
        if view == nil { for note in summary.notes { notes?.note(note) } }
        let published = try await streams.publication?.summary() ?? []
        if view == nil { for note in published { notes?.note(note) } }
        if let failure = summary.failure { throw failure }
      }
      try await recorder?.close()
      if let recorder {
        let (missing, wrote) = await recorder.summary
        if let missing { notes?.note(missing, .warning) }
        if let notes { Messages.write(.notice, wrote, text: wrote + "\n", to: notes) }
      }
      return ending
    }
  }

  func recorder() throws -> TradeRecorder? {
    guard let record else { return nil }
    let inputs: [String?] = source.recordings.map(\.path)
    for input in inputs.isEmpty ? [nil] : inputs { try OutputPath.check(record, option: "--record", isNot: input) }
    do throws(FeedError) {
      return try TradeRecorder(path: record, overwrite: overwrite)
    } catch {
      if error.code == .unwritableFile {
        throw CommandFailure(.usage, "--record: \(error.message)", advice: "Choose the name of a file.")
      }
      throw error.named("--record")
    }
  }

  private func feed() throws -> MarketFeed {
    do throws(FeedError) {
      return try MarketFeed(source)
    } catch {
      if source.isMerged { throw error.ofSource }
      switch error.code {
      case .malformedAddress: throw error.named("--connect")
      case .malformedSchema: throw error.named("--schema")
      default: throw error
      }
    }
  }
}

protocol ShownStream: CountedStream {
  func deliver(to sink: some TickerSink) async throws
}

extension EngineStream: ShownStream where Value: TickerRecord {
  func deliver(to sink: some TickerSink) async throws { for await batch in batches() { try await sink.take(batch) } }
}

extension CandleStreams: ShownStream {
  func deliver(to sink: some TickerSink) async throws { try await deliver { try await sink.take($0, of: $1) } }
}

/// The feed of a run, and its streams. The streams begin before the source, so that none misses its first trade.
struct TickerStreams: Sendable {
  let feed: MarketFeed
  let shown: any ShownStream
  let alerts: EngineStream<PriceAlert>?
  let server: FeedServer?
  let publication: TickerPublication?
  private let notices: EngineStream<FeedNotice>
  private let connections: EngineStream<FeedConnection>?
  /// Writes the recording. Not cancelled with the other tasks.
  private let writing: Task<Void, any Error>?
  private let plan: TickerPlan

  /// - Parameter recorder: the file to record trades to.
  /// - Throws: `FeedError`; `CommandFailure`, naming the option, for an address that cannot be served on.
  init(_ plan: TickerPlan, of feed: MarketFeed, recorder: TradeRecorder? = nil) async throws {
    let (symbols, everything, policy) = (plan.symbols, plan.everything, plan.policy ?? plan.everything)
    (self.plan, self.feed) = (plan, feed)
    shown =
      switch plan.content {
      case .trades: try await feed.trades(of: symbols, policy: policy)
      case .candles(let candles):
        try await CandleStreams(candles, of: symbols, from: feed, policy: policy, everything: everything)
      case .statistics(let window): try await feed.statistics(of: symbols, over: window, policy: policy)
      }
    let recorded = recorder == nil ? nil : try await feed.trades(of: symbols, policy: everything)
    alerts = plan.thresholds.isEmpty ? nil : try await feed.alerts(at: plan.thresholds, policy: everything)
    notices = try await feed.notices()
    connections = plan.connection == nil ? nil : try await feed.connectionStates()
    do throws(FeedError) {
      // A recording waits for its clients, as for other readers.
      server =
        if let address = plan.serve {
          try await feed.serve(on: address, policy: everything, access: plan.access)
        } else {
          nil
        }
    } catch {
      // The policy is in range: what is not is an address without protection.
      let advice = error.code == .valueOutOfRange ? "Use --token-file <file> or --allow-anyone." : nil
      throw error.named("--serve", advice: advice)
    }
    publication =
      if let publishing = plan.publishing {
        try await TickerPublication(publishing, of: feed, symbols: symbols, policy: everything)
      } else {
        nil
      }
    writing = if let recorder, let recorded { Task { try await recorder.record(recorded) } } else { nil }
  }

  /// The counts of the feed, its server and its publication for Prometheus.
  var metrics: [EngineMetric] {
    get async {
      ((try? await feed.counts.metrics) ?? []) + ((try? server?.counts.metrics) ?? []) + (publication?.metrics ?? [])
    }
  }

  func deliver(to sink: some TickerSink) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await shown.deliver(to: sink) }
      if let alerts { tasks.addTask { for await alert in alerts { try await sink.take(alert) } } }
      tasks.addTask { try await feed.deliver(notices) { try await sink.take($0) } }
      if let connections {
        tasks.addTask { for await case .value(let state) in connections { try await sink.take(state) } }
      }
      // The first failure ends the others.
      for try await _ in tasks {}
    }
  }

  /// Adds the source and its readers: the run ends when the streams have been read to their ends, also by the clients.
  func add(to tasks: inout RunTasks, _ sink: some TickerSink, notes: LineWriter?) {
    tasks.addTask {
      if plan.source.isRecorded { try await server?.untilFirstClient() }
      // A cancelled feed is not run.
      if !Task.isCancelled { try await feed.run() }
      return nil
    }
    tasks.addTask {
      try await deliver(to: sink)
      try await writing?.value
      await server?.untilOver()
      await publication?.end()
      return .streamEnded
    }
    if let publication {
      tasks.addTask {
        await publication.report(to: notes)
        return nil
      }
    }
  }

  /// The time from a signal to the end of the process while a file is written, or trades are published.
  private static let maximumWriting = Duration.seconds(6)
  /// The time for what waits to be published; a call that is under way takes 2 s more.
  private static let maximumPublishing = Duration.seconds(3)

  /// Runs the tasks and the clock until the first of them returns an ending. On return the native streams have ended, and
  /// the recording is complete up to then, however the run ended.
  ///
  /// - Parameters:
  ///   - view: the live view, which shows the counts of the run; nil for lines on standard output.
  ///   - isForced: whether a signal ends the process; during a recording or a publication a second after what came before is written or
  ///     published, or after `maximumWriting`.
  func run(
    view: LiveTicker? = nil, isForced: Bool = false, _ addTasks: (inout RunTasks) async throws -> Void
  ) async throws -> RunEnding {
    try await finally {
      await feed.shutDown()
    } after: {
      let isKept = writing != nil || publication != nil
      return try await RunEnding.of(view: view, isForced: isForced && !isKept) { ending in
        if isKept {
          let signal: Int32? = if case .signal(let number)? = ending, isForced { number } else { nil }
          if let signal { RunEnding.leave(after: Self.maximumWriting, with: signal) }
          // The streams end; what is buffered for the recording and the publication is written and published.
          await feed.cancel()
          async let published: Void? = publication?.end(within: Self.maximumPublishing)
          if ending == nil { _ = await writing?.result } else { try await writing?.value }
          await published
          if let signal { RunEnding.leave(with: signal) }
        }
        // The last picture has the last counts.
        try await view?.show(self)
      } tasks: { tasks in
        try await addTasks(&tasks)
        // A file that cannot be written ends the run.
        tasks.addTask {
          try await writing?.value
          return nil
        }
        if let duration = plan.duration {
          tasks.addTask {
            try await Task.sleep(for: duration)
            // The streams end, once their buffered elements have been delivered.
            await feed.cancel()
            await server?.stop()
            return nil
          }
        }
        if let view {
          tasks.addTask {
            while !Task.isCancelled {
              try await view.show(self)
              try? await Task.sleep(for: .milliseconds(250))
            }
            return nil
          }
        }
      }
    }
  }
}

extension TradeRecorder {
  /// What is missing, nil: nothing; and what was written.
  var summary: (missing: String?, wrote: String) {
    let name = CommandFailure.visible(path)
    return (
      droppedCount > 0 ? "\(counted(droppedCount, "update")) dropped: too fast for \(name)" : nil,
      count == 0 ? "no updates: nothing written to \(name)" : "wrote \(counted(count, "update")) to \(name)"
    )
  }
}

extension FeedError {
  /// The failure of a source of several, which the message names.
  fileprivate var ofSource: any Error {
    let text = "--source" + (message.hasPrefix("sources: ") ? "\(message.drop { $0 != ":" })" : " \(message)")
    return CommandFailure(self).map { CommandFailure($0.status, text, advice: $0.advice) } ?? self
  }

  /// The failure with the name of the option in place of the library's term.
  fileprivate func named(_ option: String, advice: String? = nil) -> any Error {
    guard let failure = CommandFailure(self) else { return self }
    let word = "\(option.drop { $0 == "-" }): "
    let message = failure.message.hasPrefix(word) ? String(failure.message.dropFirst(word.count)) : failure.message
    return CommandFailure(failure.status, "\(option): \(message)", advice: advice ?? failure.advice)
  }
}

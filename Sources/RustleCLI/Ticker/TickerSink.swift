import RustleMarket

/// Takes what the streams of a run deliver: lines, or a view.
protocol TickerSink: Actor {
  func take(_ batch: [StreamElement<Quote>]) throws
  func take(_ batch: [StreamElement<Candle>]) throws
  func take(_ batch: [StreamElement<PriceStatistics>]) throws
  func take(_ alert: StreamElement<PriceAlert>) throws
  func take(_ notice: FeedNotice) throws
  func take(_ connection: FeedConnection) throws
}

/// The streams of a run. Each has begun before the source does, so that none misses its first quote.
struct TickerStreams: Sendable {
  /// What is shown: quotes, candles, or the statistics of a while.
  let quotes: EngineStream<Quote>?
  let candles: EngineStream<Candle>?
  let rolling: EngineStream<PriceStatistics>?
  /// What is written to a file.
  let recorded: EngineStream<Quote>?
  let alerts: EngineStream<PriceAlert>?
  let notices: EngineStream<FeedNotice>
  /// Of a source that is connected to.
  let connections: EngineStream<FeedConnection>?

  /// - Throws: `FeedError`.
  init(_ plan: TickerPlan, of feed: MarketFeed) async throws {
    let (symbols, policy) = (plan.symbols, plan.feedPolicy)
    if let wanted = plan.candles {
      candles = try await feed.candles(
        of: symbols, every: wanted.interval, lateness: wanted.lateness, policy: policy)
      (quotes, rolling) = (nil, nil)
    } else if let window = plan.statistics {
      rolling = try await feed.statistics(of: symbols, over: window, policy: policy)
      (quotes, candles) = (nil, nil)
    } else {
      quotes = try await feed.quotes(for: symbols, policy: policy)
      (candles, rolling) = (nil, nil)
    }
    recorded = plan.record == nil ? nil : try await feed.quotes(for: plan.symbols, policy: plan.everything)
    alerts =
      plan.thresholds.isEmpty
      ? nil : try await feed.alerts(at: plan.thresholds, policy: plan.recording == nil ? .all() : .awaited())
    notices = try await feed.notices()
    connections = plan.connection == nil ? nil : try await feed.connectionStates()
  }

  /// Reads what is shown to its end.
  func deliver(to sink: some TickerSink) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      if let quotes {
        tasks.addTask { for await batch in quotes.batches() { try await sink.take(batch) } }
      }
      if let candles {
        tasks.addTask { for await batch in candles.batches() { try await sink.take(batch) } }
      }
      if let rolling {
        tasks.addTask { for await batch in rolling.batches() { try await sink.take(batch) } }
      }
      if let alerts {
        tasks.addTask { for await alert in alerts { try await sink.take(alert) } }
      }
      tasks.addTask { for await case .value(let notice) in notices { try await sink.take(notice) } }
      if let connections {
        tasks.addTask { for await case .value(let state) in connections { try await sink.take(state) } }
      }
      // The first that fails ends the others.
      for try await _ in tasks {}
    }
  }

  /// How the source's side ended; nil while it runs.
  var outcome: SessionOutcome? { quotes?.outcome ?? candles?.outcome ?? rolling?.outcome }

  /// Quotes that came too late for their candle, or for the statistics.
  var late: UInt64 { candles?.lateQuoteCount ?? rolling?.lateQuoteCount ?? 0 }

  /// Quotes that were pushed out of a while because more had come than statistics hold.
  var evicted: UInt64 { rolling?.evictedQuoteCount ?? 0 }

  /// Alerts that were not taken in time.
  var lostAlerts: UInt64 { alerts?.statistics.dropped ?? 0 }

  /// What went through the stream that is shown.
  var statistics: StreamStatistics? { quotes?.statistics ?? candles?.statistics ?? rolling?.statistics }
}

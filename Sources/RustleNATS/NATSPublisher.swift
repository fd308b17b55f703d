#if NATS
public import RustleCore
public import RustleMarket

/// Where a feed's trades are published: ``/RustleMarket/MarketFeed/publish(of:on:policy:)``.
///
/// A trade is a message with the subject `PREFIX.q.SYMBOL`, in which bytes of the symbol that have a meaning there are percent-encoded.
/// It is the line that `rustle ticker --json` writes, with a number, and the header `Nats-Msg-Id` `SOURCE/EPOCH/SYMBOL/NUMBER`.
public struct NATSPublisher: Sendable, Hashable {
  /// A stream of JetStream that keeps what is published.
  public struct Durable: Sendable, Hashable {
    /// How long a trade is kept, 1 s or more.
    public var age: Duration
    /// The number of a symbol's newest trades that are kept; nil: all.
    public var tradesPerSymbol: Int?
    /// The number of servers that store a trade before it is acknowledged by a majority of them: 1 to 5. With more than one a trade is sent
    /// when the one before of its symbol is acknowledged.
    public var replicas: Int
    /// How long a trade is sent again that is not acknowledged, 10 ms to a day.
    public var patience: Duration

    /// Creates a stream; by default every trade is kept for a day by one server, and sent again for a minute.
    public init(
      age: Duration = .seconds(86_400), tradesPerSymbol: Int? = nil, replicas: Int = 1,
      patience: Duration = .seconds(60)
    ) {
      (self.age, self.tradesPerSymbol) = (age, tradesPerSymbol)
      (self.replicas, self.patience) = (replicas, patience)
    }
  }

  /// The servers and the prefix.
  public var address: NATSAddress
  /// The stream that keeps the trades, which is made unless there is one; nil: a trade reaches who reads at that moment, and is not
  /// acknowledged.
  public var durable: Durable?
  /// What numbers the trades, in letters and digits; a prefix has one. Publishers of the same source and epoch stand by for one
  /// another: a reader takes a trade of either, once. Trades without numbers get those of one publisher.
  public var source: String
  /// With a higher one than before the source numbers anew; trades of a lower one are left out.
  public var epoch: UInt64
  /// The interval of pings, 10 ms to a day; a server that has not answered for two intervals is lost, or that has taken nothing for one.
  public var pingInterval: Duration

  /// Creates a publisher; by default without a stream, of epoch 0, with a ping every 10 s.
  public init(
    _ address: NATSAddress, durable: Durable? = nil, source: String = "rustle", epoch: UInt64 = 0,
    pingInterval: Duration = .seconds(10)
  ) {
    (self.address, self.durable, self.source) = (address, durable, source)
    (self.epoch, self.pingInterval) = (epoch, pingInterval)
  }

  /// - Throws: `FeedError`: `malformedAddress`, `valueOutOfRange`.
  func check() throws(FeedError) {
    try address.check()
    try NATSTimes.check([("ping interval", pingInterval)])
    func refusal(_ message: String) -> FeedError { FeedError(code: .valueOutOfRange, message: message) }
    if source.wholeMatch(of: /[A-Za-z0-9]+/) == nil {
      throw refusal("source: expected letters and digits, got '\(source)'")
    }
    guard let durable else { return }
    try NATSTimes.check([("patience", durable.patience)])
    if durable.age < .seconds(1) { throw refusal("age: expected 1 s or more, got \(durable.age)") }
    if !(1...5).contains(durable.replicas) { throw refusal("replicas: expected 1 to 5, got \(durable.replicas)") }
    if let count = durable.tradesPerSymbol, count < 1 {
      throw refusal("trades per symbol: expected 1 or more, got \(count)")
    }
  }
}

/// The counts of a publication.
public struct NATSPublicationCounts: Sendable, Hashable {
  /// Trades published: read by a server, or, with a stream, acknowledged by it.
  public var published: UInt64 = 0
  /// Trades that the stream has acknowledged; 0 without one.
  public var acknowledged: UInt64 = 0
  /// Trades that the stream did not acknowledge in time, or, without a stream, that could not be sent, that the server refused, that a
  /// lost connection may have taken with it, for which 65,536 others waited for a connection, or that no server has confirmed at the end.
  /// None is among those published, but some may have arrived.
  public var failed: UInt64 = 0
  /// Attempts to send trades again.
  public var retries: UInt64 = 0
  /// Trades that the feed's buffer dropped because the publication was too slow.
  public var dropped: UInt64 = 0
  /// Trades with numbers that were published before, which readers leave out: a source that numbers anew needs a higher epoch.
  public var repeated: UInt64 = 0
  /// Connections that libnats no longer made again, and that were left for others.
  public var connectionsLeft: UInt64 = 0
  /// The reason of the last failure.
  public var reason: String?
}

extension NATSPublicationCounts {
  /// The counts for Prometheus.
  public var metrics: [EngineMetric] {
    [
      EngineMetric(
        "rustle_publication_published_total", .counter,
        "Trades published: read by a server, or acknowledged by a stream.", published),
      EngineMetric(
        "rustle_publication_acknowledged_total", .counter, "Trades that the stream has acknowledged.", acknowledged),
      EngineMetric("rustle_publication_retried_total", .counter, "Attempts to send trades again.", retries),
      EngineMetric("rustle_publication_failed_total", .counter, "Trades that were not published.", failed),
      EngineMetric(
        "rustle_publication_dropped_total", .counter, "Trades dropped because the publication was too slow.", dropped),
      EngineMetric(
        "rustle_publication_repeated_total", .counter, "Trades with numbers that were published before.", repeated),
      EngineMetric(
        "rustle_publication_connections_left_total", .counter,
        "Connections left, as libnats no longer made them again.", connectionsLeft),
    ]
  }
}

/// A feed's trades on their way to NATS. It ends with the feed, and with its last reference.
public final class NATSPublication: Sendable {
  /// The states of the connection; for one reader.
  public let connectionStates: AsyncStream<FeedConnection>
  /// How the settings of a stream that exists differ from ``NATSPublisher/durable``, what it does not acknowledge, without a stream the
  /// symbols that the server refuses, and connections that were left; for one reader.
  public let notices: AsyncStream<String>
  let trades: EngineStream<Trade>
  private let progress: Progress
  private let task: Task<NATSPublicationCounts, Never>

  /// What a writer reports meanwhile.
  final class Progress: Sendable {
    private let state = SeenMutex(
      (counts: NATSPublicationCounts(), waiting: UInt64?.some(0), notice: String?.none, retry: String?.none))
    private let notices: AsyncStream<String>.Continuation

    init(notices: AsyncStream<String>.Continuation) { self.notices = notices }

    var now: (counts: NATSPublicationCounts, waiting: UInt64?) { state.withLock { ($0.counts, $0.waiting) } }

    func set(_ counts: NATSPublicationCounts, waiting: UInt64) {
      state.withLock { ($0.counts, $0.waiting) = (counts, waiting) }
    }

    /// Reports a notice unless it is the last one; nil: there is none.
    func note(_ notice: String?) {
      let isNew = state.withLock { state in
        defer { state.notice = notice }
        return state.notice != notice
      }
      if isNew, let notice { notices.yield(notice) }
    }

    /// Reports what is not stored, or is again, unless that was the last one of these.
    func noteRetry(_ notice: String) {
      let isNew = state.withLock { state in
        defer { state.retry = notice }
        return state.retry != notice
      }
      if isNew { notices.yield(notice) }
    }

    /// Takes the last counts: nothing waits any more.
    func end(_ counts: NATSPublicationCounts) {
      state.withLock { ($0.counts, $0.waiting) = (counts, nil) }
      notices.finish()
    }
  }

  init(_ publisher: NATSPublisher, of trades: EngineStream<Trade>) {
    let (states, report) = AsyncStream.makeStream(of: FeedConnection.self, bufferingPolicy: .bufferingNewest(64))
    let (notices, notice) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(8))
    let progress = Progress(notices: notice)
    (connectionStates, self.notices, self.trades, self.progress) = (states, notices, trades, progress)
    task = Task(executorPreference: BlockingExecutor("rustle.nats.writer")) {
      defer { report.finish() }
      return await NATSWriter(publisher, report: report, progress: progress).publish(trades)
    }
  }

  deinit { task.cancel() }

  /// Ends the publication: what waits is not published.
  public func cancel() { task.cancel() }

  /// The counts, once everything was published and the connection has ended.
  public var counts: NATSPublicationCounts { get async { await task.value } }

  /// The counts of the moment for Prometheus, and the trades that wait: for the publication, or for an answer.
  public var metrics: [EngineMetric] {
    let (counts, waiting) = progress.now
    return counts.metrics + [
      EngineMetric(
        "rustle_publication_waiting", .gauge, "Trades that wait to be sent, or for an answer.",
        waiting.map { trades.statistics.waiting + $0 } ?? 0)
    ]
  }
}

extension MarketFeed {
  /// Publishes trades on NATS.
  ///
  /// ```swift
  /// let address = NATSAddress(servers: ["nats://127.0.0.1:4222"], prefix: "prices")
  /// let publication = try await feed.publish(on: NATSPublisher(address, durable: .init()))
  /// try await feed.run()
  /// print(await publication.counts)
  /// ```
  ///
  /// - Parameters:
  ///   - symbols: the published symbols.
  ///   - publisher: where they are published.
  ///   - policy: the buffering policy for trades that cannot be sent in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func publish(
    of symbols: FeedSymbols = .all, on publisher: NATSPublisher, policy: FeedPolicy = .buffered()
  ) throws(FeedError) -> NATSPublication {
    try publisher.check()
    return NATSPublication(publisher, of: try trades(of: symbols, policy: policy))
  }
}
#endif

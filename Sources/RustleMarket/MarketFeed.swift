public import RustleCore

/// A feed of market data: one source of trades, any number of consumers, each with a policy of its own.
///
/// ```swift
/// let feed = try MarketFeed(.replay(ReplayFeed(path: "prices.ndjson", pace: .speed(10))))
/// let candles = try await feed.candles(every: .seconds(60))
/// try await feed.run()
/// for await case .value(let candle) in candles {
///   print(candle.symbol, candle.open, candle.close)
/// }
/// ```
///
/// Nothing runs before ``run()``, so that consumers that are there before get the first trade. When the source comes to its end,
/// every stream ends once what waits has been read, also those that are started later.
///
/// A stream is for one consumer, and ends as a ``TickerController``'s does: when its consumer leaves the loop, when the consuming
/// task is cancelled, when the stream or the feed is dropped, and by `cancel()` and ``shutDown()``. The source and servers go on
/// after `cancel()`. What the policy loses is told in the stream, as ``StreamElement/gap(_:)``, and counted.
///
/// ``RustleCore/EngineStream/subscribe(to:)`` and ``RustleCore/EngineStream/unsubscribe(from:)`` change what a running stream
/// delivers.
public actor MarketFeed: StreamEngine {
  private let core: FeedCore
  /// The streams that it has given away.
  public let streams = EngineStreams()
  private var servers: [OneShot] = []
  let writer: FeedWriter
  /// What fills the source, where that is this package's own code.
  private let host: (any FeedHost)?
  /// The task that does, once the feed runs.
  private var filling: Task<Void, Never>?

  /// A feed on the threads that all engines of the process share. A recording is opened here.
  ///
  /// - Throws: ``FeedError`` of the source.
  public init(_ configuration: FeedConfiguration) throws(FeedError) { try self.init(configuration, runtime: nil) }

  /// A feed on a runtime of the caller's.
  package init(_ configuration: FeedConfiguration, runtime: NativeRuntime?) throws(FeedError) {
    // The native side takes 0 for no limit.
    if case .simulated(let simulation) = configuration, simulation.updateLimit == 0 {
      throw FeedError(
        code: .updateLimitOutOfRange, message: "update limit: expected 1 update or more, or no limit, got 0")
    }
    if case .hosted(let source) = configuration {
      try source.host.check()
      host = source.host
    } else {
      host = nil
    }
    do {
      core = FeedCore(try NativeFeed(configuration.native, runtime: runtime))
    } catch {
      throw FeedError(error)
    }
    writer = FeedWriter(core)
  }

  deinit {
    filling?.cancel()
    // What fills it may keep the native side for a moment.
    core.native.shutDown()
  }

  /// Begins the source. Does nothing when it runs or has come to its end.
  ///
  /// - Throws: ``FeedError/Code/shutDown`` or ``FeedError/Code/exhausted``; the feed is over then.
  public func run() throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try core.native.run() }
    guard let host, filling == nil else { return }
    filling = Task { [writer] in
      await host.fill(writer)
      // One that is over already needs no end.
      try? writer.report(.closed(reason: nil))
    }
  }

  /// Whether this package's own code fills the source.
  var isHosted: Bool { host != nil }

  /// Streams trades.
  ///
  /// - Parameters:
  ///   - symbols: whose.
  ///   - policy: what becomes of those that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func trades(
    for symbols: FeedSymbols = .all, policy: FeedPolicy = .buffered()
  ) throws(FeedError) -> EngineStream<Trade> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativeTradeRequest(subscription: symbols.native, policy: policy.native), reader: .trades)
    }
  }

  /// Streams candles, each once it is closed; those that are open when the source comes to its end come then.
  ///
  /// - Parameters:
  ///   - symbols: whose.
  ///   - interval: how long a candle is, 1 ns or more. It starts at a multiple of that since 1970.
  ///   - lateness: how long a candle waits for trades that come late, 0 to 64 intervals. Later ones are left out, and counted:
  ///     ``RustleCore/EngineStream/lateTradeCount``.
  ///   - policy: what becomes of candles that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func candles(
    of symbols: FeedSymbols = .all, every interval: Duration, lateness: Duration = .zero,
    policy: FeedPolicy = .buffered()
  ) throws(FeedError) -> EngineStream<Candle> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativeCandleRequest(
          subscription: symbols.native, policy: policy.native, intervalNanoseconds: interval.wholeNanoseconds,
          latenessNanoseconds: lateness.wholeNanoseconds), reader: .candles)
    }
  }

  /// Streams the statistics of each symbol's last while, after each of its trades that is not late. A window has at most
  /// 1,048,576 trades of a symbol, each of which takes up to 144 bytes; with one more the oldest leaves it early, and is counted:
  /// ``RustleCore/EngineStream/evictedTradeCount``.
  ///
  /// - Parameters:
  ///   - symbols: whose.
  ///   - window: how long the while is, 1 ns or more.
  ///   - policy: what becomes of those that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func statistics(
    of symbols: FeedSymbols = .all, over window: Duration, policy: FeedPolicy = .conflated
  ) throws(FeedError) -> EngineStream<PriceStatistics> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativePriceStatisticsRequest(
          subscription: symbols.native, policy: policy.native, windowNanoseconds: window.wholeNanoseconds),
        reader: .statistics)
    }
  }

  /// Streams alerts: one when a price is at a threshold's level or beyond it, the next once it was beyond the hysteresis on the
  /// other side.
  ///
  /// - Parameters:
  ///   - thresholds: what is watched for.
  ///   - policy: what becomes of those that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func alerts(
    at thresholds: [PriceThreshold], policy: FeedPolicy = .buffered(capacity: 1_024)
  ) throws(FeedError) -> EngineStream<PriceAlert> {
    let native = thresholds.map { threshold in
      NativeFeedThreshold(
        symbol: threshold.symbol, levelUnits: threshold.level.units, hysteresisUnits: threshold.hysteresis.units,
        direction: threshold.direction == .above ? .above : .below, levelScale: UInt8(threshold.level.scale),
        hysteresisScale: UInt8(threshold.hysteresis.scale))
    }
    return try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativePriceAlertRequest(thresholds: native, policy: policy.native), reader: .alerts(thresholds))
    }
  }

  /// Streams what happens to the source: connections, and messages that were skipped. Of those that wait, `capacity` (1 to
  /// 1,048,576) are kept, and then the oldest lost.
  ///
  /// - Throws: ``FeedError``; nothing was started then.
  public func notices(capacity: Int = 1_024) throws(FeedError) -> EngineStream<FeedNotice> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(NativeNoticeRequest(capacity: capacity, notices: .all), reader: .notices)
    }
  }

  /// Streams the states of the source's connection, first the present one if there is one yet. Of those that wait, `capacity` (1
  /// to 1,048,576) are kept, and then the oldest lost. The last one is ``FeedConnection/closed(reason:)`` when the source comes
  /// to its end, and none when the stream is cancelled.
  ///
  /// - Throws: ``FeedError``; nothing was started then.
  public func connectionStates(capacity: Int = 1_024) throws(FeedError) -> EngineStream<FeedConnection> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(NativeNoticeRequest(capacity: capacity, notices: .connection), reader: .connections)
    }
  }

  /// The state of the source's connection.
  public var connectionState: FeedConnection { FeedConnection(core.native.connection()) }

  /// Gives the feed to whoever connects to `address`, each client by `policy`: all symbols until it says what it wants. A server
  /// does not keep its feed: it ends with it.
  ///
  /// - Throws: ``FeedError/Code/malformedAddress``, ``FeedError/Code/addressUnavailable``, ``FeedError/Code/capacityOutOfRange``,
  ///   ``FeedError/Code/valueOutOfRange``, ``FeedError/Code/shutDown``, ``FeedError/Code/poisoned``,
  ///   ``FeedError/Code/exhausted``; nothing was started then.
  public func serve(on address: FeedAddress, policy: FeedPolicy = .buffered()) throws(FeedError) -> FeedServer {
    do {
      let server = try core.native.serve(NativeServerRequest(address: address.description, policy: policy.native))
      servers.removeAll(where: \.isFired)
      servers.append(server.released)
      return FeedServer(server)
    } catch {
      throw FeedError(error)
    }
  }

  /// Has the native side refuse new streams, and end the source and the streams that run, without waiting for their end.
  public func refuseStreams() {
    core.native.shutDown()
    filling?.cancel()
  }

  /// Ends every stream like `cancel()`, the servers and the source; refuses new streams from now on.
  public func shutDown() async {
    refuseStreams()
    await cancel()
    await filling?.value
    let ending = servers
    for server in ending { await server.wait() }
  }

  /// What the source met with so far.
  public var counts: FeedCounts { FeedCounts(core.native.counts()) }
}

extension EngineStream where Value: SymbolRecord {
  /// Has the stream deliver what comes of `symbols` too, from the source's next trade on. It can be called while the stream is
  /// read, with a copy of the stream.
  ///
  /// - Throws: ``FeedError``: the symbols are refused, or the stream is over; nothing is changed then.
  public func subscribe(to symbols: [String]) throws(FeedError) { try change(adding: symbols, removing: []) }

  /// Has the stream deliver what comes of `symbols` no more. What waits is delivered; what a candle or a statistic has of them is
  /// forgotten. A stream of all symbols is from then on one of all that are known, but for these.
  ///
  /// - Throws: ``FeedError/Code/ended``.
  public func unsubscribe(from symbols: [String]) throws(FeedError) { try change(adding: [], removing: symbols) }

  /// How many trades were left out of candles or statistics because they came too late, also once the stream has ended.
  public var lateTradeCount: UInt64 { omissions.late }

  /// How many trades left the windows of statistics early, because a window has at most 1,048,576 trades of a symbol; also after
  /// the end. Where it is above 0, statistics are of fewer trades than their while had.
  public var evictedTradeCount: UInt64 { omissions.evicted }

  private func change(adding: [String], removing: [String]) throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try changeSubscription(adding: adding, removing: removing) }
  }
}

public import RustleCore

/// A feed of market data: one source of trades and any number of consumers, each with its own buffering policy.
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
/// Nothing runs before ``run()``, so that consumers started before it receive the first trade. When the source ends, every stream
/// ends once its buffered values have been read, also one that is started later.
///
/// A stream has one consumer and ends like a ``TickerController``'s: when its consumer leaves the loop, when the consuming task
/// is cancelled, when the stream or the feed is dropped, and by `cancel()` and ``shutDown()``. The source and servers continue
/// after `cancel()`. The stream reports dropped values as ``StreamElement/gap(_:)``, and counts them.
///
/// ``RustleCore/EngineStream/subscribe(to:)`` and ``RustleCore/EngineStream/unsubscribe(from:)`` change what a running stream
/// delivers.
public actor MarketFeed: NativeStreamEngine {
  private let core: FeedCore
  /// The streams that it has returned.
  package let streams = EngineStreams()
  private var servers: [OneShot] = []
  let writer: FeedWriter
  /// The package's own code that fills the source; nil for any other source.
  private let host: (any FeedHost)?
  /// Whether the source is one of JSON texts with the fields that ``push(trades:)`` writes.
  nonisolated let takesTrades: Bool
  /// The host's task, once the feed runs.
  private var filling: Task<Void, Never>?

  /// Creates a feed on the threads that all engines of the process share. A recording is opened here.
  ///
  /// - Throws: ``FeedError``: the source is refused.
  public init(_ configuration: FeedConfiguration) throws(FeedError) { try self.init(configuration, runtime: nil) }

  /// Creates a feed on the caller's runtime.
  package init(_ configuration: FeedConfiguration, runtime: NativeRuntime?) throws(FeedError) {
    try configuration.checkLimits()
    takesTrades =
      if case .external(let source) = configuration { source.format == .ndjson && source.schema == nil } else { false }
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
    // The host may keep the native side for a moment.
    core.native.shutDown()
  }

  /// Starts the source and returns at once: the source goes on in the background, and the streams end with it. Does nothing when
  /// it runs or has ended.
  ///
  /// - Throws: ``FeedError/Code/shutDown`` or ``FeedError/Code/exhausted``; the feed has then ended.
  public func run() throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try core.native.run() }
    guard let host, filling == nil else { return }
    filling = Task { [writer] in
      await host.fill(writer)
      // Throws when the feed has ended already.
      try? writer.report(.closed(reason: nil))
    }
  }

  /// Checks the symbols that a consumer names.
  private func check(_ symbols: FeedSymbols) throws(FeedError) {
    if case .only(let names) = symbols { try host?.check(names) }
  }

  /// Whether this package's own code fills the source.
  var isHosted: Bool { host != nil }

  /// Streams trades.
  ///
  /// - Parameters:
  ///   - symbols: the subscribed symbols.
  ///   - policy: the buffering policy for trades that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func trades(
    of symbols: FeedSymbols = .all, policy: FeedPolicy = .buffered()
  ) throws(FeedError) -> EngineStream<Trade> {
    try check(symbols)
    return try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativeTradeRequest(subscription: symbols.native, policy: policy.native), reader: .trades)
    }
  }

  /// Streams candles, each once it is closed; the end of the source closes the open ones.
  ///
  /// - Parameters:
  ///   - symbols: the subscribed symbols.
  ///   - interval: the duration of a candle, 1 ns or more. A candle starts at a multiple of it since 1970.
  ///   - lateness: how long a candle stays open for late trades, 0 to 64 intervals. Later ones are left out and counted:
  ///     ``RustleCore/EngineStream/lateTradeCount``.
  ///   - policy: the buffering policy for candles that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func candles(
    of symbols: FeedSymbols = .all, every interval: Duration, lateness: Duration = .zero,
    policy: FeedPolicy = .buffered()
  ) throws(FeedError) -> EngineStream<Candle> {
    try check(symbols)
    return try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativeCandleRequest(
          subscription: symbols.native, policy: policy.native, intervalNanoseconds: interval.wholeNanoseconds,
          latenessNanoseconds: lateness.wholeNanoseconds), reader: .candles(interval))
    }
  }

  /// Streams statistics over a sliding window of each symbol, after each of its trades that is not late. A window has at most
  /// 1,048,576 trades of a symbol, each of up to 144 bytes; one more evicts the oldest, which is counted:
  /// ``RustleCore/EngineStream/evictedTradeCount``.
  ///
  /// - Parameters:
  ///   - symbols: the subscribed symbols.
  ///   - window: the duration of the window, 1 ns or more.
  ///   - policy: the buffering policy for statistics that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func statistics(
    of symbols: FeedSymbols = .all, over window: Duration, policy: FeedPolicy = .conflated
  ) throws(FeedError) -> EngineStream<PriceStatistics> {
    try check(symbols)
    return try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(
        NativePriceStatisticsRequest(
          subscription: symbols.native, policy: policy.native, windowNanoseconds: window.wholeNanoseconds),
        reader: .statistics)
    }
  }

  /// Streams alerts: one when a price is at a threshold's level or beyond it, the first price included, the next after a price
  /// beyond the hysteresis on the other side of the level.
  ///
  /// - Parameters:
  ///   - thresholds: the price levels.
  ///   - policy: the buffering policy for alerts that the consumer does not take in time.
  /// - Throws: ``FeedError``; nothing was started then.
  public func alerts(
    at thresholds: [PriceThreshold], policy: FeedPolicy = .buffered(capacity: 1_024)
  ) throws(FeedError) -> EngineStream<PriceAlert> {
    try host?.check(thresholds.map(\.symbol))
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

  /// Streams the events of the source: connections, and skipped messages. The buffer keeps `capacity` notices (1 to 1,048,576),
  /// then drops the oldest.
  ///
  /// - Throws: ``FeedError``; nothing was started then.
  public func notices(capacity: Int = 1_024) throws(FeedError) -> EngineStream<FeedNotice> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(NativeNoticeRequest(capacity: capacity, notices: .all), reader: .notices)
    }
  }

  /// Streams the states of the source's connection, the present one first if there is one. The buffer keeps `capacity` states (1
  /// to 1,048,576), then drops the oldest. The last one is ``FeedConnection/closed(reason:)`` when the source ends; a cancelled
  /// stream ends without it.
  ///
  /// - Throws: ``FeedError``; nothing was started then.
  public func connectionStates(capacity: Int = 1_024) throws(FeedError) -> EngineStream<FeedConnection> {
    try started(orThrow: FeedError.self) { () throws(NativeError) in
      try core.native.start(NativeNoticeRequest(capacity: capacity, notices: .connection), reader: .connections)
    }
  }

  /// The state of the source's connection; of a merged feed that of a source without one, if there is any.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var connectionState: FeedConnection {
    get throws(FeedError) {
      let notice = try FeedError.rethrowing { () throws(NativeError) in try core.native.connection() }
      return writer.sources.connection(with: FeedConnection(notice))
    }
  }

  /// Serves the feed at `address`, to each client by `policy`: all symbols until the client subscribes. A server does not retain
  /// its feed and ends with it.
  ///
  /// - Parameters:
  ///   - address: the address; one that other machines reach requires a token, or access for anyone.
  ///   - policy: the buffering policy for trades that a client does not read in time.
  ///   - access: who may connect.
  /// - Throws: ``FeedError/Code/malformedAddress``, ``FeedError/Code/addressUnavailable``, ``FeedError/Code/capacityOutOfRange``,
  ///   ``FeedError/Code/valueOutOfRange``, ``FeedError/Code/shutDown``, ``FeedError/Code/poisoned``,
  ///   ``FeedError/Code/exhausted``; nothing was started then.
  public func serve(
    on address: FeedAddress, policy: FeedPolicy = .buffered(), access: FeedServer.Access = .local
  ) throws(FeedError) -> FeedServer {
    try access.check()
    do {
      let request = NativeServerRequest(
        address: address.description, policy: policy.native, token: access.token, allowsAnyone: access == .anyone)
      let server = try core.native.serve(request)
      servers.removeAll(where: \.isFired)
      servers.append(server.released)
      return try FeedServer(server)
    } catch {
      throw FeedError(error)
    }
  }

  /// Makes the native side refuse new streams and end the source and the running streams, without waiting for their end.
  package func refuseStreams() {
    core.native.shutDown()
    filling?.cancel()
  }

  /// Ends every stream like `cancel()`, the servers and the source; refuses new streams from then on.
  public func shutDown() async {
    refuseStreams()
    await cancel()
    await filling?.value
    let ending = servers
    for server in ending { await server.wait() }
  }

  /// The counts of the source so far.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var counts: FeedCounts { get throws(FeedError) { try writer.counts } }
}

extension EngineStream where Value: SymbolRecord {
  /// Adds symbols to the stream, from the source's next trade on. It can be called on a copy while the stream is read.
  ///
  /// - Throws: ``FeedError``: the symbols are refused, or the stream has ended; nothing is changed then.
  public func subscribe(to symbols: [String]) throws(FeedError) { try change(adding: symbols, removing: []) }

  /// Removes symbols from the stream. Buffered records of them are delivered; their open candles and windows are discarded. A
  /// stream of all symbols becomes one of all symbols known at the time, except these.
  ///
  /// - Throws: ``FeedError/Code/ended``.
  public func unsubscribe(from symbols: [String]) throws(FeedError) { try change(adding: [], removing: symbols) }

  /// The number of trades left out of candles or statistics because they came too late, also after the end of the stream.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var lateTradeCount: UInt64 { get throws(FeedError) { try omitted.late } }

  /// The number of trades evicted early from the windows of statistics, as a window has at most 1,048,576 trades of a symbol;
  /// also after the end. Where it is above 0, statistics have fewer trades than their window's duration had.
  ///
  /// - Throws: ``FeedError/Code/internal``: a fault inside the package.
  public var evictedTradeCount: UInt64 { get throws(FeedError) { try omitted.evicted } }

  private var omitted: NativeFeedOmissions {
    get throws(FeedError) { try FeedError.rethrowing { () throws(NativeError) in try omissions() } }
  }

  private func change(adding: [String], removing: [String]) throws(FeedError) {
    try FeedError.rethrowing { () throws(NativeError) in try changeSubscription(adding: adding, removing: removing) }
  }
}

#if NATS
internal import RustleCore
public import RustleMarket

/// A source on NATS: the trades that a ``NATSPublisher`` publishes, or any NDJSON line in a message with the subject
/// `PREFIX.q.SYMBOL`.
///
/// ```swift
/// let feed = try MarketFeed(
///   .nats(NATSFeed(NATSAddress(servers: ["nats://127.0.0.1:4222"], prefix: "prices"), replay: .lastPerSymbol)))
/// let trades = try await feed.trades(of: ["BTC", "ETH"])
/// try await feed.run()
/// ```
///
/// A lost connection is re-established. What was published meanwhile, or was dropped because the feed read too slowly, is missing and
/// reported as ``/RustleMarket/Trade/sequenceGap``; with a ``replay`` other than ``Replay/live`` it is read from the stream. Trades
/// that come twice, also from a second publisher of the same source, are delivered once. One that was reported missing and comes late is
/// left out without a replay, and counted as dropped, so that what is in gaps is lost; with a replay it is delivered as
/// ``/RustleMarket/Trade/isOutOfOrder``, so that of ``/RustleMarket/FeedCounts/sequenceNumbersInGaps`` those above
/// ``/RustleMarket/FeedCounts/outOfOrder`` are lost. One symbol is requested alone; several are chosen from all.
public struct NATSFeed: Sendable, Hashable {
  /// What comes before the trades that are published from now on. Except for ``live`` it requires a stream: ``NATSPublisher/durable``.
  public enum Replay: Sendable, Hashable {
    /// Nothing.
    case live
    /// The newest trade of each symbol.
    case lastPerSymbol
    /// All that the stream has.
    case all
    /// What was published at this time or later.
    case from(Timestamp)
  }

  /// The servers and the prefix.
  public var address: NATSAddress
  /// Which member of a JSON message is which of a trade: `symbol=s,price=p,time=T:ms`; nil: `symbol`, `price`, `size`, `side`, `t_ms`.
  public var schema: String?
  /// What comes first.
  public var replay: Replay
  /// The interval of pings, 10 ms to a day; a server that has not answered for two intervals is lost.
  public var pingInterval: Duration
  /// The time limit for a connection to be established: 10 ms to a day.
  public var connectTimeout: Duration
  /// The wait before an attempt to reconnect, 10 ms to a day, to which up to as much again is added at random.
  public var reconnectWait: Duration
  /// The number of messages that wait while the feed is busy, 1 to 1,048,576; later ones are dropped.
  public var pendingLimit: Int

  /// Creates a source; by default of what is published from now on, with a ping every 10 s, 5 s to connect, half a second to a
  /// second between attempts, and at most 65,536 waiting messages.
  public init(
    _ address: NATSAddress, schema: String? = nil, replay: Replay = .live, pingInterval: Duration = .seconds(10),
    connectTimeout: Duration = .seconds(5), reconnectWait: Duration = .milliseconds(500), pendingLimit: Int = 65_536
  ) {
    self.address = address
    self.schema = schema
    self.replay = replay
    self.pingInterval = pingInterval
    self.connectTimeout = connectTimeout
    self.reconnectWait = reconnectWait
    self.pendingLimit = pendingLimit
  }
}

extension FeedConfiguration {
  /// The source on NATS. ``MarketFeed/init(_:)`` throws ``FeedError/Code/malformedAddress``, ``FeedError/Code/valueOutOfRange`` and
  /// ``FeedError/Code/capacityOutOfRange``.
  public static func nats(_ feed: NATSFeed) -> Self { .hosted(HostedFeed(feed)) }
}

extension NATSFeed: FeedHost {
  package var source: ExternalFeed { ExternalFeed(schema: schema) }

  package var origin: String { address.origin }

  package func check() throws(FeedError) {
    try address.check()
    try NATSTimes.check([
      ("ping interval", pingInterval), ("connect timeout", connectTimeout), ("reconnect wait", reconnectWait),
    ])
    guard (1...1_048_576).contains(pendingLimit) else {
      throw FeedError(
        code: .capacityOutOfRange, message: "pending limit: expected 1 to 1048576 messages, got \(pendingLimit)")
    }
  }

  package func fill(_ writer: FeedWriter) async {
    do {
      try await withTaskExecutorPreference(BlockingExecutor("rustle.nats.reader")) {
        try await NATSReader(self).run(filling: writer)
      }
    } catch {
      // The feed has ended, unless the reason has to end it.
      try? writer.report(.closed(reason: (error as? NATSFailure)?.description ?? (error as? FeedError)?.message))
    }
  }
}

enum NATSTimes {
  /// - Throws: `FeedError.Code.valueOutOfRange`.
  static func check(_ times: [(name: String, time: Duration)]) throws(FeedError) {
    for (name, time) in times where !(.milliseconds(10) ... .seconds(86_400)).contains(time) {
      throw FeedError(code: .valueOutOfRange, message: "\(name): expected 10 ms to a day, got \(time)")
    }
  }
}
#endif

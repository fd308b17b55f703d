#if WebSocket
public import RustleMarket

/// A source at the other end of a WebSocket (RFC 6455): JSON messages in text or binary frames.
///
/// ```swift
/// let feed = try MarketFeed(
///   .webSocket(
///     WebSocketFeed(
///       "wss://stream.example.com/v1", schema: "symbol=s,price=p,time=T:ms,each=data",
///       subscription: .messages(
///         subscribe: #"{"op":"subscribe","args":$symbols}"#, unsubscribe: #"{"op":"unsubscribe","args":$symbols}"#))))
/// let trades = try await feed.trades(of: ["BTC", "ETH"])
/// try await feed.run()
/// ```
///
/// A connection that is refused, lost or silent is re-established like that of a ``LiveFeed``, and then subscribes again. Pings
/// are answered. While the feed waits for a lossless consumer (``FeedPolicy/lossless(capacity:)``), nothing is read and pings are
/// answered late.
public struct WebSocketFeed: Sendable, Hashable {
  /// The URL of the peer: `ws://host:port/path?query`, or `wss://…` for TLS; the default ports are 80 and 443.
  public var url: String
  /// Which member of a JSON message is which of a trade: `symbol=s,price=p,time=T:ms`; nil: `symbol`, `price`, `size`, `side`, `t_ms`.
  public var schema: String?
  /// The messages that subscribe to symbols.
  public var subscription: WebSocketSubscription
  /// Additional headers of the request, by their names.
  public var headers: [String: String]
  /// The authentication of a peer at `wss://`.
  public var tls: TLS
  /// The time limit for the answer to the request, connection and TLS included: 10 ms to a day.
  public var connectTimeout: Duration
  /// The silence after which the connection counts as lost, 10 ms to a day; any bytes are a heartbeat. nil: no limit. The time in
  /// which nothing is read does not count.
  public var silenceLimit: Duration?
  /// The interval of pings, 10 ms to a day; nil: no pings. A peer that answers is not silent.
  public var pingInterval: Duration?
  /// The backoff between attempts.
  public var backoff: LiveFeed.Backoff
  /// Whether the source's sequence numbers restart with each connection. Where they continue, trades missed without a connection
  /// are reported as ``Trade/sequenceGap``.
  public var restartsNumbers: Bool
  /// The maximum size of a message in bytes, 1 to 16,777,216, in one frame or more. A longer one ends the connection with code
  /// 1009, followed by a reconnect.
  public var messageLimit: Int

  /// Creates a source; by default 5 s to connect, 30 s of silence, a ping every 10 s, sequence numbers that continue, messages of
  /// at most 1 MiB, and subscriptions by ``WebSocketSubscription/rustle``.
  public init(
    _ url: String, schema: String? = nil, subscription: WebSocketSubscription = .rustle,
    headers: [String: String] = [:], tls: TLS = TLS(), connectTimeout: Duration = .seconds(5),
    silenceLimit: Duration? = .seconds(30), pingInterval: Duration? = .seconds(10),
    backoff: LiveFeed.Backoff = LiveFeed.Backoff(), restartsNumbers: Bool = false, messageLimit: Int = 1_048_576
  ) {
    self.url = url
    self.schema = schema
    self.subscription = subscription
    self.headers = headers
    self.tls = tls
    self.connectTimeout = connectTimeout
    self.silenceLimit = silenceLimit
    self.pingInterval = pingInterval
    self.backoff = backoff
    self.restartsNumbers = restartsNumbers
    self.messageLimit = messageLimit
  }

  /// Creates a source of an exchange's trades or quotes: as ``init(_:schema:subscription:headers:tls:connectTimeout:silenceLimit:pingInterval:backoff:restartsNumbers:messageLimit:)``.
  ///
  /// - Returns: nil when the exchange has no quotes.
  public init?(_ preset: ExchangePreset, quotes: Bool = false) {
    guard let stream = quotes ? preset.quotes : preset.trades else { return nil }
    self.init(
      stream.url ?? preset.url, schema: stream.schema,
      subscription: .messages(subscribe: stream.subscribe, unsubscribe: stream.unsubscribe))
  }

  /// The authentication of a peer: a certificate that names the host and whose chain ends at a trusted root.
  public struct TLS: Sendable, Hashable {
    /// The trusted root certificates.
    public enum Roots: Sendable, Hashable {
      /// The system's roots.
      case system
      /// The certificates of a file, in PEM.
      case file(String)
      /// The certificates of a text, in PEM.
      case pem(String)
    }

    /// The trusted root certificates.
    public var roots: Roots
    /// The name that the certificate has to have; nil: the host of the URL.
    public var serverName: String?
    /// Whether any certificate is accepted: the connection is encrypted, to a peer that nothing authenticates. For tests.
    public var acceptsAnyCertificate: Bool

    /// Creates settings; by default the system's roots and the URL's host.
    public init(roots: Roots = .system, serverName: String? = nil, acceptsAnyCertificate: Bool = false) {
      self.roots = roots
      self.serverName = serverName
      self.acceptsAnyCertificate = acceptsAnyCertificate
    }
  }
}

extension FeedConfiguration {
  /// The source of a WebSocket. ``MarketFeed/init(_:)`` throws ``FeedError/Code/malformedAddress``,
  /// ``FeedError/Code/malformedHeader``, ``FeedError/Code/malformedTemplate``, ``FeedError/Code/malformedSchema``,
  /// ``FeedError/Code/valueOutOfRange``, ``FeedError/Code/capacityOutOfRange`` and, for roots that cannot be read,
  /// ``FeedError/Code/unreadableFile``.
  public static func webSocket(_ feed: WebSocketFeed) -> Self { .hosted(HostedFeed(feed)) }
}

extension WebSocketFeed: FeedHost {
  package var source: ExternalFeed {
    ExternalFeed(schema: schema, restartsNumbers: restartsNumbers, messageLimit: messageLimit)
  }

  package var origin: String { (try? WebSocketAddress(url))?.origin ?? url }

  package func check() throws(FeedError) { _ = try WebSocketClient(self) }

  package func fill(_ writer: FeedWriter) async {
    // Checked when the feed was created; a file with roots may have been removed since.
    do throws(FeedError) {
      try await WebSocketClient(self).run(filling: writer)
    } catch {
      try? writer.report(.closed(reason: error.message))
    }
  }
}
#endif

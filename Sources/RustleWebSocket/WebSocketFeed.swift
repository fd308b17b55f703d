#if WebSocket
public import RustleMarket

/// A source at the other end of a WebSocket (RFC 6455): messages of JSON, in text or binary frames.
///
/// ```swift
/// let feed = try MarketFeed(
///   .webSocket(
///     WebSocketFeed(
///       "wss://stream.example.com/v1", schema: "symbol=s,price=p,time=T:ms,each=data",
///       subscription: .messages(
///         subscribe: #"{"op":"subscribe","args":$symbols}"#, unsubscribe: #"{"op":"unsubscribe","args":$symbols}"#))))
/// let trades = try await feed.trades(for: ["BTC", "ETH"])
/// try await feed.run()
/// ```
///
/// A connection that is refused, lost or silent is made again, as that of a ``LiveFeed`` is, and then says again what is wanted.
/// Pings are answered. While a consumer is waited for (``FeedPolicy/lossless(capacity:)``) nothing is read, and pings are
/// answered late.
public struct WebSocketFeed: Sendable, Hashable {
  /// Where it is: `ws://host:port/path?query`, or `wss://…` for TLS; without a port 80 and 443.
  public var url: String
  /// How its messages make trades, as text: `symbol=s,price=p,time=T:ms`; nil: the schema of `rustle ticker --json`.
  public var schema: String?
  /// How it is told what is wanted.
  public var subscription: WebSocketSubscription
  /// Headers of the request beside those that the protocol has, by their names.
  public var headers: [String: String]
  /// How a peer at `wss://` is known.
  public var tls: TLS
  /// How long it may take to answer the request, the connection and TLS included: 10 ms to a day.
  public var connectTimeout: Duration
  /// How long it may be silent before the connection counts as lost, 10 ms to a day; any bytes are a heartbeat. nil: for ever.
  /// The time in which nothing is read does not count.
  public var silenceLimit: Duration?
  /// How often it is pinged, 10 ms to a day; nil: never. A peer that answers is not silent.
  public var pingInterval: Duration?
  /// How long is waited between attempts.
  public var backoff: LiveFeed.Backoff
  /// Whether the numbers of its trades begin anew with each connection. Where they go on, what was sent while there was no
  /// connection is told as ``Trade/sequenceGap``.
  public var restartsNumbers: Bool
  /// The most bytes of a message, 1 to 16,777,216, in one frame or many. A longer one ends the connection with the code 1009,
  /// which is then made again.
  public var messageLimit: Int

  /// 5 s to connect, 30 s of silence, a ping every 10 s, numbers that go on, messages of at most 1 MiB, and subscriptions as
  /// ``WebSocketSubscription/rustle`` has them, unless said otherwise.
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

  /// How a peer is known: by a certificate that leads to a root that is trusted, and that names the host.
  public struct TLS: Sendable, Hashable {
    /// Whom a certificate has to lead to.
    public enum Roots: Sendable, Hashable {
      /// Those of the system.
      case system
      /// The certificates of a file, in PEM.
      case file(String)
      /// The certificates of a text, in PEM.
      case pem(String)
    }

    /// Whom a certificate has to lead to.
    public var roots: Roots
    /// The name that the certificate has to have; nil: the host of the URL.
    public var serverName: String?

    /// The system's roots and the URL's host, unless said otherwise.
    public init(roots: Roots = .system, serverName: String? = nil) {
      self.roots = roots
      self.serverName = serverName
    }
  }
}

extension FeedConfiguration {
  /// A WebSocket. ``MarketFeed/init(_:)`` throws ``FeedError/Code/malformedAddress``, ``FeedError/Code/malformedHeader``,
  /// ``FeedError/Code/malformedTemplate``, ``FeedError/Code/malformedSchema``, ``FeedError/Code/valueOutOfRange``,
  /// ``FeedError/Code/capacityOutOfRange`` and, for roots that cannot be read, ``FeedError/Code/unreadableFile``.
  public static func webSocket(_ feed: WebSocketFeed) -> Self { .hosted(HostedFeed(feed)) }
}

extension WebSocketFeed: FeedHost {
  package var source: ExternalFeed {
    ExternalFeed(schema: schema, restartsNumbers: restartsNumbers, messageLimit: messageLimit)
  }

  package var place: String { (try? WebSocketAddress(url))?.place ?? url }

  package func check() throws(FeedError) { _ = try WebSocketClient(self) }

  package func fill(_ writer: FeedWriter) async {
    // What can fail here was looked at when the feed was made; a file with roots may have gone since.
    do throws(FeedError) {
      try await WebSocketClient(self).run(filling: writer)
    } catch {
      try? writer.report(.closed(reason: error.message))
    }
  }
}
#endif

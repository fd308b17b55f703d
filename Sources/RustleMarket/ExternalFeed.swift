/// A source that the user's code fills, the host: ``MarketFeed/push(_:)``, ``MarketFeed/push(trades:)``,
/// ``MarketFeed/report(_:)`` and ``MarketFeed/subscriptionChanges()``.
public struct ExternalFeed: Sendable, Hashable {
  /// The format of the bytes of ``MarketFeed/push(_:)``; ``MarketFeed/push(trades:)`` requires NDJSON without a schema.
  public var format: ReplayFeed.Format
  /// Which member of a JSON message, one per line, is which of a trade: `symbol=s,price=p`; nil: `symbol`, `price`, `size`, `side`, `t_ms`.
  public var schema: String?
  /// Whether sequence numbers restart with each connection that the host reports.
  public var restartsNumbers: Bool
  /// The maximum size of a message in bytes, 1 to 16,777,216; a longer one is counted and skipped.
  public var messageLimit: Int

  /// Creates a source; by default of JSON texts of at most 65,536 bytes, with sequence numbers that continue across connections.
  public init(
    format: ReplayFeed.Format = .ndjson, schema: String? = nil, restartsNumbers: Bool = false,
    messageLimit: Int = 65_536
  ) {
    self.format = format
    self.schema = schema
    self.restartsNumbers = restartsNumbers
    self.messageLimit = messageLimit
  }
}

/// The union of the symbols that the consumers of a feed subscribe to.
public struct FeedSubscription: Sendable, Hashable {
  /// Whether a consumer subscribes to all symbols.
  public let isAll: Bool
  /// The symbols that are subscribed to by name, without duplicates, in the order of their bytes.
  public let symbols: [String]

  package init(isAll: Bool, symbols: [String]) {
    self.isAll = isAll
    self.symbols = symbols
  }
}

/// A source whose host is code of this package, as the user's code is that of an ``ExternalFeed``: a WebSocket, for example.
/// Modules that implement a protocol create one.
public struct HostedFeed: Sendable, Hashable {
  let host: any FeedHost

  /// A source that `host` fills.
  package init(_ host: any FeedHost) { self.host = host }

  /// The origin of the trades, without secrets.
  public var origin: String { host.origin }

  /// Whether both are the same source.
  public static func == (one: Self, other: Self) -> Bool { AnyHashable(one.host) == AnyHashable(other.host) }

  /// Hashes the source.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(host)) }
}

/// The code that fills a ``HostedFeed``.
package protocol FeedHost: Sendable, Hashable {
  /// The format and limits of the bytes.
  var source: ExternalFeed { get }
  /// The origin of the trades, without secrets.
  var origin: String { get }

  /// Checks the configuration as far as possible before the feed runs.
  func check() throws(FeedError)

  /// Checks symbols that a consumer names.
  func check(_ symbols: [String]) throws(FeedError)

  /// Delivers the bytes until its task is cancelled or the feed has ended.
  func fill(_ writer: FeedWriter) async
}

extension FeedHost {
  package func check(_ symbols: [String]) throws(FeedError) {}
}

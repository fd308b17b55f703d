/// A source that its host fills, from a protocol that it speaks itself: ``MarketFeed/push(_:)``, ``MarketFeed/report(_:)`` and
/// ``MarketFeed/subscriptionChanges()``.
public struct ExternalFeed: Sendable, Hashable {
  /// What the bytes are.
  public var format: ReplayFeed.Format
  /// How messages, one a line, make trades, as text; nil: the schema of `rustle ticker --json`.
  public var schema: String?
  /// Whether the numbers of its trades begin anew with each connection that the host tells of.
  public var restartsNumbers: Bool
  /// The most bytes of a message, 1 to 16,777,216; a longer one is counted and skipped.
  public var messageLimit: Int

  /// JSON texts of at most 65,536 bytes with numbers that go on, unless said otherwise.
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

/// The symbols that the consumers of a feed want together.
public struct FeedSubscription: Sendable, Hashable {
  /// Whether somebody wants all that there are.
  public let isAll: Bool
  /// What is wanted by name, each once, in the order of the names' bytes.
  public let symbols: [String]

  package init(isAll: Bool, symbols: [String]) {
    self.isAll = isAll
    self.symbols = symbols
  }
}

/// A source that this package's own code fills for as long as the feed runs, as ``ExternalFeed`` is filled by the user's. Modules
/// that speak a protocol make one.
public struct HostedFeed: Sendable, Hashable {
  let host: any FeedHost

  /// A source that `host` fills.
  package init(_ host: any FeedHost) { self.host = host }

  /// Where the trades come from, without what should stay secret.
  public var place: String { host.place }

  /// Whether both are the same source.
  public static func == (one: Self, other: Self) -> Bool { AnyHashable(one.host) == AnyHashable(other.host) }

  /// Hashes the source.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(host)) }
}

/// What fills a ``HostedFeed``.
package protocol FeedHost: Sendable, Hashable {
  /// What the native side is to make of the bytes.
  var source: ExternalFeed { get }
  /// Where the trades come from, without what should stay secret.
  var place: String { get }

  /// Looks at what can be told before the feed runs.
  func check() throws(FeedError)

  /// Brings the bytes, until its task is cancelled or the feed is over.
  func fill(_ writer: FeedWriter) async
}

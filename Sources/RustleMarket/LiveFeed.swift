internal import RustleCore

/// Where a feed of another process is, and where a server is to be. It is checked when it is used.
public struct FeedAddress: Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text: `host:port`, `[::1]:port` or `unix:/path`.
  public let description: String

  /// An address by its text: `host:port`, `tcp://host:port`, `[::1]:port` or `unix:/path`.
  public init(_ text: String) { description = text }

  /// ``init(_:)``.
  public init(stringLiteral text: String) { self.init(text) }

  /// A host, by name or number, and a port, 1 to 65,535; 0, for a server: any that is free.
  public static func tcp(_ host: String, port: Int) -> Self {
    Self(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
  }

  /// A socket in the file system, whose path has at most 103 bytes.
  public static func unix(_ path: String) -> Self { Self("unix:\(path)") }
}

/// A source at the other end of a socket: JSON texts, one a line.
public struct LiveFeed: Sendable, Hashable {
  /// How long is waited before the next attempt to connect: drawn evenly from 0 to a bound that doubles with each failure in a
  /// row.
  public struct Backoff: Sendable, Hashable {
    /// The bound after the first failure, 1 ms to `limit`.
    public var base: Duration
    /// What the bound stops growing at: at most a day.
    public var limit: Duration
    /// A connection that held for so long is healthy: the next failure is the first again.
    public var healthyAfter: Duration

    /// From a quarter of a second to 30 s, healthy after 10 s, unless said otherwise.
    public init(
      base: Duration = .milliseconds(250), limit: Duration = .seconds(30), healthyAfter: Duration = .seconds(10)
    ) {
      self.base = base
      self.limit = limit
      self.healthyAfter = healthyAfter
    }
  }

  /// Where it is.
  public var address: FeedAddress
  /// How its messages make trades, as text: `symbol=s,price=p,time=T:ms`; nil: the schema of `rustle ticker --json`.
  public var schema: String?
  /// How long it may take to accept a connection: 10 ms to a day.
  public var connectTimeout: Duration
  /// How long it may be silent before the connection counts as lost, 10 ms to a day; any bytes are a heartbeat. nil: for ever.
  public var silenceLimit: Duration?
  /// How long is waited between attempts.
  public var backoff: Backoff
  /// Whether the numbers of its trades begin anew with each connection. Where they go on, what was sent while there was no
  /// connection is told as ``Trade/sequenceGap``. Where they begin anew, those of the trades go on from the highest before.
  public var restartsNumbers: Bool
  /// Whether it is told which symbols are wanted, after each connection and each change.
  public var subscribes: Bool

  /// 5 s to connect, 30 s of silence, numbers that go on, and subscriptions, unless said otherwise.
  public init(
    _ address: FeedAddress, schema: String? = nil, connectTimeout: Duration = .seconds(5),
    silenceLimit: Duration? = .seconds(30), backoff: Backoff = Backoff(), restartsNumbers: Bool = false,
    subscribes: Bool = true
  ) {
    self.address = address
    self.schema = schema
    self.connectTimeout = connectTimeout
    self.silenceLimit = silenceLimit
    self.backoff = backoff
    self.restartsNumbers = restartsNumbers
    self.subscribes = subscribes
  }

  var native: NativeLiveFeed {
    // The native side takes 0 for no limit: a silence of 0 has to be another number that it refuses.
    NativeLiveFeed(
      address: address.description, schema: schema ?? "", connectingNanoseconds: connectTimeout.countedNanoseconds,
      silenceNanoseconds: silenceLimit.map { max(1, $0.countedNanoseconds) } ?? 0,
      baseNanoseconds: backoff.base.countedNanoseconds, capNanoseconds: backoff.limit.countedNanoseconds,
      healthyNanoseconds: backoff.healthyAfter.countedNanoseconds, restartsNumbers: restartsNumbers,
      subscribes: subscribes)
  }
}

extension LiveFeed.Backoff {
  /// Draws the wait after so many failures in a row, 1 or more.
  ///
  /// - Throws: ``FeedError/Code/valueOutOfRange``.
  package func wait(
    afterFailures failures: Int, seed: UInt64 = .random(in: 0 ... .max)
  ) throws(FeedError) -> Duration {
    do {
      let wait = try NativeCalls.feedBackoff(
        baseNanoseconds: base.countedNanoseconds, capNanoseconds: limit.countedNanoseconds, failures: failures,
        seed: seed)
      return .nanoseconds(Int64(clamping: wait))
    } catch {
      throw FeedError(error)
    }
  }
}

extension Duration {
  /// Nanoseconds; 0 for a negative time.
  var countedNanoseconds: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}

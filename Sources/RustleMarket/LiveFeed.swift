internal import RustleCore

/// The address of another process's feed, or of a server. It is checked when it is used.
public struct FeedAddress: Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text: `host:port`, `[::1]:port` or `unix:/path`.
  public let description: String

  /// Creates an address from its text: `host:port`, `tcp://host:port`, `[::1]:port` or `unix:/path`.
  public init(_ text: String) { description = text }

  /// ``init(_:)``.
  public init(stringLiteral text: String) { self.init(text) }

  /// The address of a host, by name or IP address, and a port, 1 to 65,535; 0, for a server: any free port.
  public static func tcp(_ host: String, port: Int) -> Self {
    Self(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
  }

  /// The address of a Unix domain socket, whose path has at most 103 bytes.
  public static func unix(_ path: String) -> Self { Self("unix:\(path)") }
}

/// A source at the other end of a socket: NDJSON, one JSON text per line, mapped to trades by ``schema``.
public struct LiveFeed: Sendable, Hashable {
  /// The wait before the next attempt to connect: random, uniformly distributed from 0 to a maximum that doubles with each
  /// consecutive failure.
  public struct Backoff: Sendable, Hashable {
    /// The maximum wait after the first failure, 1 ms to `limit`.
    public var base: Duration
    /// What the maximum wait grows to, at most one day.
    public var limit: Duration
    /// The duration after which a connection without trades is healthy; with the first trade it is at once. The loss of a
    /// healthy connection is a first failure.
    public var healthyAfter: Duration
    /// The number of consecutive failures, the first attempt's included, after which the feed ends as failed, 1 to
    /// 4,294,967,295; nil: no limit. With 1, a lost connection is not re-established.
    public var attemptLimit: Int?

    /// Creates a backoff; by default from 250 ms to 30 s, healthy after 10 s, without a limit of attempts.
    public init(
      base: Duration = .milliseconds(250), limit: Duration = .seconds(30), healthyAfter: Duration = .seconds(10),
      attemptLimit: Int? = nil
    ) {
      self.base = base
      self.limit = limit
      self.healthyAfter = healthyAfter
      self.attemptLimit = attemptLimit
    }
  }

  /// The address of the peer.
  public var address: FeedAddress
  /// Which member of a JSON message is which of a trade: `symbol=s,price=p,time=T:ms`; nil: `symbol`, `price`, `size`, `side`, `t_ms`.
  public var schema: String?
  /// The time limit for a connection to be established: 10 ms to a day.
  public var connectTimeout: Duration
  /// The silence after which the connection counts as lost, 10 ms to a day; any bytes are a heartbeat. nil: no limit.
  public var silenceLimit: Duration?
  /// The backoff between attempts.
  public var backoff: Backoff
  /// Whether the source's sequence numbers restart with each connection. Where they continue, trades missed without a connection
  /// are reported as ``Trade/sequenceGap``. Where they restart, the trades' numbers continue from the highest before.
  public var restartsNumbers: Bool
  /// Whether the feed sends the subscribed symbols to the peer, after each connection and each change.
  public var subscribes: Bool
  /// The token that the peer requires, 16 to 512 bytes of UTF-8, sent as the first line of each connection; nil: none. It is not
  /// encrypted on its way. `print` and `dump` do not show it.
  public var token: String? {
    get { secret?.text }
    set { secret = newValue.map(Secret.init) }
  }
  private var secret: Secret?

  /// Creates a source; by default 5 s to connect, 30 s of silence, sequence numbers that continue, and subscriptions.
  public init(
    _ address: FeedAddress, schema: String? = nil, connectTimeout: Duration = .seconds(5),
    silenceLimit: Duration? = .seconds(30), backoff: Backoff = Backoff(), restartsNumbers: Bool = false,
    subscribes: Bool = true, token: String? = nil
  ) {
    self.address = address
    self.schema = schema
    self.connectTimeout = connectTimeout
    self.silenceLimit = silenceLimit
    self.backoff = backoff
    self.restartsNumbers = restartsNumbers
    self.subscribes = subscribes
    secret = token.map(Secret.init)
  }

  var native: NativeLiveFeed {
    // The native side reads 0 as no limit: a silence limit of 0 is mapped to a value that it refuses.
    NativeLiveFeed(
      address: address.description, schema: schema ?? "", token: token ?? "",
      connectingNanoseconds: connectTimeout.countedNanoseconds,
      silenceNanoseconds: silenceLimit.map { max(1, $0.countedNanoseconds) } ?? 0,
      baseNanoseconds: backoff.base.countedNanoseconds, capNanoseconds: backoff.limit.countedNanoseconds,
      healthyNanoseconds: backoff.healthyAfter.countedNanoseconds, restartsNumbers: restartsNumbers,
      subscribes: subscribes, attempts: backoff.attemptLimit ?? 0)
  }
}

extension LiveFeed.Backoff {
  /// - Throws: ``FeedError/Code/valueOutOfRange``.
  package func checkAttemptLimit() throws(FeedError) {
    guard let attemptLimit, !(1...Int(UInt32.max)).contains(attemptLimit) else { return }
    throw FeedError(
      code: .valueOutOfRange, message: "attempt limit: expected 1 to \(UInt32.max), or no limit, got \(attemptLimit)")
  }

  /// Draws the backoff after this number of consecutive failures, 1 or more.
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
  /// Nanoseconds; 0 for a negative duration.
  var countedNanoseconds: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}

/// A text that neither `print` nor `dump` shows.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// What is shown in its place.
  static let mask = "(hidden)"

  let text: String

  var description: String { Self.mask }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension FeedServer.Access: CustomReflectable {
  /// The case, without the token.
  public var customMirror: Mirror {
    if case .token = self { return Mirror(self, children: ["token": Secret.mask], displayStyle: .enum) }
    return Mirror(self, children: [:], displayStyle: .enum)
  }
}

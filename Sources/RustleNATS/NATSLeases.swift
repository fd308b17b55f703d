#if NATS
public import RustleCore
public import RustleMarket

/// Leases in a bucket of NATS key-value, which is made unless there is one.
///
/// ```swift
/// let address = NATSAddress(servers: ["nats://127.0.0.1:4222"], prefix: "stage")
/// let leases = try NATSLeases(address)
/// let revision = try await leases.write("left", to: "1-400", replacing: 0)
/// ```
///
/// The connection is made by the first call, re-established when it is lost, and made anew when the server refused it. A bucket that is
/// gone is made again, and its revisions count from 1: until its time to live is over, a holder of before may have a higher token. A
/// call fails after a second without an answer.
public final class NATSLeases: LeaseStore {
  private let worker: Worker
  private let executor = BlockingExecutor("rustle.nats.leases")

  /// Creates a store; nothing is connected.
  ///
  /// - Parameters:
  ///   - address: the servers, and the bucket as the prefix: letters, digits, `-` and `_`.
  ///   - timeToLive: that of a bucket which is made, 1 s to an hour; a bucket that is there keeps its own.
  ///   - replicas: the number of servers that store the records of a bucket which is made: 1 to 5.
  /// - Throws: ``/RustleMarket/FeedError`` with `malformedAddress` or `valueOutOfRange`.
  public init(_ address: NATSAddress, timeToLive: Duration = .seconds(3), replicas: Int = 1) throws(FeedError) {
    try address.check()
    guard !address.prefix.contains(".") else {
      throw FeedError(
        code: .malformedAddress,
        message: "address: expected a bucket of letters, digits, - and _, got '\(address.prefix)'")
    }
    guard (.seconds(1) ... .seconds(3_600)).contains(timeToLive) else {
      throw FeedError(code: .valueOutOfRange, message: "time to live: expected 1 s to 1 h, got \(timeToLive)")
    }
    guard (1...5).contains(replicas) else {
      throw FeedError(code: .valueOutOfRange, message: "replicas: expected 1 to 5, got \(replicas)")
    }
    worker = Worker(address, timeToLive: timeToLive, replicas: replicas)
  }

  /// The bucket's.
  public var timeToLive: Duration {
    get async throws { try await withTaskExecutorPreference(executor) { try await worker.bucketTime() } }
  }

  /// Reads a record.
  public func record(of key: String) async throws -> LeaseRecord? {
    try await withTaskExecutorPreference(executor) { try await worker.record(of: key) }
  }

  /// Writes a record.
  public func write(_ text: String, to key: String, replacing revision: UInt64) async throws -> UInt64 {
    try await withTaskExecutorPreference(executor) { try await worker.write(text, to: key, replacing: revision) }
  }

  /// Makes calls that block: it needs a `BlockingExecutor`.
  private actor Worker {
    private static let patience = Duration.seconds(1)
    private static let reconnectWait = Duration.milliseconds(100)

    private let address: NATSAddress
    private let timeToLive: Duration
    private let replicas: Int
    private var connection: NATSConnection?
    private var reconnectWatch: ReconnectWatch
    private var open: NATSBucket?
    /// Until when none is made, after libnats closed one.
    private var waits: ContinuousClock.Instant?
    /// Why there is no connection, as far as is known.
    private var failure = NATSFailure("no server answers")

    init(_ address: NATSAddress, timeToLive: Duration, replicas: Int) {
      (self.address, self.timeToLive, self.replicas) = (address, timeToLive, replicas)
      reconnectWatch = ReconnectWatch(address, connectTimeout: Self.patience, wait: Self.reconnectWait)
    }

    func bucketTime() throws(NATSFailure) -> Duration { try bucket().timeToLive }

    private func bucket() throws(NATSFailure) -> NATSBucket {
      // Without a connection libnats keeps what is written, and sends it when it has one.
      if let open, connection?.state == .connected { return open }
      let connection = try connected()
      let bucket = try connection.bucket(
        named: address.prefix, timeToLive: timeToLive, replicas: replicas, patience: Self.patience)
      open = bucket
      return bucket
    }

    private func connected() throws(NATSFailure) -> NATSConnection {
      if let waits, .now < waits { throw failure }
      if connection == nil {
        connection = try NATSConnection(
          to: address, connectTimeout: Self.patience, pingInterval: Self.patience,
          reconnectWait: Self.reconnectWait)
      }
      if let connection, connection.state == .connected {
        failure = NATSFailure("no server answers")
        return connection
      }
      // Before its first refusal a new connection has none.
      let reason = connection?.lastFailure ?? ""
      if !reason.isEmpty { failure = NATSFailure(reason) }
      if let connection, reconnectWatch.isStuck(connection) {
        connection.leave()
        (open, self.connection) = (nil, nil)
      } else if connection?.state == .closed {
        // Refused twice in the same way: libnats does not try again.
        (open, connection, waits) = (nil, nil, .now + Self.patience)
      }
      throw failure
    }

    func record(of key: String) throws(NATSFailure) -> LeaseRecord? {
      try asking { (bucket) throws(NATSFailure) in try bucket.record(of: key) }
    }

    func write(_ text: String, to key: String, replacing revision: UInt64) throws(NATSFailure) -> UInt64 {
      try asking { (bucket) throws(NATSFailure) in try bucket.write(text, to: key, replacing: revision) }
    }

    private func asking<Answer>(_ ask: (NATSBucket) throws(NATSFailure) -> Answer) throws(NATSFailure) -> Answer {
      let bucket = try bucket()
      do throws(NATSFailure) { return try ask(bucket) } catch {
        // It may be gone, or another one by now: the next call looks for it.
        open = nil
        // What is not permitted is not answered.
        throw connection?.refusal ?? error
      }
    }
  }
}
#endif

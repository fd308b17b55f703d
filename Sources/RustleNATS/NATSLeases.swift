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
/// The connection is made by the first call, and re-established when it is lost. A call fails after a second without an answer.
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

    private let address: NATSAddress
    private let timeToLive: Duration
    private let replicas: Int
    private var connection: NATSConnection?
    private var open: NATSBucket?

    init(_ address: NATSAddress, timeToLive: Duration, replicas: Int) {
      (self.address, self.timeToLive, self.replicas) = (address, timeToLive, replicas)
    }

    func bucketTime() throws(NATSFailure) -> Duration { try bucket().timeToLive }

    private func bucket() throws(NATSFailure) -> NATSBucket {
      if let open { return open }
      if connection == nil {
        connection = try NATSConnection(
          to: address, connectTimeout: Self.patience, pingInterval: Self.patience,
          reconnectWait: .milliseconds(100))
      }
      guard let connection, connection.state == .connected else {
        let reason = connection?.lastFailure ?? ""
        throw NATSFailure(reason.isEmpty ? "no server answers" : reason)
      }
      let bucket = try connection.bucket(
        named: address.prefix, timeToLive: timeToLive, replicas: replicas, patience: Self.patience)
      open = bucket
      return bucket
    }

    func record(of key: String) throws(NATSFailure) -> LeaseRecord? { try bucket().record(of: key) }

    func write(_ text: String, to key: String, replacing revision: UInt64) throws(NATSFailure) -> UInt64 {
      try bucket().write(text, to: key, replacing: revision)
    }
  }
}
#endif

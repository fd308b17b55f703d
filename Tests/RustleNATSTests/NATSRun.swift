#if NATS
import RustleCore
import Testing

@testable import RustleNATS

/// What publishes and what reads in a test, with the trades.
enum NATSRun {
  static func price(_ number: UInt64) -> ExactDecimal { ExactDecimal(units: Int64(number), scale: 2) ?? .zero }

  static func trade(_ number: UInt64, of symbol: String = "A") -> Trade {
    Trade(
      symbol: symbol, price: price(number),
      time: Timestamp(nanosecondsSince1970: Int64(number) * 1_000_000), sequence: number)
  }

  static func trades(_ numbers: Range<UInt64>, of symbol: String = "A") -> [Trade] {
    numbers.map { trade($0, of: symbol) }
  }

  /// A feed that this test fills, and its publication.
  struct Source {
    let feed: MarketFeed
    let publication: NATSPublication

    init(_ publisher: NATSPublisher) async throws {
      feed = try MarketFeed(.external(ExternalFeed()))
      publication = try await feed.publish(on: publisher, policy: .lossless())
      try await feed.run()
    }

    /// Waits for a state of the publication's connection.
    func state(_ isWanted: @Sendable (FeedConnection) -> Bool) async {
      for await state in publication.connectionStates where isWanted(state) { return }
    }

    /// Waits for a connection, and kills its server.
    func loseConnection(to server: NATSServer) async {
      await state(NATSRun.isConnected)
      server.kill()
      await state(NATSRun.isLost)
    }

    func push(_ trades: [Trade]) async throws { #expect(try await feed.push(trades: trades)) }

    /// A count of the moment: what stands after `rustle_publication_` in its name.
    func value(_ name: String) -> Double {
      publication.metrics.first { $0.name == "rustle_publication_\(name)" }?.samples.first?.value ?? -1
    }

    /// The number of trades that were published or have failed.
    var handled: Double { value("published_total") + value("failed_total") }

    /// Ends it, once everything was published.
    func end() async throws -> NATSPublicationCounts {
      try await feed.report(.closed(reason: nil))
      let counts = await publication.counts
      await feed.shutDown()
      return counts
    }
  }

  /// A feed that this test fills, and its publication, in place of the program's own.
  struct Writer {
    let feed: MarketFeed
    let states: AsyncStream<FeedConnection>
    let progress = NATSPublication.Progress(notices: AsyncStream.makeStream(of: String.self).continuation)
    let writer: NATSWriter
    let counts: Task<NATSPublicationCounts, Never>

    init(
      _ publisher: NATSPublisher, lastPatience: Duration = NATSWriter.lastPatience,
      reconnectWatch: ReconnectWatch? = nil, onRound: @escaping @Sendable () -> Void = {}
    ) async throws {
      feed = try MarketFeed(.external(ExternalFeed()))
      let trades = try await feed.trades(of: .all, policy: .lossless())
      let (states, report) = AsyncStream.makeStream(of: FeedConnection.self)
      let writer = NATSWriter(
        publisher, report: report, progress: progress, lastPatience: lastPatience, reconnectWatch: reconnectWatch,
        onRound: onRound)
      (self.states, self.writer) = (states, writer)
      counts = Task(executorPreference: BlockingExecutor("rustle.test")) { await writer.publish(trades) }
      try await feed.run()
    }
  }

  /// A feed from a server.
  struct Reader {
    let feed: MarketFeed
    private let stream: EngineStream<Trade>
    private var iterator: EngineStream<Trade>.Iterator

    init(_ configuration: NATSFeed, of symbols: FeedSymbols = .all, policy: FeedPolicy = .buffered()) async throws {
      try await self.init(.nats(configuration), of: symbols, policy: policy)
    }

    init(_ configuration: FeedConfiguration, of symbols: FeedSymbols = .all, policy: FeedPolicy = .buffered())
      async throws
    {
      feed = try MarketFeed(configuration)
      stream = try await feed.trades(of: symbols, policy: policy)
      iterator = stream.makeAsyncIterator()
      try await feed.run()
    }

    mutating func next() async throws -> Trade {
      let element = try #require(await iterator.next())
      return try #require(element.value)
    }

    /// Waits for a state.
    func state(_ isWanted: @Sendable (FeedConnection) -> Bool) async throws {
      var last: FeedConnection?
      for await case .value(let state) in try await feed.connectionStates() {
        if isWanted(state) { return }
        last = state
      }
      Issue.record("expected a state, got the end after \(String(describing: last))")
    }
  }

  static func isLost(_ state: FeedConnection) -> Bool { if case .reconnecting = state { true } else { false } }
  static func isConnected(_ state: FeedConnection) -> Bool {
    if case .connected = state { true } else { false }
  }
}
#endif

#if NATS
import Foundation
import RustleNATS
import TestSupport
import Testing

/// Feeds over a real server. The tests wait for events only; nothing depends on their speed.
@Suite(.releasesNativeObjects) struct NATSFeedTests {
  private static func price(_ number: UInt64) -> ExactDecimal { ExactDecimal(units: Int64(number), scale: 2) ?? .zero }

  private static func trade(_ number: UInt64, of symbol: String = "A") -> Trade {
    Trade(
      symbol: symbol, price: price(number),
      time: Timestamp(nanosecondsSince1970: Int64(number) * 1_000_000), sequence: number)
  }

  private static func trades(_ numbers: Range<UInt64>, of symbol: String = "A") -> [Trade] {
    numbers.map { trade($0, of: symbol) }
  }

  /// A feed that this test fills, and its publication.
  private struct Source {
    let feed: MarketFeed
    let publication: NATSPublication

    init(_ publisher: NATSPublisher) async throws {
      feed = try MarketFeed(.external(ExternalFeed()))
      publication = try await feed.publish(on: publisher, policy: .lossless())
      try await feed.run()
    }

    func push(_ trades: [Trade]) async throws { #expect(try await feed.push(trades: trades)) }

    /// Ends it, once everything was published.
    func end() async throws -> NATSPublicationCounts {
      try await feed.report(.closed(reason: nil))
      let counts = await publication.counts
      await feed.shutDown()
      return counts
    }
  }

  /// A feed from a server.
  private struct Reader {
    let feed: MarketFeed
    private let stream: EngineStream<Trade>
    private var iterator: EngineStream<Trade>.Iterator

    init(_ configuration: NATSFeed, of symbols: FeedSymbols = .all, policy: FeedPolicy = .buffered()) async throws {
      feed = try MarketFeed(.nats(configuration))
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
      for await case .value(let state) in try await feed.connectionStates() where isWanted(state) { return }
      Issue.record("expected a state, got the end")
    }
  }

  private static func isLost(_ state: FeedConnection) -> Bool { if case .reconnecting = state { true } else { false } }
  private static func isConnected(_ state: FeedConnection) -> Bool {
    if case .connected = state { true } else { false }
  }

  @Test(arguments: ["A", "BRK.B", "*", ">", "50%", "Ω€", "BTC/USD"])
  func tradesOfEverySymbolArriveAsTheyWere(symbol: String) async throws {
    let server = try NATSServer()
    // Requested alone, and chosen from all.
    for (prefix, symbols) in [("a.b", FeedSymbols.only([symbol])), ("c", .all)] {
      let source = try await Source(NATSPublisher(server.address(prefix)))
      var reader = try await Reader(NATSFeed(server.address(prefix)), of: symbols)
      try await reader.state(Self.isConnected)
      try await source.push(Self.trades(0..<5, of: symbol))
      for trade in Self.trades(0..<5, of: symbol) { #expect(try await reader.next() == trade) }
      await reader.feed.shutDown()
      #expect(try await source.end().failed == 0)
    }
  }

  @Test func tradesWithoutNumbersAreNumbered() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address(), durable: .init()))
    let time = Timestamp(nanosecondsSince1970: 0)
    try await source.push((0..<3).map { Trade(symbol: "A", price: Self.price($0), time: time) })
    #expect(try await source.end().acknowledged == 3)
    var reader = try await Reader(NATSFeed(server.address(), replay: .all))
    for number in UInt64(1)...3 { #expect(try await reader.next().sequence == number) }
    await reader.feed.shutDown()
  }

  @Test func aStreamGivesWhatWasPublishedBefore() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address(), durable: .init()))
    try await source.push(Self.trades(0..<1_000) + Self.trades(0..<10, of: "B.C"))
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (1_010, 1_010, 0))
    var all = try await Reader(NATSFeed(server.address(), replay: .all))
    for trade in Self.trades(0..<1_000) { #expect(try await all.next() == trade) }
    var newest = try await Reader(NATSFeed(server.address(), replay: .lastPerSymbol))
    #expect(try await [newest.next(), newest.next()].map(\.sequence) == [999, 9])
    var since = try await Reader(
      NATSFeed(server.address(), replay: .from(Timestamp(nanosecondsSince1970: 0))), of: ["B.C"])
    #expect(try await since.next() == Self.trade(0, of: "B.C"))
    for reader in [all, newest, since] { await reader.feed.shutDown() }
  }

  @Test func twoPublishersOfTheSamePricesAreOneSource() async throws {
    let server = try NATSServer()
    for durable in [nil, NATSPublisher.Durable()] {
      let address = server.address(durable == nil ? "live" : "stored")
      let (one, other) = (
        try await Source(NATSPublisher(address, durable: durable)),
        try await Source(NATSPublisher(address, durable: durable))
      )
      var reader = try await Reader(NATSFeed(address, replay: durable == nil ? .live : .all))
      if durable == nil { try await reader.state(Self.isConnected) }
      // The second lags by more numbers than a feed remembers, and goes on when the first ends.
      try await one.push(Self.trades(0..<500))
      if durable == nil {
        for trade in Self.trades(0..<500) { #expect(try await reader.next() == trade) }
      }
      #expect(try await one.end().failed == 0)
      try await other.push(Self.trades(100..<700))
      if durable != nil {
        for trade in Self.trades(0..<500) { #expect(try await reader.next() == trade) }
      }
      for trade in Self.trades(500..<700) { #expect(try await reader.next() == trade) }
      #expect(try await reader.feed.counts.outOfOrder == 0)
      #expect(try await other.end().failed == 0)
      await reader.feed.shutDown()
    }
  }

  @Test func aHigherEpochNumbersAnew() async throws {
    let server = try NATSServer()
    let first = try await Source(NATSPublisher(server.address(), durable: .init()))
    try await first.push(Self.trades(0..<3))
    #expect(try await first.end().acknowledged == 3)
    let second = try await Source(NATSPublisher(server.address(), durable: .init(), epoch: 1))
    try await second.push(Self.trades(0..<2) + [Self.trade(4)])
    #expect(try await second.end().acknowledged == 3)
    var reader = try await Reader(NATSFeed(server.address(), replay: .all))
    var trades: [Trade] = []
    for _ in 0..<6 { trades.append(try await reader.next()) }
    #expect(trades.map(\.price.units) == [0, 1, 2, 0, 1, 4])
    #expect(trades.map(\.sequenceGap) == [0, 0, 0, 0, 0, 2])
    #expect(!trades.contains { $0.isOutOfOrder })
    // One that has not ended is reported, and adds nothing.
    let notices = try await reader.feed.notices()
    let late = try await Source(NATSPublisher(server.address(), durable: .init()))
    try await late.push([Self.trade(7)])
    #expect(try await late.end().acknowledged == 1)
    for await case .value(let notice) in notices where notice.text.contains("earlier epoch") { break }
    #expect(try await reader.feed.counts.trades == 6)
    await reader.feed.shutDown()
  }

  @Test func aServerThatDiesCostsAGapThatIsExact() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address()))
    var reader = try await Reader(NATSFeed(server.address(), reconnectWait: .milliseconds(10)))
    try await reader.state(Self.isConnected)
    try await source.push(Self.trades(0..<10))
    for trade in Self.trades(0..<10) { #expect(try await reader.next() == trade) }
    server.kill()
    try await reader.state(Self.isLost)
    try server.restart()
    try await reader.state(Self.isConnected)
    try await reader.state(Self.isConnected)
    // These were published by nobody.
    try await source.push(Self.trades(15..<16))
    let trade = try await reader.next()
    #expect((trade.sequence, trade.sequenceGap) == (15, 5))
    #expect(try await source.end().failed == 0)
    await reader.feed.shutDown()
  }

  @Test func aStreamIsReadOnAfterItsServerDied() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address(), durable: .init()))
    var reader = try await Reader(NATSFeed(server.address(), replay: .all, reconnectWait: .milliseconds(10)))
    try await source.push(Self.trades(0..<10))
    for trade in Self.trades(0..<10) { #expect(try await reader.next() == trade) }
    server.kill()
    try await reader.state(Self.isLost)
    // Published again until the server is back.
    try await source.push(Self.trades(10..<20))
    try server.restart()
    for trade in Self.trades(10..<20) { #expect(try await reader.next() == trade) }
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (20, 0))
    await reader.feed.shutDown()
  }

  @Test func aServerThatStopsIsNoticed() async throws {
    let server = try NATSServer()
    let reader = try await Reader(
      NATSFeed(server.address(), pingInterval: .milliseconds(100), reconnectWait: .milliseconds(10)))
    try await reader.state(Self.isConnected)
    server.signal(SIGSTOP)
    try await reader.state(Self.isLost)
    server.signal(SIGCONT)
    try await reader.state(Self.isConnected)
    await reader.feed.shutDown()
  }

  @Test func aReaderThatStallsIsToldItsLossExactly() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address()))
    var reader = try await Reader(NATSFeed(server.address(), pendingLimit: 16), policy: .lossless(capacity: 4))
    try await reader.state(Self.isConnected)
    let count: UInt64 = 20_000
    // Nobody reads meanwhile.
    for start in stride(from: 0, to: count, by: 1_000) { try await source.push(Self.trades(start..<start + 1_000)) }
    var (values, gaps): (UInt64, UInt64) = (0, 0)
    // The newest is published again for those who have missed it.
    while values + gaps < count {
      let trade = try await reader.next()
      values += 1
      gaps += trade.sequenceGap
    }
    #expect(values + gaps == count && gaps > 0)
    #expect(try await source.end().published >= count)
    await reader.feed.shutDown()
  }

  @Test func whatIsNotAcknowledgedIsReported() async throws {
    let server = try NATSServer()
    let publisher = NATSPublisher(server.address(), durable: .init(patience: .milliseconds(100)))
    let source = try await Source(publisher)
    for await state in source.publication.connectionStates where Self.isConnected(state) { break }
    try await source.push(Self.trades(0..<2))
    var acknowledged: [UInt64] = []
    var reader = try await Reader(NATSFeed(server.address(), replay: .all))
    for _ in 0..<2 { acknowledged.append(try await reader.next().sequence ?? .max) }
    #expect(acknowledged == [0, 1])
    await reader.feed.shutDown()
    server.kill()
    try await source.push(Self.trades(2..<5))
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (5, 2, 3))
    #expect(counts.reason != nil)
  }

  @Test func aCancelledFeedIsClosedAtTheServer() async throws {
    let server = try NATSServer()
    let source = try await Source(NATSPublisher(server.address()))
    for _ in 0..<20 {
      let reader = try await Reader(NATSFeed(server.address()))
      try await source.push(Self.trades(0..<100))
      await reader.feed.shutDown()
    }
    source.publication.cancel()
    _ = await source.publication.counts
    await source.feed.shutDown()
  }

  @Test func settingsOutOfRangeAreRefused() async throws {
    func code(_ change: (inout NATSFeed) -> Void) -> FeedError.Code? {
      var feed = NATSFeed(NATSAddress(servers: ["nats://127.0.0.1:9"], prefix: "a"))
      change(&feed)
      do throws(FeedError) {
        _ = try MarketFeed(.nats(feed))
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code { _ in } == nil)
    #expect(code { $0.address.prefix = "a b" } == .malformedAddress)
    #expect(code { $0.pingInterval = .zero } == .valueOutOfRange)
    #expect(code { $0.pendingLimit = 0 } == .capacityOutOfRange)
    #expect(code { $0.schema = "x" } == .malformedSchema)
    let feed = try MarketFeed(.external(ExternalFeed()))
    let address = NATSAddress(servers: ["nats://127.0.0.1:9"], prefix: "a")
    for publisher in [
      NATSPublisher(address, source: "a/b"), NATSPublisher(address, durable: .init(replicas: 6)),
      NATSPublisher(address, durable: .init(age: .zero)), NATSPublisher(address, durable: .init(tradesPerSymbol: 0)),
    ] {
      let error = await #expect(throws: FeedError.self) { try await feed.publish(on: publisher) }
      #expect(error?.code == .valueOutOfRange)
    }
    await feed.shutDown()
  }
}
#endif

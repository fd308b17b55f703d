#if NATS
import Foundation
import TestSupport
import Testing

@testable import RustleNATS

/// Feeds over a real server. The tests wait for events only; nothing depends on their speed.
@Suite(.releasesNativeObjects) struct NATSFeedTests {
  @Test(arguments: ["A", "BRK.B", "*", ">", "50%", "Ω€", "BTC/USD"])
  func tradesOfEverySymbolArriveAsTheyWere(symbol: String) async throws {
    let server = try NATSServer()
    // Requested alone, and chosen from all.
    for (prefix, symbols) in [("a.b", FeedSymbols.only([symbol])), ("c", .all)] {
      let source = try await NATSRun.Source(NATSPublisher(server.address(prefix)))
      var reader = try await NATSRun.Reader(NATSFeed(server.address(prefix)), of: symbols)
      try await reader.state(NATSRun.isConnected)
      try await source.push(NATSRun.trades(0..<5, of: symbol))
      for trade in NATSRun.trades(0..<5, of: symbol) { #expect(try await reader.next() == trade) }
      await reader.feed.shutDown()
      #expect(try await source.end().failed == 0)
    }
  }

  @Test func tradesWithoutNumbersAreNumbered() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    let time = Timestamp(nanosecondsSince1970: 0)
    try await source.push((0..<3).map { Trade(symbol: "A", price: NATSRun.price($0), time: time) })
    #expect(try await source.end().acknowledged == 3)
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    for number in UInt64(1)...3 { #expect(try await reader.next().sequence == number) }
    await reader.feed.shutDown()
  }

  @Test func aStreamGivesWhatWasPublishedBefore() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    try await source.push(NATSRun.trades(0..<1_000) + NATSRun.trades(0..<10, of: "B.C"))
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (1_010, 1_010, 0))
    var all = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    for trade in NATSRun.trades(0..<1_000) { #expect(try await all.next() == trade) }
    var newest = try await NATSRun.Reader(NATSFeed(server.address(), replay: .lastPerSymbol))
    #expect(try await [newest.next(), newest.next()].map(\.sequence) == [999, 9])
    var since = try await NATSRun.Reader(
      NATSFeed(server.address(), replay: .from(Timestamp(nanosecondsSince1970: 0))), of: ["B.C"])
    #expect(try await since.next() == NATSRun.trade(0, of: "B.C"))
    for reader in [all, newest, since] { await reader.feed.shutDown() }
  }

  @Test func twoPublishersOfTheSamePricesAreOneSource() async throws {
    let server = try NATSServer()
    for durable in [nil, NATSPublisher.Durable()] {
      let address = server.address(durable == nil ? "live" : "stored")
      let (one, other) = (
        try await NATSRun.Source(NATSPublisher(address, durable: durable)),
        try await NATSRun.Source(NATSPublisher(address, durable: durable))
      )
      var reader = try await NATSRun.Reader(NATSFeed(address, replay: durable == nil ? .live : .all))
      if durable == nil { try await reader.state(NATSRun.isConnected) }
      // The second lags by more numbers than a feed remembers, and goes on when the first ends.
      try await one.push(NATSRun.trades(0..<500))
      if durable == nil {
        for trade in NATSRun.trades(0..<500) { #expect(try await reader.next() == trade) }
      }
      #expect(try await one.end().failed == 0)
      try await other.push(NATSRun.trades(100..<700))
      if durable != nil {
        for trade in NATSRun.trades(0..<500) { #expect(try await reader.next() == trade) }
      }
      for trade in NATSRun.trades(500..<700) { #expect(try await reader.next() == trade) }
      #expect(try await reader.feed.counts.outOfOrder == 0)
      #expect(try await other.end().failed == 0)
      await reader.feed.shutDown()
    }
  }

  @Test func aHigherEpochNumbersAnew() async throws {
    let server = try NATSServer()
    let first = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    try await first.push(NATSRun.trades(0..<3))
    #expect(try await first.end().acknowledged == 3)
    let second = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init(), epoch: 1))
    try await second.push(NATSRun.trades(0..<2) + [NATSRun.trade(4)])
    #expect(try await second.end().acknowledged == 3)
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    var trades: [Trade] = []
    for _ in 0..<6 { trades.append(try await reader.next()) }
    #expect(trades.map(\.price.units) == [0, 1, 2, 0, 1, 4])
    #expect(trades.map(\.sequenceGap) == [0, 0, 0, 0, 0, 2])
    #expect(!trades.contains { $0.isOutOfOrder })
    // One that has not ended is reported, and adds nothing.
    let notices = try await reader.feed.notices()
    let late = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    try await late.push([NATSRun.trade(7)])
    #expect(try await late.end().acknowledged == 1)
    for await case .value(let notice) in notices where notice.text.contains("old epoch") {
      #expect(notice.text.contains("0/\(NATSRun.trade(7).symbol)/7\""), "\(notice.text)")
      break
    }
    #expect(try await reader.feed.counts.trades == 6)
    await reader.feed.shutDown()
  }

  @Test func aServerThatDiesCostsAGapThatIsExact() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), reconnectWait: .milliseconds(10)))
    try await reader.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<10))
    for trade in NATSRun.trades(0..<10) { #expect(try await reader.next() == trade) }
    // The server has confirmed them.
    while source.handled < 10 { await Task.yield() }
    server.kill()
    try await reader.state(NATSRun.isLost)
    try server.restart()
    try await reader.state(NATSRun.isConnected)
    try await reader.state(NATSRun.isConnected)
    // These were published by nobody.
    try await source.push(NATSRun.trades(15..<16))
    let trade = try await reader.next()
    #expect((trade.sequence, trade.sequenceGap) == (15, 5))
    #expect(try await source.end().failed == 0)
    await reader.feed.shutDown()
  }

  @Test func aStreamIsReadOnAfterItsServerDied() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address(), durable: .init()))
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all, reconnectWait: .milliseconds(10)))
    try await source.push(NATSRun.trades(0..<10))
    for trade in NATSRun.trades(0..<10) { #expect(try await reader.next() == trade) }
    server.kill()
    try await reader.state(NATSRun.isLost)
    // Published again until the server is back.
    try await source.push(NATSRun.trades(10..<20))
    try server.restart()
    for trade in NATSRun.trades(10..<20) { #expect(try await reader.next() == trade) }
    let counts = try await source.end()
    #expect((counts.acknowledged, counts.failed) == (20, 0))
    await reader.feed.shutDown()
  }

  @Test func aServerThatStopsIsNoticed() async throws {
    let server = try NATSServer()
    let reader = try await NATSRun.Reader(
      NATSFeed(server.address(), pingInterval: .milliseconds(100), reconnectWait: .milliseconds(10)))
    try await reader.state(NATSRun.isConnected)
    server.signal(SIGSTOP)
    try await reader.state(NATSRun.isLost)
    server.signal(SIGCONT)
    try await reader.state(NATSRun.isConnected)
    await reader.feed.shutDown()
  }

  @Test func aReaderThatStallsIsToldItsLossExactly() async throws {
    let server = try NATSServer()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), pendingLimit: 16), policy: .lossless(capacity: 4))
    try await reader.state(NATSRun.isConnected)
    let count: UInt64 = 20_000
    // Nobody reads meanwhile.
    for start in stride(from: 0, to: count, by: 1_000) { try await source.push(NATSRun.trades(start..<start + 1_000)) }
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

  /// A server may read what a publisher has sent on a connection that it has lost after what it sends on the next one.
  @Test func whatComesLateIsNotCountedTwice() async throws {
    let server = try NATSServer()
    let (live, stored) = (server.address("live"), server.address("stored"))
    let source = try await NATSRun.Source(NATSPublisher(stored, durable: .init()))
    try await source.push([NATSRun.trade(0)])
    #expect(try await source.end().acknowledged == 1)
    for (address, replay) in [(live, NATSFeed.Replay.live), (stored, .all)] {
      var reader = try await NATSRun.Reader(NATSFeed(address, replay: replay))
      try await reader.state(NATSRun.isConnected)
      let connection = try NATSConnection(
        to: address, connectTimeout: .seconds(5), pingInterval: .seconds(10), reconnectWait: .milliseconds(10))
      for number in [UInt64(0), 1, 5, 2, 3, 6, 4, 7] {
        try connection.publish(
          "{\"symbol\":\"A\",\"price\":1,\"seq\":\(number)}".utf8.map(\.self)[...], to: "\(address.prefix).q.A",
          id: Array("rustle/0/A/\(number)\0".utf8), reply: nil)
      }
      try connection.flush(within: .seconds(60))
      var (values, gaps): ([UInt64], [UInt64]) = ([], [])
      while values.last != 7 {
        let trade = try await reader.next()
        values.append(try #require(trade.sequence))
        gaps.append(trade.sequenceGap)
      }
      if replay == .live {
        #expect(values == [0, 1, 5, 6, 7] && gaps == [0, 0, 3, 0, 0])
        let counts = try await reader.feed.counts
        #expect((counts.dropped, counts.duplicates, counts.outOfOrder) == (3, 0, 0))
      } else {
        // It has acknowledged them.
        #expect(values == [0, 1, 5, 2, 3, 6, 4, 7] && gaps == [0, 0, 3, 0, 0, 0, 0, 0])
      }
      await reader.feed.shutDown()
    }
  }

  @Test func whatIsNotAcknowledgedIsReported() async throws {
    let server = try NATSServer()
    let publisher = NATSPublisher(server.address(), durable: .init(patience: .milliseconds(100)))
    let source = try await NATSRun.Source(publisher)
    await source.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<2))
    var acknowledged: [UInt64] = []
    var reader = try await NATSRun.Reader(NATSFeed(server.address(), replay: .all))
    for _ in 0..<2 { acknowledged.append(try await reader.next().sequence ?? .max) }
    #expect(acknowledged == [0, 1])
    await reader.feed.shutDown()
    server.kill()
    try await source.push(NATSRun.trades(2..<5))
    let counts = try await source.end()
    #expect((counts.published, counts.acknowledged, counts.failed) == (2, 2, 3))
    #expect(counts.reason != nil)
  }

  @Test func aCancelledFeedIsClosedAtTheServer() async throws {
    let server = try NATSServer("-m", "-1")
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    for _ in 0..<20 {
      let reader = try await NATSRun.Reader(NATSFeed(server.address()))
      try await reader.state(NATSRun.isConnected)
      try await source.push(NATSRun.trades(0..<100))
      #expect(try server.clients().compactMap(\.subscriptionsList) == [["prices.q.>"]])
      await reader.feed.shutDown()
      // The server reads the end of a connection when it does.
      let end = ContinuousClock.now + .seconds(20)
      while try server.clients().count > 1, ContinuousClock.now < end {}
      let left = try server.clients()
      #expect(left.count == 1 && left.allSatisfy { $0.subscriptionsList == nil })
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

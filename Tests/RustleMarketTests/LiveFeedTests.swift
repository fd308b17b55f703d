import Foundation
import RustleMarket
import RustleTesting
import TestSupport
import Testing

/// Feeds connected by local sockets. The tests wait for events only; the time of the served feed is the test's.
@Suite(.releasesNativeObjects) struct LiveFeedTests {
  private let backoff = LiveFeed.Backoff(base: .milliseconds(1), limit: .milliseconds(4))

  private func source(_ clock: ManualClock) throws -> MarketFeed {
    try MarketFeed(
      .simulated(SimulatedFeed(symbols: ["BTC", "\"odd\\"], updatesPerSecond: 10, seed: 7)), clock: clock)
  }

  private func client(of address: FeedAddress) throws -> MarketFeed {
    try MarketFeed(.live(LiveFeed(address, backoff: backoff)))
  }

  /// Waits until a server has a client.
  private func untilServing(_ server: FeedServer) async throws {
    guard try server.clients.isEmpty else { return }
    for await _ in server.changes where try !server.clients.isEmpty { return }
  }

  private func trades(_ count: Int, from iterator: inout EngineStream<Trade>.Iterator) async -> [Trade] {
    var trades: [Trade] = []
    while trades.count < count, let element = await iterator.next() {
      if case .value(let trade) = element { trades.append(trade) } else { Issue.record("expected no gap") }
    }
    return trades
  }

  private func states(
    _ iterator: inout EngineStream<FeedConnection>.Iterator, until isLast: (FeedConnection) -> Bool
  ) async -> [FeedConnection] {
    var states: [FeedConnection] = []
    while let state = await iterator.next()?.value {
      states.append(state)
      if isLast(state) { break }
    }
    return states
  }

  @Test func theFirstClientOfAServerOrItsEndIsWaitedFor() async throws {
    let folder = try ScratchFolder()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])))
    let server = try await feed.serve(on: .unix(folder.path("first")))
    async let first: Void = server.untilFirstClient()
    let other = try client(of: server.address)
    try await other.run()
    try await first
    #expect(try server.counts.accepted == 1)
    await other.shutDown()
    // A client that has connected and disconnected counts.
    try await server.untilFirstClient()
    let lonely = try await feed.serve(on: .unix(folder.path("lonely")))
    async let end: Void = lonely.untilFirstClient()
    await lonely.stop()
    try await end
    #expect(try lonely.counts.accepted == 0)
    await feed.shutDown()
  }

  @Test(arguments: [false, true]) func joinedFeedsGiveTheSameTrades(isUnix: Bool) async throws {
    let folder = try ScratchFolder()
    let clock = try ManualClock(start: .unixEpoch + .seconds(1_700_000_000))
    let feed = try source(clock)
    let path = folder.path("feed.socket")
    let server = try await feed.serve(on: isUnix ? .unix(path) : .tcp("127.0.0.1", port: 0))
    let other = try client(of: server.address)
    let (sent, received) = (try await feed.trades(), try await other.trades())
    #expect(try await other.connectionState == .idle)
    try await other.run()
    try await untilServing(server)
    try await feed.run()
    clock.advance(by: .seconds(60))
    var iterators = (sent.makeAsyncIterator(), received.makeAsyncIterator())
    let expected = await trades(1_200, from: &iterators.0)
    #expect(await trades(1_200, from: &iterators.1) == expected)
    #expect(expected.count == 1_200)
    #expect(try await other.connectionState == .connected(to: server.address.description))
    #expect(try await other.counts.sequenceNumbersInGaps == 0)
    #expect(try server.clients.map(\.number) == [0])
    #expect(try server.counts.trades >= 1_200 && server.counts.dropped == 0)
    await server.stop()
    #expect(try server.outcome == .cancelled && server.counts.clients == 0)
    await other.shutDown()
  }

  @Test func connectionThatIsLostIsMadeAgainAndWhatIsMissingIsReported() async throws {
    let clock = try ManualClock()
    let feed = try source(clock)
    var server = try await feed.serve(on: "127.0.0.1:0")
    let address = server.address
    let other = try client(of: address)
    let connection = try await other.connectionStates()
    var states = connection.makeAsyncIterator()
    let stream = try await other.trades()
    var received = stream.makeAsyncIterator()
    try await feed.run()
    try await other.run()
    /// Advances the feed's time, and returns the number of trades that it made.
    func pass(_ time: Duration) async throws -> UInt64 {
      let before = try await feed.counts.trades
      clock.advance(by: time)
      return try await feed.counts.trades - before
    }
    var last: [String: UInt64] = [:]
    var missed: UInt64 = 0
    for round in 0..<3 {
      try await untilServing(server)
      let made = await self.states(&states) { $0 == .connected(to: address.description) }
      if round > 0, case .reconnecting(_, let failures, let reason) = made.first {
        #expect(failures >= 1 && !reason.isEmpty)
      }
      #expect(round > 0 || made.first == .connecting(to: address.description, failures: 0))
      let count = try await pass(.seconds(1))
      for trade in await trades(Int(count), from: &received) {
        let number = try #require(trade.sequence)
        #expect(trade.sequenceGap == last[trade.symbol].map { number - $0 - 1 } ?? 0)
        last[trade.symbol] = number
      }
      #expect(try await other.counts.sequenceNumbersInGaps == missed)
      await server.stop()
      // No client receives these.
      missed += try await pass(.seconds(5))
      server = try await feed.serve(on: address)
    }
    #expect(try await other.counts.gaps == 4 && missed >= 300)
    await other.shutDown()
    await feed.shutDown()
    #expect(server.outcome == .cancelled, "a server ends with its feed")
  }

  @Test func subscriptionReachesThePeer() async throws {
    let clock = try ManualClock()
    let feed = try source(clock)
    let server = try await feed.serve(on: "127.0.0.1:0")
    let other = try client(of: server.address)
    let stream = try await other.trades(of: ["\"odd\\"])
    var received = stream.makeAsyncIterator()
    try await other.run()
    try await untilServing(server)
    try await feed.run()
    // A subscription arrives at some time: until it does, time advances.
    func untilWritten(_ symbols: UInt64) async throws {
      while let before = try server.clients.first?.statistics.produced {
        clock.advance(by: .milliseconds(100))
        if try server.clients.first?.statistics.produced == before + symbols { return }
        await Task.yield()
      }
      Issue.record("expected a client, got none")
    }
    try await untilWritten(1)
    #expect(await received.next()?.value?.symbol == "\"odd\\")
    try stream.subscribe(to: ["BTC"])
    try await untilWritten(2)
    try stream.unsubscribe(from: ["\"odd\\"])
    try await untilWritten(1)
    while let element = await received.next(), element.value?.symbol != "BTC" {}
    await other.shutDown()
    await feed.shutDown()
  }

  @Test func serverEndsWithItsLastReferenceItsTaskAndItsFeed() async throws {
    let clock = try ManualClock()
    let feed = try source(clock)
    var address = FeedAddress("")
    do {
      let server = try await feed.serve(on: "tcp://127.0.0.1:0")
      address = server.address
    }
    // The address is free again, some time after that.
    var again: FeedServer?
    while again == nil {
      do throws(FeedError) {
        again = try await feed.serve(on: address)
      } catch {
        try #require(error.code == .addressUnavailable && error.isRetryable)
        await Task.yield()
      }
    }
    let server = try #require(again)
    let task = Task { await server.untilOver() }
    task.cancel()
    await task.value
    #expect(server.outcome == .cancelled)
    let last = try await feed.serve(on: address)
    await feed.shutDown()
    #expect(last.outcome == .cancelled)
    var changes = last.changes.makeAsyncIterator()
    #expect(await changes.next() == nil)
  }

  @Test func serverAsksStrangersForItsToken() async throws {
    let token = "0123456789\"ä\"abcdef"
    let feed = try source(try ManualClock())
    func refusal(_ address: FeedAddress, _ access: FeedServer.Access) async -> FeedError? {
      do throws(FeedError) {
        await (try feed.serve(on: address, access: access)).stop()
        return nil
      } catch {
        return error
      }
    }
    #expect(await refusal("0.0.0.0:0", .local)?.code == .valueOutOfRange)
    #expect(await refusal("0.0.0.0:0", .anyone) == nil)
    for token in ["", "too short"] {
      #expect(await refusal("127.0.0.1:0", .token(token))?.code == .valueOutOfRange)
      #expect(throws: FeedError.self) { try MarketFeed(.live(LiveFeed("127.0.0.1:1", token: token))) }
    }
    let server = try await feed.serve(on: "127.0.0.1:0", access: .token(token))
    let stranger = try MarketFeed(.live(LiveFeed(server.address, backoff: backoff, token: "another token, as long")))
    try await stranger.run()
    let friend = try MarketFeed(.live(LiveFeed(server.address, backoff: backoff, token: token)))
    try await friend.run()
    try await untilServing(server)
    while try server.counts.refused < 2 { await Task.yield() }
    #expect(try server.counts.accepted == 1 && server.clients.count == 1)
    await friend.shutDown()
    await stranger.shutDown()
    await feed.shutDown()
  }

  @Test func feedWithoutAnAttemptLeftEndsWithTheReason() async throws {
    let folder = try ScratchFolder()
    var backoff = backoff
    backoff.attemptLimit = 2
    let feed = try MarketFeed(.live(LiveFeed(.unix(folder.path("nobody")), backoff: backoff)))
    let stream = try await feed.connectionStates()
    try await feed.run()
    var iterator = stream.makeAsyncIterator()
    let states = await states(&iterator) { if case .closed = $0 { true } else { false } }
    guard case .closed(let reason?)? = states.last else {
      Issue.record("expected an end with a reason, got \(states)")
      return
    }
    #expect(reason.hasPrefix("no attempt to connect is left after 2: unix:"))
    #expect(states.dropLast().count { if case .reconnecting = $0 { true } else { false } } == 1)
  }

  @Test func refusalsOfAddressesAndTimesAreTyped() async throws {
    func code(_ configuration: FeedConfiguration) -> FeedError.Code? {
      do throws(FeedError) {
        _ = try MarketFeed(configuration)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(.live(LiveFeed("localhost"))) == .malformedAddress)
    #expect(code(.live(LiveFeed(.tcp("::1", port: 70_000)))) == .malformedAddress)
    #expect(code(.live(LiveFeed(.tcp("::1", port: 7_000), schema: "s"))) == .malformedSchema)
    #expect(code(.live(LiveFeed("localhost:1", silenceLimit: .zero))) == .valueOutOfRange)
    #expect(code(.live(LiveFeed("localhost:1", connectTimeout: .seconds(-1)))) == .valueOutOfRange)
    let short = LiveFeed.Backoff(base: .seconds(2), limit: .seconds(1))
    #expect(code(.live(LiveFeed("localhost:1", backoff: short))) == .valueOutOfRange)
    for limit in [-1, 0, 1 << 32] {
      #expect(code(.live(LiveFeed("localhost:1", backoff: .init(attemptLimit: limit)))) == .valueOutOfRange)
    }
    let feed = try source(try ManualClock())
    for (address, expected) in [("x", FeedError.Code.malformedAddress), ("unix:/no/such/folder", .addressUnavailable)] {
      do throws(FeedError) {
        _ = try await feed.serve(on: FeedAddress(address))
        Issue.record("expected a refusal, got a server")
      } catch {
        #expect(error.code == expected)
      }
    }
    do throws(FeedError) {
      try await feed.push([])
      Issue.record("expected a refusal, got none")
    } catch {
      #expect(error.code == .wrongSource)
    }
  }
}

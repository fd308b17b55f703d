import RustleMarket
import RustleTesting
import Testing
import TestSupport

/// A feed that its host fills.
@Suite(.releasesNativeObjects) struct PushedFeedTests {
  private func line(_ number: Int) -> String {
    "{\"symbol\":\"A\",\"price\":\(number).50,\"t_ms\":\(number),\"seq\":\(number)}\n"
  }

  @Test func messagesOfTheHostBecomeQuotesAndItsConnectionIsTold() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.pushed(PushedFeed()), clock: clock)
    let stream = try await feed.quotes()
    let connection = try await feed.connectionStates()
    try await feed.run()
    clock.advance(by: .zero)
    let told: [FeedConnection] = [
      .connecting(to: "wss://here", failures: 0), .connected(to: "wss://here"),
      .reconnecting(after: .milliseconds(250), failures: 1, reason: "reset by peer"), .connected(to: "wss://here"),
    ]
    try await feed.tell(.idle)
    try await feed.tell(told[0])
    try await feed.tell(told[1])
    #expect(try await feed.push(message: "{\"symbol\":\"A\",\n\"price\":0.50,\r\n\"t_ms\":0,\"seq\":0}"))
    #expect(try await feed.push(Array(line(1).utf8.prefix(20))) == 20)
    try await feed.tell(told[2])
    try await feed.tell(told[3])
    #expect(await feed.connectionState == told[3])
    #expect(try await feed.push(message: line(4)))
    try await feed.tell(.closed(reason: "no more"))
    clock.advance(by: .zero)
    var quotes: [Quote] = []
    for await case .value(let quote) in stream { quotes.append(quote) }
    #expect(quotes.map(\.price.description) == ["0.50", "4.50"])
    #expect(quotes.map(\.skipped) == [0, 3])
    #expect(stream.outcome == .failed("no more"))
    var states: [FeedConnection] = []
    for await case .value(let state) in connection { states.append(state) }
    #expect(states == told + [.closed(reason: "no more")])
    do throws(FeedError) {
      try await feed.push([1])
      Issue.record("expected a refusal, got none")
    } catch {
      #expect(error.code == .ended)
    }
  }

  @Test func slowConsumerThatIsWaitedForHoldsTheHostUp() async throws {
    let feed = try MarketFeed(.pushed(PushedFeed()))
    let stream = try await feed.quotes(policy: .awaited(capacity: 16))
    // Also before it runs.
    let bytes = Array((0..<2_000).map(line).joined().utf8)
    async let taken = feed.push(bytes)
    try await feed.run()
    var sequences: [UInt64?] = []
    var iterator = stream.makeAsyncIterator()
    while sequences.count < 2_000, let element = await iterator.next() {
      sequences.append(try #require(element.value).sequence)
    }
    #expect(sequences == (0..<2_000).map { $0 })
    #expect(try await taken == bytes.count)
    #expect(stream.statistics.dropped == 0)
    await feed.shutDown()
  }

  @Test func hostThatWaitsForRoomIsLetGo() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.pushed(PushedFeed()), clock: clock)
    let stream = try await feed.quotes(policy: .awaited(capacity: 1))
    try await feed.run()
    clock.advance(by: .zero)
    let bytes = Array((0..<1_000).map(line).joined().utf8)
    let waiting = Task { try await feed.push(bytes) }
    waiting.cancel()
    #expect(try await waiting.value < bytes.count, "by its task")
    let other = Task { try await feed.push(bytes) }
    // The end of the feed comes before, while or after it waits.
    await feed.shutDown()
    let result = await other.result
    switch result {
    // Once the consumer is gone nobody is waited for.
    case .success(let taken): #expect(taken == 0 || taken == bytes.count)
    case .failure(let error): #expect([.ended, .shutDown].contains((error as? FeedError)?.code))
    }
    _ = stream
  }
}

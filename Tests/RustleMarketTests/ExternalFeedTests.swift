import RustleTesting
import TestSupport
import Testing

@testable import RustleMarket

/// A feed that its host fills.
@Suite(.releasesNativeObjects) struct ExternalFeedTests {
  private func line(_ number: Int) -> String {
    "{\"symbol\":\"A\",\"price\":\(number).50,\"t_ms\":\(number),\"seq\":\(number)}\n"
  }

  @Test func messagesOfTheHostBecomeTradesAndItsConnectionIsReported() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.external(ExternalFeed()), clock: clock)
    let stream = try await feed.trades()
    let connection = try await feed.connectionStates()
    try await feed.run()
    clock.advance(by: .zero)
    let reported: [FeedConnection] = [
      .connecting(to: "wss://here", failures: 0), .connected(to: "wss://here"),
      .reconnecting(after: .milliseconds(250), failures: 1, reason: "reset by peer"), .connected(to: "wss://here"),
    ]
    try await feed.report(.idle)
    try await feed.report(reported[0])
    try await feed.report(reported[1])
    #expect(try await feed.push(message: "{\"symbol\":\"A\",\n\"price\":0.50,\r\n\"t_ms\":0,\"seq\":0}"))
    #expect(try await feed.push(Array(line(1).utf8.prefix(20))) == 20)
    try await feed.report(reported[2])
    try await feed.report(reported[3])
    #expect(try await feed.connectionState == reported[3])
    #expect(try await feed.push(message: line(4)))
    try await feed.report(.closed(reason: "no more"))
    clock.advance(by: .zero)
    var trades: [Trade] = []
    for await case .value(let trade) in stream { trades.append(trade) }
    #expect(trades.map(\.price.description) == ["0.50", "4.50"])
    #expect(trades.map(\.sequenceGap) == [0, 3])
    #expect(stream.outcome == .failed("no more"))
    var states: [FeedConnection] = []
    for await case .value(let state) in connection { states.append(state) }
    #expect(states == reported + [.closed(reason: "no more")])
    do throws(FeedError) {
      try await feed.push([1])
      Issue.record("expected a refusal, got none")
    } catch {
      #expect(error.code == .ended)
    }
  }

  @Test func tradesOfTheHostAreThoseOfTheConsumer() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.external(ExternalFeed()), clock: clock)
    let stream = try await feed.trades()
    try await feed.run()
    let price = try #require(ExactDecimal("-1.50"))
    let pushed = [
      Trade(symbol: "A\"\\é", price: price, size: 3, time: .unixEpoch - .nanoseconds(1), sequence: 7),
      Trade(symbol: "B", price: 2, time: .unixEpoch + .nanoseconds(1_000_001)),
    ]
    #expect(try await feed.push(trades: pushed))
    try await feed.report(.closed(reason: nil))
    clock.advance(by: .zero)
    var trades: [Trade] = []
    for await case .value(let trade) in stream { trades.append(trade) }
    #expect(trades == pushed && trades.first?.price.description == "-1.50")
  }

  @Test(arguments: [
    FeedConfiguration.external(ExternalFeed(format: .csv)), .external(ExternalFeed(schema: "symbol=s,price=p")),
    .simulated(SimulatedFeed(symbols: ["A"])),
  ]) func tradesAreNotPushedToAnotherSource(configuration: FeedConfiguration) async throws {
    let feed = try MarketFeed(configuration)
    let error = await #expect(throws: FeedError.self) { try await feed.push(trades: []) }
    #expect(error?.code == .wrongSource)
  }

  @Test func slowConsumerThatIsWaitedForHoldsTheHostUp() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let stream = try await feed.trades(policy: .lossless(capacity: 16))
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
    let feed = try MarketFeed(.external(ExternalFeed()), clock: clock)
    let stream = try await feed.trades(policy: .lossless(capacity: 1))
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
    // Once the consumer is gone, the host does not wait.
    case .success(let taken): #expect(taken == 0 || taken == bytes.count)
    case .failure(let error): #expect([.ended, .shutDown].contains((error as? FeedError)?.code))
    }
    _ = stream
  }

  @Test func pushesBesideEachOtherMixTheirBytes() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let stream = try await feed.trades(policy: .lossless(capacity: 4))
    let pieces = (0..<4).map { task in Array((0..<1_000).map { line(1_000 * task + $0) }.joined().utf8) }
    let hosts = pieces.map { bytes in Task { try await feed.push(bytes) } }
    try await feed.run()
    let closing = Task {
      for (host, bytes) in zip(hosts, pieces) { #expect(try await host.value == bytes.count) }
      try await feed.report(.closed(reason: nil))
    }
    var sequences: [UInt64] = []
    for await element in stream { if let number = element.value?.sequence { sequences.append(number) } }
    try await closing.value
    try #require(sequences.count == 4_000)
    // Each as a whole, in either order.
    for start in stride(from: 0, to: sequences.count, by: 1_000) {
      let first = sequences[start]
      #expect(first.isMultiple(of: 1_000))
      #expect(Array(sequences[start..<(start + 1_000)]) == Array(first..<(first + 1_000)))
    }
    #expect(try await feed.counts.malformed == 0)
    await feed.shutDown()
  }

  @Test func pushThatIsCancelledStrandsTheOthers() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let stream = try await feed.trades(policy: .lossless(capacity: 1))
    // Before the feed runs a push has its turn and waits.
    let writer = await feed.writer
    let hosts = (0..<3).map { task in
      Task { () throws(FeedError) -> Int in try await writer.push(Array(self.line(task).utf8)) }
    }
    while writer.turns.waitingCount < 2 { await Task.yield() }
    // One that waits for its turn and one that has it are cancelled; the last proceeds.
    hosts[0].cancel()
    hosts[1].cancel()
    #expect(try await hosts[0].value == 0)
    #expect(try await hosts[1].value == 0)
    #expect(writer.turns.waitingCount == 0)
    try await feed.run()
    #expect(try await hosts[2].value == line(2).utf8.count)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.value?.sequence == 2)
    await feed.shutDown()
  }

  @Test func hostFollowsWhatIsWanted() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    var demands = try await feed.subscriptionChanges().makeAsyncIterator()
    #expect(await demands.next() == FeedSubscription(isAll: false, symbols: []))
    let some = try await feed.trades(of: ["B", "A"])
    #expect(await demands.next() == FeedSubscription(isAll: false, symbols: ["A", "B"]))
    try some.subscribe(to: ["C"])
    #expect(await demands.next() == FeedSubscription(isAll: false, symbols: ["A", "B", "C"]))
    try some.subscribe(to: ["A"])
    try some.unsubscribe(from: ["B"])
    #expect(
      await demands.next() == FeedSubscription(isAll: false, symbols: ["A", "C"]), "a known symbol changes nothing"
    )
    do {
      let all = try await feed.trades()
      #expect(await demands.next() == FeedSubscription(isAll: true, symbols: ["A", "C"]))
      _ = all
    }
    #expect(await demands.next() == FeedSubscription(isAll: false, symbols: ["A", "C"]))
    #expect(try await feed.subscription.symbols == ["A", "C"])
    await feed.shutDown()
    // The remaining change comes before the end.
    while await demands.next() != nil {}
    do throws(FeedError) {
      _ = try await feed.subscriptionChanges()
      Issue.record("expected a refusal, got subscriptions")
    } catch {
      #expect(error.code == .shutDown)
    }
  }

  @Test func messagesHaveTheLengthThatWasSaid() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.external(ExternalFeed(messageLimit: 80)), clock: clock)
    let stream = try await feed.trades()
    try await feed.run()
    clock.advance(by: .zero)
    try await feed.push(message: line(0))
    try await feed.push(message: String(repeating: " ", count: 81) + line(1))
    try await feed.push(message: line(2))
    try await feed.report(.closed(reason: nil))
    clock.advance(by: .zero)
    var sequences: [UInt64?] = []
    for await case .value(let trade) in stream { sequences.append(trade.sequence) }
    #expect(sequences == [0, 2])
    #expect(try await feed.counts.oversized == 1)
    for limit in [-1, 0, 16_777_217] {
      do throws(FeedError) {
        _ = try MarketFeed(.external(ExternalFeed(messageLimit: limit)))
        Issue.record("expected a refusal, got a feed")
      } catch {
        #expect(error.code == .capacityOutOfRange)
      }
    }
  }
}

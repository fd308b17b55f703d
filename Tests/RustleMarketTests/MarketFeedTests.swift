import Foundation
import RustleMarket
import RustleTesting
import TestSupport
import Testing

/// A feed and its consumers, on a clock that the test advances.
@Suite(.releasesNativeObjects) struct MarketFeedTests {
  private func values<Value>(_ stream: EngineStream<Value>) async -> [Value] {
    var values: [Value] = []
    for await case .value(let value) in stream { values.append(value) }
    return values
  }

  private func elements<Value>(_ stream: EngineStream<Value>) async -> [StreamElement<Value>] {
    var elements: [StreamElement<Value>] = []
    for await element in stream { elements.append(element) }
    return elements
  }

  private func line(_ symbol: String, _ price: String, _ milliseconds: Int, _ number: Int) -> String {
    "{\"v\":1,\"symbol\":\"\(symbol)\",\"price\":\(price),\"t_ms\":\(milliseconds),\"seq\":\(number)}\n"
  }

  @Test func consumersOfOneSourceEachHaveTheirPolicy() async throws {
    let clock = try ManualClock(start: .unixEpoch + .seconds(1))
    let price = try #require(ExactDecimal("65000.10"))
    let feed = try MarketFeed(
      .simulated(
        SimulatedFeed(
          symbols: ["BTC", "ETH"], seed: 7, updateLimit: 10,
          model: .brownian([BrownianMotion(price: price, volatility: 0)]))),
      clock: clock)
    let all = try await feed.trades()
    let latest = try await feed.trades(policy: .conflated)
    let one = try await feed.trades(of: ["ETH"])
    let few = try await feed.trades(policy: .buffered(capacity: 3))
    clock.advance(by: .seconds(1))
    try await feed.run()
    try await feed.run()
    clock.advance(by: .seconds(60))
    let trades = await values(all)
    #expect(trades.map(\.symbol) == Array(repeating: ["BTC", "ETH"], count: 5).flatMap { $0 })
    #expect(trades.map(\.sequence) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    #expect(trades.first?.price.description == "65000.10")
    #expect(trades.first?.time == .unixEpoch + .seconds(2))
    #expect(all.outcome == .ended)
    #expect(await elements(latest) == [.gap(4), .value(trades[8]), .gap(4), .value(trades[9])])
    #expect(await values(one) == trades.filter { $0.symbol == "ETH" })
    #expect(await elements(few) == [.gap(7)] + trades.suffix(3).map { .value($0) })
    #expect(few.statistics == StreamStatistics(produced: 10, delivered: 3, dropped: 7))
    #expect(try await feed.counts.trades == 10)
    #expect(await feed.liveStreamCount == 0)
    #expect(await values(try await feed.trades()) == [], "a stream of a feed that has ended ends at once")
  }

  @Test func subscriptionChangesWhileTheStreamIsRead() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A", "B", "C"], updatesPerSecond: 1)), clock: clock)
    let stream = try await feed.trades(of: ["A", "LATER"])
    try await feed.run()
    clock.advance(by: .milliseconds(999))
    try stream.subscribe(to: ["C"])
    try stream.unsubscribe(from: ["A", "NEVER"])
    clock.advance(by: .seconds(1))
    #expect(throws: FeedError.self) { try stream.subscribe(to: ["B", "B"]) }
    try stream.subscribe(to: ["B"])
    clock.advance(by: .seconds(1))
    await feed.cancel()
    #expect(await values(stream).map(\.symbol) == ["A", "C", "B", "C"])
    do throws(FeedError) {
      try stream.subscribe(to: ["A"])
      Issue.record("expected a refusal, got none")
    } catch {
      #expect(error.code == .ended)
    }
  }

  @Test func whatTheEndGivesIsWaitedForOrReported() async throws {
    let folder = try ScratchFolder()
    let text = (0..<20).map { line("S\($0)", "1.5", 0, $0) }.joined()
    let path = try folder.write(Data(text.utf8), as: "prices.ndjson")
    let clock = try ManualClock()
    let feed = try MarketFeed(.replay(ReplayFeed(path: path, pace: .asFastAsPossible)), clock: clock)
    let awaited = try await feed.candles(every: .seconds(1), policy: .lossless(capacity: 16))
    let newest = FeedPolicy.buffered(capacity: 16, overflow: .dropNewest)
    let lossy = try await feed.candles(every: .seconds(1), policy: newest)
    let batched = try await feed.candles(every: .seconds(1), policy: newest)
    try await feed.run()
    clock.advance(by: .seconds(1))
    let all = await values(awaited)
    #expect(all.map(\.symbol) == (0..<20).map { "S\($0)" })
    let expected = all.prefix(16).map { StreamElement.value($0) } + [.gap(4)]
    #expect(await elements(lossy) == expected)
    var batches: [[StreamElement<Candle>]] = []
    for await batch in batched.batches(upTo: 10) { batches.append(batch) }
    #expect(batches.map(\.count) == [10, 6, 1])
    #expect(batches.flatMap { $0 } == expected)
  }

  @Test func tradesThatAFullWindowDroppedAreCounted() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(
      .simulated(SimulatedFeed(symbols: ["A"], updatesPerSecond: 10_000_000, seed: 7, updateLimit: 1_048_576 + 3)),
      clock: clock)
    let stream = try await feed.statistics(over: .seconds(3_600))
    try await feed.run()
    clock.advance(by: .seconds(1))
    #expect(await values(stream).map(\.tradeCount) == [1_048_576])
    #expect(try stream.evictedTradeCount == 3 && stream.lateTradeCount == 0)
  }

  @Test func recordingGivesTradesCandlesStatisticsAlertsAndNotices() async throws {
    let folder = try ScratchFolder()
    let text =
      line("A", "10.00", 0, 0) + line("A", "12.50", 500, 1) + "nonsense\n" + line("B", "0.5", 900, 0)
      + line("A", "9.75", 1_500, 4)
    let path = try folder.write(Data(text.utf8), as: "prices.ndjson")
    let clock = try ManualClock()
    let feed = try MarketFeed(.replay(ReplayFeed(path: path, pace: .asFastAsPossible)), clock: clock)
    let trades = try await feed.trades(policy: .lossless(capacity: 1))
    let candles = try await feed.candles(every: .seconds(1))
    let statistics = try await feed.statistics(of: ["A"], over: .seconds(10), policy: .buffered())
    let level = try #require(ExactDecimal("12.5"))
    let threshold = PriceThreshold(symbol: "A", .above, level)
    let alerts = try await feed.alerts(at: [PriceThreshold(symbol: "B", .below, .zero), threshold])
    let notices = try await feed.notices()
    try await feed.run()
    var read: [Trade] = []
    var iterator = trades.makeAsyncIterator()
    while read.count < 4 {
      clock.advance(by: .milliseconds(1))
      if let trade = await iterator.next()?.value { read.append(trade) }
    }
    clock.advance(by: .milliseconds(1))
    #expect(await iterator.next() == nil)
    #expect(read.map(\.price.description) == ["10.00", "12.50", "0.5", "9.75"])
    #expect(read.map(\.symbol) == ["A", "A", "B", "A"])
    #expect(read.map(\.sequenceGap) == [0, 0, 0, 2])
    #expect(trades.statistics == StreamStatistics(produced: 4, delivered: 4, dropped: 0))
    let made = await values(candles)
    #expect(made.map(\.symbol).sorted() == ["A", "A", "B"])
    let first = try #require(made.first { $0.symbol == "A" && $0.start == .unixEpoch })
    let prices = [first.open, first.high, first.low, first.close].map(\.description)
    #expect(prices == ["10.00", "12.50", "10.00", "12.50"])
    #expect(first.tradeCount == 2 && first.volume == 0 && first.exactVolume == .zero)
    #expect(try candles.lateTradeCount == 0)
    let counted = await values(statistics)
    #expect(counted.map(\.tradeCount) == [1, 2, 3])
    #expect(counted.last?.mean == 10.75 && counted.last?.change == -0.25 && counted.last?.lowest.description == "9.75")
    let fired = await values(alerts)
    #expect(fired.map(\.index) == [1] && fired.first?.threshold == threshold && fired.first?.price == level)
    let reported = await values(notices)
    #expect(reported.map(\.kind) == [.malformed(message: 2), .closed])
    #expect(reported.first?.text.isEmpty == false)
    let counts = try await feed.counts
    #expect(counts.messages == 5 && counts.trades == 4 && counts.malformed == 1 && counts.gaps == 1)
    #expect(counts.sequenceNumbersInGaps == 2 && counts.bytes == UInt64(text.utf8.count))
  }

  @Test func recordingIsPlayedAtItsPaceFromATimeAndAgain() async throws {
    let folder = try ScratchFolder()
    let text = (0..<4).map { line("A", "\($0)", 1_000 * $0, $0) }.joined()
    let path = try folder.write(Data(text.utf8), as: "prices.recording")
    let clock = try ManualClock()
    let feed = try MarketFeed(
      .replay(
        ReplayFeed(
          path: path, format: .ndjson, pace: .speed(2), repeats: true, from: .unixEpoch + .seconds(2))),
      clock: clock)
    let stream = try await feed.trades()
    try await feed.run()
    clock.advance(by: .milliseconds(1_499))
    await feed.cancel()
    let trades = await values(stream)
    #expect(trades.map(\.sequence) == [2, 3, 4])
    #expect(trades.map { $0.time - .unixEpoch } == [.seconds(2), .seconds(3), .seconds(4)])
  }

  @Test func strictReplayEndsAtItsFirstMalformedMessage() async throws {
    let folder = try ScratchFolder()
    let text = (0..<5).map { line("A", "\($0)", 1_000 * $0, $0) }.joined() + "no JSON\n" + line("A", "6", 6_000, 6)
    let path = try folder.write(Data(text.utf8), as: "prices.ndjson")
    for isStrict in [true, false] {
      let clock = try ManualClock()
      let feed = try MarketFeed(
        .replay(
          ReplayFeed(
            path: path, pace: .asFastAsPossible, from: .unixEpoch + .seconds(1), to: .unixEpoch + .seconds(4),
            isStrict: isStrict)),
        clock: clock)
      let stream = try await feed.trades()
      try await feed.run()
      clock.advance(by: .milliseconds(1))
      #expect(await values(stream).map(\.sequence) == [1, 2, 3])
      guard case .closed(let reason) = try await feed.connectionState else {
        Issue.record("expected the end of the feed")
        return
      }
      #expect(reason?.hasPrefix("message 6: ") == (isStrict ? true : nil))
      #expect(try await feed.counts.malformed == 1)
    }
  }

  @Test func fileIsReadByItsSchema() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("when,name,last,amount\n7,Ω,1.50,3\n8,Ω,1.5,0.25\n".utf8), as: "prices.csv")
    let clock = try ManualClock()
    let feed = try MarketFeed(
      .replay(
        ReplayFeed(path: path, schema: "symbol=name,price=last,size=amount,time=when:s", pace: .asFastAsPossible)),
      clock: clock)
    let stream = try await feed.trades()
    try await feed.run()
    clock.advance(by: .milliseconds(1))
    let trades = await values(stream)
    #expect(trades.map(\.symbol) == ["Ω", "Ω"])
    #expect(trades.map(\.price.description) == ["1.50", "1.5"])
    #expect(trades.map(\.size.description) == ["3", "0.25"])
    #expect(trades.map(\.sequence) == [nil, nil])
    #expect(trades.map { $0.time - .unixEpoch } == [.seconds(7), .seconds(8)])
  }

  @Test func samplesComeAtEvenDistances() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"], updatesPerSecond: 10)), clock: clock)
    let stream = try await feed.trades(policy: .sampled(every: .milliseconds(500)))
    clock.advance(by: .zero)
    try await feed.run()
    clock.advance(by: .milliseconds(450))
    var iterator = stream.makeAsyncIterator()
    clock.advance(by: .milliseconds(50))
    let gap = await iterator.next()
    let newest = await iterator.next()?.value
    #expect(gap == .gap(newest?.sequence ?? 0))
    #expect([4, 5].contains(newest?.sequence))
    await feed.shutDown()
    #expect(stream.outcome == .cancelled)
  }

  @Test func droppingTheFeedEndsItsStreams() async throws {
    var feed: MarketFeed? = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])))
    let streams = [try #require(await feed?.trades()), try #require(await feed?.trades(policy: .conflated))]
    try await feed?.run()
    feed = nil
    for stream in streams { for await _ in stream {} }
  }

  @Test func namesAreKnownAfterTheFeedIsGone() async throws {
    let clock = try ManualClock()
    var feed: MarketFeed? = try MarketFeed(
      .simulated(SimulatedFeed(symbols: ["BTC", "ETH"], updateLimit: 2)), clock: clock)
    let stream = try #require(await feed?.trades())
    try await feed?.run()
    clock.advance(by: .seconds(1))
    feed = nil
    #expect(await values(stream).map(\.symbol) == ["BTC", "ETH"])
  }
}

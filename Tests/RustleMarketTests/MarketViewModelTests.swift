import Foundation
@testable import RustleMarket
import RustleTesting
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct MarketViewModelTests {
  private func finish(_ model: MarketViewModel) async {
    while model.isRunning { await Task.yield() }
    // The feed is shut down by then.
    await model.stop()
  }

  private func line(_ symbol: String, _ price: String, _ milliseconds: Int) -> String {
    "{\"symbol\":\"\(symbol)\",\"price\":\(price),\"t_ms\":\(milliseconds)}\n"
  }

  @Test func whatARecordingReportsIsShownAndStays() async throws {
    let folder = try ScratchFolder()
    let text =
      line("A", "10.00", 0) + line("A", "12.50", 500) + "nonsense\n" + line("B", "0.5", 900) + line("A", "9.75", 1_500)
      + line("A", "15.00", 2_500)
    let path = try folder.write(Data(text.utf8), as: "prices.ndjson")
    let level = try #require(ExactDecimal("12.5"))
    let threshold = PriceThreshold(symbol: "A", .above, level)
    let model = MarketViewModel(historyLimit: 2)
    #expect(model.connection == .idle && !model.isRunning && model.change(of: "A") == nil)
    model.start(
      .replay(ReplayFeed(path: path, pace: .asFastAsPossible)), policy: .lossless(), candlesEvery: .seconds(1),
      alertsAt: [threshold])
    #expect(model.isRunning)
    await finish(model)
    #expect(model.latest.mapValues(\.price.description) == ["A": "15.00", "B": "0.5"])
    #expect(model.history["A"]?.map(\.price.description) == ["9.75", "15.00"], "the newest two")
    #expect(model.change(of: "A") == (15 - 9.75) / 9.75 && model.change(of: "B") == 0)
    #expect(model.candles["A"]?.map(\.close.description) == ["9.75", "15.00"])
    #expect(model.candles["B"]?.count == 1)
    #expect(model.alerts.map(\.price.description) == ["12.50", "15.00"])
    #expect(model.counts?.trades == 5 && model.counts?.malformed == 1 && model.droppedTradeCount == 0)
    #expect(model.fault?.isEmpty == false && model.error == nil && model.errorText == nil)
    #expect(model.connection == .closed(reason: nil))
  }

  /// A source without trades is counted too, while it runs.
  @Test func countsNeedNoTrades() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let model = MarketViewModel()
    model.start(feed)
    while await feed.liveStreamCount < 3 { await Task.yield() }
    _ = try await feed.push(Array("nonsense\n".utf8))
    while model.counts?.malformed != 1 { await Task.yield() }
    #expect(model.fault != nil && model.isRunning)
    try await feed.report(.reconnecting(after: .seconds(1), failures: 1, reason: "it went"))
    while model.counts?.disconnections != 1 { await Task.yield() }
    #expect(model.counts?.trades == 0 && model.isRunning)
    await model.stop()
  }

  @Test func candlesAndAlertsThatAreLostAreCounted() {
    let model = MarketViewModel()
    model.take([StreamElement<Candle>.gap(2), .gap(3)])
    model.take([StreamElement<PriceAlert>.gap(4)])
    #expect(model.droppedCandleCount == 5 && model.droppedAlertCount == 4 && model.droppedTradeCount == 0)
    #expect(model.candles.isEmpty && model.alerts.isEmpty)
  }

  @Test func refusalsAreShown() async throws {
    let model = MarketViewModel()
    model.start(.simulated(SimulatedFeed(symbols: [])))
    #expect(model.error?.code == .noSymbols && !model.isRunning)
    #expect(model.connection == .closed(reason: model.errorText))
    #expect(model.errorText == model.error?.message)
    model.start(.simulated(SimulatedFeed(symbols: ["A"], updateLimit: 1)), policy: .sampled(every: .zero))
    await finish(model)
    #expect(model.error?.code == .valueOutOfRange && model.latest.isEmpty)
    model.start(.simulated(SimulatedFeed(symbols: ["A"], updateLimit: 1)))
    #expect(model.error == nil && model.errorText == nil)
    await finish(model)
    #expect(model.latest["A"]?.sequence == 0 && model.historyLimit == 240)
  }

  @Test func stopEndsTheFeedAndKeepsWhatIsShown() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A", "B"], seed: 1)), clock: clock)
    let model = MarketViewModel()
    model.start(feed, symbols: ["A"], policy: .buffered())
    while (model.history["A"]?.count ?? 0) < 3 {
      clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    await model.stop()
    #expect(!model.isRunning && model.connection == .closed(reason: nil) && model.latest.keys.sorted() == ["A"])
    #expect(await feed.liveStreamCount == 0)
    await #expect(throws: FeedError.self) { try await feed.trades() }
    await model.stop()
  }

  @Test func aNewRunTakesThePlaceOfTheOneBefore() async throws {
    let model = MarketViewModel()
    model.start(.simulated(SimulatedFeed(symbols: ["OLD"], updatesPerSecond: 1_000)))
    model.start(.simulated(SimulatedFeed(symbols: ["NEW"], updateLimit: 1)))
    await finish(model)
    #expect(model.latest.keys.sorted() == ["NEW"] && model.counts?.trades == 1)
  }

  @Test func stopWaitsForEveryRunThatWasBegun() async throws {
    let clock = try ManualClock()
    let feeds = try (0..<3).map { _ in
      try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])), clock: clock)
    }
    let model = MarketViewModel()
    for feed in feeds { model.start(feed) }
    await model.stop()
    for feed in feeds {
      await #expect(throws: FeedError.self) { try await feed.trades() }
      #expect(try await feed.counts.trades == 0)
    }
  }

  @Test func changesOfNegativePricesHaveTheirDirection() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data((line("A", "-5", 0) + line("A", "-4", 1)).utf8), as: "prices.ndjson")
    let model = MarketViewModel()
    model.start(.replay(ReplayFeed(path: path, pace: .asFastAsPossible)), policy: .lossless())
    await finish(model)
    #expect(model.change(of: "A") == 0.2)
  }

  @Test func aModelThatGoesEndsItsFeed() async throws {
    let clock = try ManualClock()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])), clock: clock)
    var model: MarketViewModel? = MarketViewModel()
    model?.start(feed)
    while await feed.liveStreamCount < 3 { await Task.yield() }
    model = nil
    while await feed.liveStreamCount > 0 { await Task.yield() }
  }

  @Test func theStatesOfAConnectionAreShown() async throws {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let model = MarketViewModel()
    model.start(feed)
    #expect(model.connection == .idle)
    let states: [FeedConnection] = [
      .connecting(to: "peer:1", failures: 0), .connected(to: "peer:1"),
      .reconnecting(after: .milliseconds(1_460), failures: 1, reason: "it went"), .closed(reason: "it is over"),
    ]
    for state in states {
      try await feed.report(state)
      while model.connection != state { await Task.yield() }
    }
    await finish(model)
    #expect(model.connection == states.last && model.errorText == "it is over")
  }

  @Test func aStateIsReportedInWords() {
    #expect(FeedConnection.idle.text == "no connection" && FeedConnection.closed(reason: nil).text == "closed")
    #expect(FeedConnection.connecting(to: "a:1", failures: 3).text == "connecting to a:1")
    let waiting = FeedConnection.reconnecting(after: .milliseconds(1_460), failures: 1, reason: "refused")
    #expect(waiting.text == "no connection, next attempt in 1.5 s: refused")
    let short = FeedConnection.reconnecting(after: .milliseconds(49), failures: 1, reason: "")
    #expect(short.text == "no connection, next attempt at once")
    #expect(FeedConnection.closed(reason: "it went").text == "closed: it went")
  }
}

import Observation
import RustleCore
import RustleMarket
import RustleTesting
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct TickerViewModelTests {
  private func update(_ symbol: String, _ price: Double, _ sequence: UInt64 = 0) -> PriceUpdate {
    PriceUpdate(symbol: symbol, price: price, timestampMilliseconds: 0, sequence: sequence)
  }

  /// Returns once `condition` holds; it is looked at whenever something that it reads has changed.
  private func until(_ condition: @escaping @MainActor () -> Bool) async {
    while true {
      let changed = OneShot()
      let holds = withObservationTracking(condition) { changed.fire() }
      if holds { return }
      await changed.wait()
    }
  }

  @Test func newestPriceOfEachSymbolIsShown() async {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    #expect(!model.isRunning)
    await model.start(symbols: ["BTC", "ETH"])
    #expect(model.isRunning)
    #expect(await source.requests == [["BTC", "ETH"]])
    await source.send(update("BTC", 1))
    await source.send(update("ETH", 2))
    await source.send(update("BTC", 3, 2))
    await until { model.prices["BTC"]?.price == 3 && model.prices["ETH"] != nil }
    #expect(model.prices["ETH"]?.price == 2)
  }

  @Test func stopEndsTheSourceAndKeepsThePrices() async {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BTC"])
    await source.send(update("BTC", 1))
    await until { !model.prices.isEmpty }
    let before = await source.cancelCount
    await model.stop()
    #expect(!model.isRunning)
    #expect(model.prices["BTC"]?.price == 1)
    #expect(await source.cancelCount == before + 1)
    await model.stop()
    #expect(!model.isRunning)
  }

  /// A source whose `cancel()` waits until it is resumed.
  private actor SlowToCancel: PriceSource {
    let cancelling = OneShot()
    let letGo = OneShot()
    let prices = ScriptedPrices()

    func prices(for symbols: [String]) async throws(TickerError) -> AsyncStream<PriceUpdate> {
      try await prices.prices(for: symbols)
    }

    func cancel() async {
      cancelling.fire()
      await letGo.wait()
      await prices.cancel()
    }
  }

  @Test func stopOvertakesAStartThatWaitsForTheStreamBeforeIt() async {
    let source = SlowToCancel()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BEFORE"])
    let starting = Task { await model.start(symbols: ["A"]) }
    await source.cancelling.wait()
    let stopping = Task { await model.stop() }
    await Task.yield()
    source.letGo.fire()
    await stopping.value
    await starting.value
    #expect(!model.isRunning)
    #expect(await source.prices.requests == [["BEFORE"]])
  }

  @Test func lastOfTwoStartsWins() async {
    let source = SlowToCancel()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BEFORE"])
    let first = Task { await model.start(symbols: ["A"]) }
    await source.cancelling.wait()
    let second = Task { await model.start(symbols: ["B"]) }
    await Task.yield()
    source.letGo.fire()
    await first.value
    await second.value
    #expect(model.isRunning)
    #expect(await source.prices.requests == [["BEFORE"], ["B"]])
  }

  /// A ticker whose second `cancel()` waits until it is resumed, as a call at a low priority may.
  private actor LateToCancel: PriceSource {
    let cancelling = OneShot()
    let letGo = OneShot()
    let ticker: TickerController
    private var cancels = 0

    init(_ ticker: TickerController) { self.ticker = ticker }

    func prices(for symbols: [String]) async throws(TickerError) -> AsyncStream<PriceUpdate> {
      try await ticker.prices(for: symbols)
    }

    func cancel() async {
      cancels += 1
      if cancels == 2 {
        cancelling.fire()
        await letGo.wait()
      }
      await ticker.cancel()
    }
  }

  @Test func stopThatIsLateLeavesTheNewerStreamAlone() async throws {
    let ticker = try TickerController()
    let source = LateToCancel(ticker)
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BEFORE"])
    await model.start(symbols: ["A"])
    let stopping = Task { await model.stop() }
    await source.cancelling.wait()
    let starting = Task { await model.start(symbols: ["B"]) }
    for _ in 0..<100 { await Task.yield() }
    source.letGo.fire()
    await stopping.value
    await starting.value
    #expect(model.isRunning)
    #expect(await ticker.liveStreamCount == 1)
    await until { model.prices["B"] != nil }
    await model.stop()
  }

  @Test func endOfTheSourceIsSeen() async {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BTC"])
    await source.finish()
    await until { !model.isRunning }
    #expect(model.error == nil)
  }

  @Test func startAgainReplacesThePrices() async {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BTC"])
    await source.send(update("BTC", 1))
    await until { !model.prices.isEmpty }
    await model.start(symbols: ["ETH"])
    #expect(model.isRunning)
    #expect(model.prices.isEmpty)
    await source.send(update("ETH", 2))
    await until { model.prices["ETH"] != nil }
    #expect(model.prices["BTC"] == nil)
  }

  @Test func refusalIsShownAndCorrected() async throws {
    let model = TickerViewModel()
    await model.start(symbols: [])
    #expect(model.error?.code == .noSymbols)
    #expect(!model.isRunning)
    await model.start(symbols: ["BTC"])
    try #require(model.error == nil)
    try #require(model.isRunning)
    await until { model.prices["BTC"] != nil }
    await model.stop()
  }

  @Test func droppingTheModelEndsTheNativeStream() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(clock: clock)
    var model: TickerViewModel? = TickerViewModel(source: ticker)
    await model?.start(symbols: ["BTC"])
    #expect(await ticker.liveStreamCount == 1)
    model = nil
    // The consuming task ends in its own time; once it has, nothing holds the stream.
    while await ticker.liveStreamCount > 0 {
      clock.advance(by: .zero)
      await Task.yield()
    }
  }
}

import Rustle
import RustleTesting
import Testing

/// What an outside user does, through the umbrella module alone.
@Suite struct ConsumerTests {
  @Test func pricesStreamIntoATask() async throws {
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 100))
    var symbols: Set<String> = []
    for await update in try await ticker.prices(for: ["BTC", "ETH"]) {
      symbols.insert(update.symbol)
      if symbols.count == 2 { break }
    }
    #expect(symbols == ["BTC", "ETH"])
  }

  @Test func pricesComeInBatches() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updateLimit: 100), clock: clock)
    let updates = try await ticker.updates(for: ["BTC"], lane: .frames(overflow: .dropOldest))
    clock.advance(by: .seconds(60))
    var count = 0
    for await batch in updates.batches() { count += batch.count { $0.value != nil } }
    #expect(count == 100)
    #expect(updates.statistics.dropped == 0)
  }

  @Test func refusalsAreTyped() async throws {
    let ticker = try TickerController()
    do throws(TickerError) {
      _ = try await ticker.prices(for: [])
      Issue.record("an empty list must be refused")
    } catch {
      #expect(error.code == .noSymbols)
    }
  }

  @MainActor
  @Test func viewModelRunsOnAScriptedSource() async throws {
    let source = ScriptedPrices()
    let model = TickerViewModel(source: source)
    await model.start(symbols: ["BTC"])
    #expect(model.isRunning)
    await model.stop()
    #expect(!model.isRunning)
  }
}

import RustleTesting
import Synchronization
import TestSupport
import Testing

@testable import RustleMarket

@Suite(.releasesNativeObjects) struct TickerControllerTests {
  @Test func updatesCarrySymbolPriceTimeAndNumber() async throws {
    let clock = try ManualClock(start: .unixEpoch + .seconds(1_000))
    let ticker = try TickerController(configuration: TickerConfiguration(seed: 1), clock: clock)
    let stream = try await ticker.prices(for: ["BTC", "ETH"])
    clock.advance(by: .milliseconds(750))
    await ticker.cancel()
    let updates = await Array(stream)
    #expect(updates.map(\.symbol) == ["BTC", "ETH", "BTC", "ETH"])
    #expect(updates.map(\.timestampMilliseconds) == [1_000_000, 1_000_250, 1_000_500, 1_000_750])
    #expect(updates.last?.timestamp == .unixEpoch + .milliseconds(1_000_750))
    #expect(updates.map(\.sequence) == [0, 1, 2, 3])
    #expect(updates.allSatisfy { $0.price > 0 })
    let base = try #require(updates.first)
    #expect(abs(base.price / 65_000 - 1) < 0.001)
  }

  @Test func sameSeedGivesTheSamePrices() async throws {
    func run(seed: UInt64?) async throws -> [Double] {
      let ticker = try TickerController(
        configuration: TickerConfiguration(updatesPerSecond: 1_000, seed: seed, updateLimit: 500))
      return await Array(try await ticker.prices(for: ["BTC", "ETH"])).map(\.price)
    }
    let first = try await run(seed: 7)
    #expect(first.count == 500)
    #expect(try await run(seed: 7) == first)
    #expect(try await run(seed: 8) != first)
  }

  @Test func limitEndsTheStreamByItself() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updateLimit: 5), clock: clock)
    let stream = try await ticker.prices(for: ["BTC"])
    clock.advance(by: .seconds(60))
    #expect(await Array(stream).count == 5)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test func slowConsumerLosesTheOldestAndTheyAreCounted() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 100), clock: clock)
    let stream = try await ticker.prices(for: ["BTC"])
    clock.advance(by: .seconds(20))
    await ticker.cancel()
    let updates = await Array(stream)
    let statistics = await ticker.statistics
    #expect(statistics.produced == 2_001)
    #expect(updates.count == 1_024)
    #expect(statistics.dropped == 2_001 - UInt64(updates.count))
    #expect(updates.last?.sequence == 2_000)
  }

  @Test func statisticsSumStreamsThatRunAndThoseThatEnded() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(
      configuration: TickerConfiguration(updatesPerSecond: 10, updateLimit: 7), clock: clock)
    for round in 1...3 {
      let stream = try await ticker.prices(for: ["BTC"])
      clock.advance(by: .seconds(10))
      #expect(await Array(stream).count == 7)
      let statistics = await ticker.statistics
      #expect(statistics == StreamStatistics(produced: 7 * UInt64(round), delivered: 7 * UInt64(round), dropped: 0))
    }
    let running = try await ticker.prices(for: ["ETH"])
    clock.advance(by: .milliseconds(250))
    #expect(await ticker.statistics == StreamStatistics(produced: 24, delivered: 21, dropped: 0))
    await ticker.cancel()
    #expect(await Array(running).count == 3)
    #expect(await ticker.statistics == StreamStatistics(produced: 24, delivered: 24, dropped: 0))
  }

  /// Counts the arrivals of a task: once at its beginning, and once after each hop to another executor.
  private final class CountingExecutor: TaskExecutor {
    let count = Atomic<Int>(0)

    func enqueue(_ job: consuming ExecutorJob) {
      count.add(1, ordering: .relaxed)
      globalConcurrentExecutor.enqueue(job)
    }
  }

  @Test func pricesHopToAnotherActorForEachUpdate() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updateLimit: 100), clock: clock)
    let direct = try await ticker.prices(for: ["BTC"])
    let pulled = try await ticker.updates(for: ["BTC"]).asyncStream()
    clock.advance(by: .seconds(60))
    func hops(reading stream: AsyncStream<PriceUpdate>) async -> Int {
      let executor = CountingExecutor()
      let reader = Task(executorPreference: executor) {
        let before = executor.count.load(ordering: .relaxed)
        #expect(await Array(stream).count == 100)
        return executor.count.load(ordering: .relaxed) - before
      }
      return await reader.value
    }
    #expect(await hops(reading: direct) == 0)
    #expect(await hops(reading: pulled) >= 100, "they are counted")
  }

  @Test func tasksThatReadPricesTakeTurns() async throws {
    let ticker = try TickerController(
      configuration: TickerConfiguration(updatesPerSecond: 1_000, updateLimit: 500))
    let stream = try await ticker.prices(for: ["BTC"])
    let sequences: [UInt64] = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<4 { group.addTask { await Array(stream).map(\.sequence) } }
      return await group.reduce(into: []) { all, one in
        #expect(one == one.sorted())
        all += one
      }
    }
    #expect(sequences.sorted() == (0..<500).map { $0 })
    #expect(await ticker.statistics == StreamStatistics(produced: 500, delivered: 500, dropped: 0))
  }

  @Test func sessionOfPricesGoesWithItsStream() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(), clock: clock)
    let before = NativeLibrary.liveObjects
    _ = try await ticker.prices(for: ["BTC"])
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
    await ticker.cancel()
    #expect(NativeLibrary.liveObjects == before)
    #expect(await ticker.statistics.produced <= 1)
  }

  @Test func pricesThatWaitAreReadAfterCancel() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(), clock: clock)
    let stream = try await ticker.prices(for: ["BTC"])
    clock.advance(by: .milliseconds(500))
    await ticker.cancel()
    #expect(await Array(stream).map(\.sequence) == [0, 1])
  }

  @Test func streamsOfOneTickerAreIndependent() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(clock: clock)
    let first = try await ticker.prices(for: ["BTC"])
    var second: AsyncStream<PriceUpdate>? = try await ticker.prices(for: ["ETH"])
    clock.advance(by: .seconds(1))
    #expect(second != nil)
    second = nil
    clock.advance(by: .seconds(1))
    #expect(await ticker.liveStreamCount == 1)
    await ticker.cancel()
    #expect(await Array(first).count == 5)
  }

  /// A refused list of symbols, described by its fault: a test's log would print the whole list.
  struct UnusableSymbols: Sendable, CustomTestStringConvertible {
    let symbols: [String]
    let code: TickerError.Code
    let message: String

    init(_ symbols: [String], _ code: TickerError.Code, _ message: String) {
      self.symbols = symbols
      self.code = code
      self.message = message
    }

    var testDescription: String { "\(code): \(message)" }

    static let all = [
      Self([], .noSymbols, "symbols: expected at least one, got none"),
      Self(["BTC", "BTC"], .duplicateSymbol, #"symbol 1: expected each symbol once, got "BTC" again"#),
      Self(["日本", "Ω", "Ω"], .duplicateSymbol, #"symbol 2: expected each symbol once, got "Ω" again"#),
      Self([""], .malformedSymbol, "symbol 0: expected a name, got an empty text"),
      Self(["BTC", "", "Ω"], .malformedSymbol, "symbol 1: expected a name, got an empty text"),
      Self(["B C"], .malformedSymbol, "symbol 0: expected no white space or control character, got ' '"),
      Self([String(repeating: "X", count: 33)], .symbolTooLong, "symbol 0: expected at most 32 bytes, got 33"),
      Self((0...100_000).map { "S\($0)" }, .tooManySymbols, "symbols: expected at most 100000, got 100001"),
    ]
  }

  @Test(arguments: UnusableSymbols.all)
  func unusableSymbolsAreRefused(unusable: UnusableSymbols) async throws {
    let ticker = try TickerController()
    let error = await #expect(throws: TickerError.self) { _ = try await ticker.prices(for: unusable.symbols) }
    #expect(error?.code == unusable.code)
    #expect(error?.message == unusable.message)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test(arguments: [0, -1, 0.000_9, 10_000_001, .infinity, .nan])
  func rateOutOfRangeIsRefused(rate: Double) {
    let error = #expect(throws: TickerError.self) {
      _ = try TickerController(configuration: TickerConfiguration(updatesPerSecond: rate))
    }
    #expect(error?.code == .rateOutOfRange)
  }

  @Test func updateLimitOfZeroIsRefused() {
    let error = #expect(throws: TickerError.self) {
      _ = try TickerController(configuration: TickerConfiguration(updateLimit: 0))
    }
    #expect(error?.code == .updateLimitOutOfRange)
    #expect(error?.message.contains("got 0") == true)
  }

  @Test(arguments: [StreamBuffering.perValue(), .batched()])
  func shutDownReturnsWhenTheStreamsHaveEnded(buffering: StreamBuffering) async throws {
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 10_000))
    var streams: [EngineStream<PriceUpdate>] = []
    for _ in 0..<32 { streams.append(try await ticker.updates(for: ["BTC"], buffering: buffering)) }
    await ticker.shutDown()
    #expect(streams.allSatisfy { $0.outcome == .cancelled })
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test func shutDownTickerRefusesNewStreams() async throws {
    let ticker = try TickerController()
    let stream = try await ticker.prices(for: ["BTC"])
    await ticker.shutDown()
    await ticker.shutDown()
    for await _ in stream {}
    let error = await #expect(throws: TickerError.self) { _ = try await ticker.prices(for: ["BTC"]) }
    #expect(error?.code == .shutDown)
    #expect(error?.isRetryable == false)
  }
}

import Rustle
import RustleTesting
import TestSupport
import Testing

/// The acceptance criteria of the brief's ticker story, one test each.
@Suite("Story: ticker", .releasesNativeObjects)
struct TickerStoryTests {
  private func started() async throws -> (ManualClock, TickerController, AsyncStream<PriceUpdate>) {
    let clock = try ManualClock()
    let ticker = try TickerController(clock: clock)
    return (clock, ticker, try await ticker.prices(for: ["BTC", "ETH", "SOL"]))
  }

  @Test("an actor turns native callbacks into an AsyncStream")
  func streamsThroughAnActor() async throws {
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 1_000))
    var seen: Set<String> = []
    for await update in try await ticker.prices(for: ["BTC", "ETH", "SOL"]) {
      seen.insert(update.symbol)
      if seen.count == 3 { break }
    }
    #expect(seen == ["BTC", "ETH", "SOL"])
  }

  @Test("three symbols at the default rate give 30 updates in 5 seconds")
  func defaultRate() async throws {
    let (clock, ticker, stream) = try await started()
    clock.advance(by: .milliseconds(4_999))
    await ticker.cancel()
    #expect(await Array(stream).count == 30)
  }

  @Test("cancel is idempotent, also from many tasks at once and with nothing to cancel")
  func cancelIsIdempotent() async throws {
    let (_, ticker, stream) = try await started()
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { await ticker.cancel() } }
    }
    #expect(await ticker.liveStreamCount == 0)
    await ticker.cancel()
    for await _ in stream {}
  }

  @Test("no update is made after cancel returns")
  func nothingAfterCancel() async throws {
    let (clock, ticker, stream) = try await started()
    clock.advance(by: .seconds(1))
    await ticker.cancel()
    let produced = await ticker.statistics.produced
    clock.advance(by: .seconds(10))
    #expect(await ticker.statistics.produced == produced)
    #expect(UInt64(await Array(stream).count) == produced)
  }

  @Test("cancel waits for the release also in a cancelled task")
  func cancelInACancelledTask() async throws {
    let (_, ticker, stream) = try await started()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await ticker.cancel()
      return await ticker.liveStreamCount
    }
    task.cancel()
    #expect(await task.value == 0)
    for await _ in stream {}
  }

  @Test("breaking out of the loop ends the native session")
  func breakEndsTheSession() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(clock: clock)
    for await _ in try await ticker.prices(for: ["BTC"]) { break }
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test("cancelling the consuming task ends the native session")
  func taskCancelEndsTheSession() async throws {
    let (clock, ticker, stream) = try await started()
    let consumer = Task { for await _ in stream {} }
    consumer.cancel()
    await consumer.value
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test("dropping the stream ends the native session")
  func droppingTheStreamEndsTheSession() async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(clock: clock)
    _ = try await ticker.prices(for: ["BTC"])
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test("dropping the controller ends the stream")
  func droppingTheControllerEndsTheStream() async throws {
    let clock = try ManualClock()
    var ticker: TickerController? = try TickerController(clock: clock)
    let stream = try #require(try await ticker?.prices(for: ["BTC"]))
    ticker = nil
    for await _ in stream {}
  }

  @Test("a stream can be started again after a cancel, and nothing of the old one is seen in it")
  func startsAgain() async throws {
    let (clock, ticker, old) = try await started()
    clock.advance(by: .seconds(1))
    await ticker.cancel()
    let stream = try await ticker.prices(for: ["DOGE"])
    clock.advance(by: .seconds(1))
    await ticker.cancel()
    let updates = await Array(stream)
    #expect(updates.map(\.symbol) == ["DOGE", "DOGE", "DOGE"])
    #expect(updates.map(\.sequence) == [0, 1, 2])
    #expect(await Array(old).count == 7)
  }
}

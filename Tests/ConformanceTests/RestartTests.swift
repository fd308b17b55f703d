import Rustle
import TestSupport
import Testing

/// G6: a ticker can be started and cancelled without end, and nothing of one session is seen in the next.
@Suite("G6: restart", .releasesNativeObjects, .timeLimit(.minutes(20)))
struct RestartTests {
  @Test("10,000 cycles each deliver their own first update", arguments: [Lane.events(capacity: 65_536), .frames()])
  func cycles(lane: Lane) async throws {
    // The first update comes at once. Slow after that: a consumer that a busy machine holds up for seconds loses nothing.
    let ticker = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 100))
    for cycle in 0..<5_000 {
      let symbol = "S\(cycle)"
      for await element in try await ticker.updates(for: [symbol], lane: lane) {
        let update = try #require(element.value)
        try #require(update.symbol == symbol)
        try #require(update.sequence == 0)
        break
      }
      await ticker.cancel()
    }
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test("cancel, while 1,000 other streams start and end, disturbs none of them")
  func othersAreNotDisturbed() async throws {
    let victim = try TickerController(configuration: TickerConfiguration(updatesPerSecond: 1_000))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let ticker = try TickerController(
            configuration: TickerConfiguration(updatesPerSecond: 10_000, updateLimit: 20))
          var count = 0
          for await element in try await ticker.updates(for: ["S\(number)"], lane: .frames()) {
            if element.value?.symbol == "S\(number)" { count += 1 }
          }
          return count
        }
      }
      for _ in 0..<100 {
        let stream = try await victim.prices(for: ["VICTIM"])
        await victim.cancel()
        for await _ in stream {}
      }
      for try await count in group { #expect(count == 20) }
    }
  }
}

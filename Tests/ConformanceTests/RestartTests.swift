import Rustle
import TestSupport
import Testing

/// G6: an engine can be started and cancelled without end, and nothing of one session is seen in the next.
@Suite("G6: restart", .releasesNativeObjects)
struct RestartTests {
  @Test("each of 10,000 cycles delivers its own first value", arguments: conformingLanes(capacity: 65_536))
  func cycles(engine: any ConformingEngine, buffering: StreamBuffering) async throws {
    try await cycle(engine, buffering, times: Repetitions.of(10_000 / engine.lanes(capacity: 65_536).count))
  }

  private func cycle(_ engine: some ConformingEngine, _ buffering: StreamBuffering, times: Int) async throws {
    // The first value comes at once. Slow after that: a buffer of one value drops nothing while a busy machine holds its
    // consumer up.
    let controller = try engine.controller(valuesPerSecond: 1, limit: nil)
    for cycle in 0..<times {
      for await element in try await engine.start(controller, mark: "S\(cycle)", buffering: buffering) {
        let value = try #require(element.value)
        try #require(engine.mark(of: value) == "S\(cycle)")
        try #require(engine.sequence(of: value) == 0)
        break
      }
      await engine.cancel(controller)
    }
    #expect(await engine.liveStreamCount(controller) == 0)
  }

  @Test("cancel, while 1,000 other streams start and end, disturbs none of them", arguments: conformingEngines)
  func othersAreNotDisturbed(engine: any ConformingEngine) async throws {
    try await disturb(engine)
  }

  private func disturb(_ engine: some ConformingEngine) async throws {
    let lanes = engine.lanes(capacity: 1_024)
    let victim = try engine.controller(valuesPerSecond: 1_000, limit: nil)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let controller = try engine.controller(valuesPerSecond: 10_000, limit: 20)
          let stream = try await engine.start(controller, mark: "S\(number)", buffering: lanes[number % lanes.count])
          var count = 0
          for await element in stream {
            switch element {
            case .value(let value): count += engine.mark(of: value) == "S\(number)" ? 1 : 0
            // What a lane left out on purpose was there too.
            case .gap(let gap): count += Int(gap)
            }
          }
          return count
        }
      }
      for round in 0..<100 {
        let stream = try await engine.start(victim, mark: "VICTIM", buffering: lanes[round % lanes.count])
        await engine.cancel(victim)
        for await _ in stream {}
      }
      for try await count in group { #expect(count == 20) }
    }
  }
}

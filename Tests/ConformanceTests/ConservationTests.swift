import Rustle
import TestSupport
import Testing

/// G5: nothing is lost uncounted, for every engine, lane and policy. rust/ffi/tests/boundary shows it for ten million.
@Suite("G5: conservation", .releasesNativeObjects, .timeLimit(.minutes(20)))
struct ConservationTests {
  @Test(
    "produced = delivered + dropped, and gaps tell of every drop that has an update after it",
    arguments: conformingLanes(capacity: 64))
  func conserved(engine: any ConformingEngine, lane: Lane) async throws {
    try await conserve(engine, lane)
  }

  private func conserve(_ engine: some ConformingEngine, _ lane: Lane) async throws {
    let limit: UInt64 = 200_000
    let controller = try engine.controller(valuesPerSecond: 1_000_000, limit: limit)
    let stream = try await engine.start(controller, mark: "A", lane: lane)
    var values: UInt64 = 0
    var gaps: UInt64 = 0
    for await element in stream {
      switch element {
      case .value: values += 1
      case .gap(let count): gaps += count
      }
      // A consumer that is too slow now and then.
      if values.isMultiple(of: 1_000) { await Task.yield() }
    }
    let statistics = stream.statistics
    #expect(statistics.produced == limit)
    #expect(statistics.delivered == values)
    #expect(statistics.produced == values + statistics.dropped)
    #expect(gaps <= statistics.dropped)
    // Only what is dropped after the last update that was taken in has nothing to stand before.
    if lane != .frames(capacity: 64, overflow: .dropNewest) { #expect(gaps == statistics.dropped) }
    await engine.cancel(controller)
  }

  @Test(
    "a consumer that reads nothing leaves at most the lane's capacity waiting", arguments: conformingLanes(capacity: 64)
  )
  func stalled(engine: any ConformingEngine, lane: Lane) async throws {
    try await stall(engine, lane)
  }

  private func stall(_ engine: some ConformingEngine, _ lane: Lane) async throws {
    let limit: UInt64 = 200_000
    let controller = try engine.controller(valuesPerSecond: 1_000_000, limit: limit)
    let stream = try await engine.start(controller, mark: "A", lane: lane)
    while stream.outcome == nil { await Task.yield() }
    #expect(stream.outcome == .ended)
    let statistics = stream.statistics
    #expect(statistics.produced == limit)
    #expect(statistics.delivered == 0)
    // Something always waits, or the bound would hold for a lane that keeps nothing.
    #expect((1...64).contains(statistics.waiting))
    #expect(statistics.produced == statistics.waiting + statistics.dropped)
  }
}

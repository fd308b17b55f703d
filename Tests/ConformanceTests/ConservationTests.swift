import Rustle
import RustleTesting
import TestSupport
import Testing

/// G5: nothing is lost uncounted, for every lane and policy. rust/ffi/tests/conservation.rs shows it for ten million.
@Suite("G5: conservation", .releasesNativeObjects, .timeLimit(.minutes(20)))
struct ConservationTests {
  @Test(
    "produced = delivered + dropped, and gaps tell of every drop that has an update after it",
    arguments: [
      Lane.events(capacity: 64), .frames(capacity: 64), .frames(capacity: 64, overflow: .dropNewest),
      .frames(overflow: .keepLatest),
    ])
  func conserved(lane: Lane) async throws {
    let limit: UInt64 = 200_000
    let ticker = try TickerController(
      configuration: TickerConfiguration(updatesPerSecond: 1_000_000, updateLimit: limit))
    let stream = try await ticker.updates(for: ["A", "B", "C"], lane: lane)
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
  }
}

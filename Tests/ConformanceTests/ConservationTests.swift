import Rustle
import TestSupport
import Testing

/// G5: nothing is lost uncounted, for every engine, lane and policy. rust/ffi/tests/boundary shows it for ten million.
@Suite("G5: conservation", .releasesNativeObjects)
struct ConservationTests {
  @Test(
    "produced = delivered + dropped, and gaps report every drop",
    arguments: conformingLanes(capacity: 64))
  func conserved(engine: any ConformingEngine, buffering: StreamBuffering) async throws {
    try await conserve(engine, buffering)
  }

  private func conserve(_ engine: some ConformingEngine, _ buffering: StreamBuffering) async throws {
    let limit = UInt64(Repetitions.of(50_000))
    let controller = try engine.controller(valuesPerSecond: 1_000_000, limit: limit)
    let stream = try await engine.start(controller, mark: "A", buffering: buffering)
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
    #expect(gaps == statistics.dropped)
    await engine.cancel(controller)
  }

  @Test(
    "buffered values come in batches, in order, and gaps report every missing value",
    arguments: conformingLanes(capacity: Self.roomForBatches))
  func conservedInBatches(engine: any ConformingEngine, buffering: StreamBuffering) async throws {
    try await conserveInBatches(engine, buffering)
  }

  /// Two batches and a half.
  nonisolated private static let roomForBatches = 10_240

  private func conserveInBatches(_ engine: some ConformingEngine, _ buffering: StreamBuffering) async throws {
    let limit: UInt64 = 12_000
    // A session that is a second late continues from then: a busy machine under a sanitizer keeps this pace.
    let controller = try engine.controller(valuesPerSecond: 35_000, limit: limit)
    let stream = try await engine.start(controller, mark: "A", buffering: buffering)
    // All that the lane holds waits: many more values than are fetched from the native side at a time.
    while stream.outcome == nil { await Task.yield() }
    let waiting = stream.statistics.waiting
    var values: UInt64 = 0
    var gaps: UInt64 = 0
    var expected: UInt64 = 0
    var strays = 0
    for await batch in stream.batches(upTo: 4_096) {
      #expect(!batch.isEmpty && batch.count { $0.value != nil } <= 4_096)
      for element in batch {
        switch element {
        case .gap(let count):
          gaps += count
          expected += count
        case .value(let value):
          values += 1
          // A conflated buffer reports the gaps of each symbol.
          if buffering != .batched(capacity: Self.roomForBatches, overflow: .conflate) {
            if engine.sequence(of: value) != expected { strays += 1 }
            expected += 1
          }
        }
      }
    }
    #expect(strays == 0)
    #expect(values == waiting)
    let statistics = stream.statistics
    #expect(statistics.delivered == values)
    #expect(statistics.waiting == 0)
    #expect(statistics.produced == limit)
    #expect(statistics.produced == values + statistics.dropped)
    #expect(gaps == statistics.dropped)
  }

  @Test(
    "a consumer that reads nothing leaves at most the buffer's capacity waiting",
    arguments: conformingLanes(capacity: 64)
  )
  func stalled(engine: any ConformingEngine, buffering: StreamBuffering) async throws {
    try await stall(engine, buffering)
  }

  private func stall(_ engine: some ConformingEngine, _ buffering: StreamBuffering) async throws {
    let limit = UInt64(Repetitions.of(50_000))
    let controller = try engine.controller(valuesPerSecond: 1_000_000, limit: limit)
    let stream = try await engine.start(controller, mark: "A", buffering: buffering)
    while stream.outcome == nil { await Task.yield() }
    #expect(stream.outcome == .ended)
    let statistics = stream.statistics
    #expect(statistics.produced == limit)
    #expect(statistics.delivered == 0)
    // A value always waits, or the bound would hold for a lane without a buffer.
    #expect((1...64).contains(statistics.waiting))
    #expect(statistics.produced == statistics.waiting + statistics.dropped)
  }
}

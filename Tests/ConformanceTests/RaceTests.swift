import Foundation
import Rustle
import TestSupport
import Testing

@testable import RustleCore

/// G2: however a stream ends, its session is released exactly once and nothing is called after that.
@Suite("G2: cancel contract", .releasesNativeObjects)
struct RaceTests {
  nonisolated enum End: String, CaseIterable {
    /// The task that reads is cancelled.
    case consumerCancelled
    /// The consumer leaves the loop.
    case loopLeft
    /// Four tasks call `cancel()` at once.
    case fourCancels
    /// The engine reaches its limit.
    case natural
    /// The native worker panics. Only an archive with seeded faults can be made to.
    case panic

    static var possible: [Self] { hasSeededFaults ? allCases : allCases.filter { $0 != .panic } }

    private static var hasSeededFaults: Bool {
      ProcessInfo.processInfo.environment["RUSTLE_NATIVE_DIST"]?.contains("faults") ?? false
    }
  }

  /// Rounds of each mode of each engine: `RUSTLE_RACES` in all, 1,000 unless it is set.
  private static let rounds: Int = {
    let all = ProcessInfo.processInfo.environment["RUSTLE_RACES"].flatMap { Int($0) } ?? 1_000
    return max(1, all / (End.possible.count * conformingEngines.count))
  }()

  @Test("releases = starts, callbacks after cancel = 0", arguments: conformingEngines, End.possible)
  func releasedOnce(engine: any ConformingEngine, end: End) async throws {
    try await race(engine, end)
  }

  private func race(_ engine: some ConformingEngine, _ end: End) async throws {
    var sessions: [NativeSession] = []
    for round in 0..<Self.rounds {
      // Held, so that a callback that comes too late meets a context that can count it.
      sessions.append(try await run(engine, end, round))
      if sessions.count == 512 { sessions.removeFirst(256) }
      let late = sessions.suffix(8).reduce(0) { $0 + $1.lateCallbackCount }
      try #require(late == 0, "round \(round): callbacks after the release")
    }
    #expect(sessions.allSatisfy { $0.isReleased && $0.lateCallbackCount == 0 })
  }

  private func run(_ engine: some ConformingEngine, _ end: End, _ round: Int) async throws -> NativeSession {
    let controller = try engine.controller(
      valuesPerSecond: 100_000, limit: end == .natural ? UInt64(1 + round % 5) : nil)
    let lanes = engine.lanes(capacity: 64)
    let buffering = lanes[round % lanes.count]
    let stream =
      if end == .panic {
        try await engine.startPanicking(controller, buffering: buffering)
      } else {
        try await engine.start(controller, mark: "BTC", buffering: buffering)
      }
    let session = stream.core.session
    switch end {
    case .consumerCancelled:
      let consumer = Task { for await _ in stream {} }
      if round.isMultiple(of: 3) { await Task.yield() }
      consumer.cancel()
      await consumer.value
    case .loopLeft:
      for await _ in stream { break }
    case .fourCancels:
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await engine.cancel(controller) } }
        for await _ in stream {}
      }
    case .natural, .panic:
      for await _ in stream {}
    }
    await engine.cancel(controller)
    let produced = stream.statistics.produced
    let outcome = try #require(session.outcome, "round \(round): `cancel()` returned before the release")
    switch end {
    case .natural: try #require(outcome == .ended)
    case .panic: try #require(outcome == .panicked("a panic on purpose"))
    case .consumerCancelled, .loopLeft, .fourCancels: try #require(outcome == .cancelled)
    }
    try #require(stream.statistics.produced == produced, "round \(round): a value after `cancel()`")
    return session
  }

  @Test("an engine whose worker panicked refuses further starts, and another one does not", arguments: panickingEngines)
  func panickedEngineIsPoisoned(engine: any ConformingEngine) async throws {
    for buffering in engine.lanes(capacity: 64) { try await poison(engine, buffering) }
  }

  private func poison(_ engine: some ConformingEngine, _ buffering: StreamBuffering) async throws {
    let controller = try engine.controller(valuesPerSecond: 100_000, limit: nil)
    let running = try await engine.start(controller, mark: "A", buffering: buffering)
    let stream = try await engine.startPanicking(controller, buffering: buffering)
    for await _ in stream {}
    await stream.core.session.released()
    #expect(stream.outcome == .panicked("a panic on purpose"))
    do {
      _ = try await engine.start(controller, mark: "B", buffering: buffering)
      Issue.record("expected a refusal of \(buffering), got a stream")
    } catch {
      #expect(engine.saysPoisoned(error), "got \(error)")
    }
    // Streams that ran before continue.
    var seen = 0
    for await element in running {
      seen += element.value == nil ? 0 : 1
      if seen == 1_000 { break }
    }
    #expect(seen == 1_000)
    await engine.cancel(controller)
    let whole = try engine.controller(valuesPerSecond: 100_000, limit: 1)
    for await _ in try await engine.start(whole, mark: "C", buffering: buffering) {}
    await engine.cancel(whole)
  }

  /// Engines whose workers can be made to panic: all of them, in an archive with seeded faults, or none.
  nonisolated private static var panickingEngines: [any ConformingEngine] {
    End.possible.contains(.panic) ? conformingEngines : []
  }
}

import Foundation
import Rustle
import TestSupport
import Testing

@testable import RustleCore

/// G14 and G15: calls from awkward places, and the end of everything at once.
@Suite("G14, G15: re-entrancy and shutdown", .releasesNativeObjects)
struct ShutdownTests {
  @Test("dropping an actor with 32 live streams releases each of them", arguments: conformingEngines)
  func droppingTheActor(engine: any ConformingEngine) async throws {
    try await drop(engine)
  }

  private func drop<Engine: ConformingEngine>(_ engine: Engine) async throws {
    var controller: Engine.Controller? = try engine.controller(valuesPerSecond: 1_000, limit: nil)
    var streams: [EngineStream<Engine.Value>] = []
    let lanes = engine.lanes(capacity: 1_024)
    for number in 0..<32 {
      let owner = try #require(controller)
      streams.append(try await engine.start(owner, mark: "S\(number)", buffering: lanes[number % lanes.count]))
    }
    controller = nil
    for stream in streams {
      await stream.core.session.released()
      #expect(stream.core.session.outcome == .cancelled)
    }
  }

  #if os(Linux)
  @Test("the runtime's threads do not grow with the number of streams", arguments: conformingEngines)
  func threadsStayFew(engine: any ConformingEngine) async throws {
    try await startMany(engine)
  }

  private func startMany<Engine: ConformingEngine>(_ engine: Engine) async throws {
    let controllers = try (0..<64).map { _ in try engine.controller(valuesPerSecond: 100, limit: nil) }
    let lanes = engine.lanes(capacity: 1_024)
    var streams: [EngineStream<Engine.Value>] = []
    for (number, controller) in controllers.enumerated() {
      streams.append(try await engine.start(controller, mark: "A", buffering: lanes[number % lanes.count]))
    }
    // A thread gets its name after its start: one that has just begun is missing in the count.
    #expect(try Self.sharedThreadCount() <= 4)
    for controller in controllers { await engine.cancel(controller) }
    #expect(try Self.sharedThreadCount() <= 4)
    for stream in streams { for await _ in stream {} }
  }

  /// The threads of the shared runtime, `rustle-0` and so on. Those of manual runtimes, of other tests, are named
  /// `rustle-manual-0`.
  private static func sharedThreadCount() throws -> Int {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    // A thread that ends meanwhile has no name any more.
    let names = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    return names.count { $0.hasPrefix("rustle-") && !$0.hasPrefix("rustle-manual") }
  }
  #endif

  @Test("cancel under the caller's own lock and inside the stream's value closure does not wait")
  func cancelFromAwkwardPlaces() async throws {
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 100_000, seed: 0, updateLimit: 0, hasSeed: false))
    let lock = NSLock()
    let inner = try ticker.start(
      symbols: ["INNER"], buffering: .perValue(),
      reader: ElementReader { price in lock.withLock { price } }, sequenceNumber: \.sequence)
    let session = inner.core.session
    let stream = try ticker.start(
      symbols: ["OUTER"], buffering: .perValue(),
      reader: ElementReader { price in
        // On a native thread, inside a callback, with a lock held.
        lock.withLock { session.cancel() }
        return price
      }, sequenceNumber: \.sequence)
    // INNER's callbacks take the lock too: a cancel that waited for one of them would wait for ever.
    lock.withLock { session.cancel() }
    for await _ in stream { break }
    await session.released()
    #expect(session.outcome == .cancelled)
    for await _ in inner {}
  }
}

import Rustle
import Testing

/// An engine as the suites of the contract drive it: what the boundary promises for every engine they show for each of
/// ``conformingEngines``.
nonisolated protocol ConformingEngine: Sendable, CustomTestStringConvertible {
  /// The engine's actor.
  associatedtype Controller: Actor
  /// The values of its streams.
  associatedtype Value: Sendable

  /// NAME of the header's `rustle_NAME_start`.
  var name: String { get }

  /// Every lane and policy that the engine offers, holding `capacity` values where the caller may choose.
  func lanes(capacity: Int) -> [StreamBuffering]

  /// An engine whose sessions make the first value at once and then `valuesPerSecond`, and end by themselves after `limit`
  /// of them.
  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Controller

  /// Starts a session, each of whose values gives back `mark`.
  func start(_ controller: Controller, mark: String, buffering: StreamBuffering) async throws -> EngineStream<Value>

  /// Starts a session whose worker panics with "a panic on purpose". Only an archive with seeded faults can be made to.
  func startPanicking(_ controller: Controller, buffering: StreamBuffering) async throws -> EngineStream<Value>

  /// Whether an error of ``start(_:mark:buffering:)`` says that a worker of the engine has panicked before.
  func saysPoisoned(_ error: any Error) -> Bool

  /// Ends every session and returns when the last has been released.
  func cancel(_ controller: Controller) async

  /// The sessions that were started and not released yet.
  func liveStreamCount(_ controller: Controller) async -> Int

  /// The mark with which the value's session was started.
  func mark(of value: Value) -> String

  /// The value's number in its session, from 0.
  func sequence(of value: Value) -> UInt64
}

extension ConformingEngine {
  nonisolated var testDescription: String { name }

  /// All lanes.
  nonisolated func lanes(capacity: Int) -> [StreamBuffering] {
    [
      .perValue(capacity: capacity), .batched(capacity: capacity), .batched(capacity: capacity, overflow: .dropNewest),
      .batched(capacity: capacity, overflow: .conflate),
    ]
  }
}

extension ConformingEngine where Controller: StreamEngine {
  nonisolated func cancel(_ controller: Controller) async { await controller.cancel() }

  nonisolated func liveStreamCount(_ controller: Controller) async -> Int { await controller.liveStreamCount }
}

/// Each engine in each of its lanes.
nonisolated func conformingLanes(capacity: Int) -> [(any ConformingEngine, StreamBuffering)] {
  conformingEngines.flatMap { engine in engine.lanes(capacity: capacity).map { (engine, $0) } }
}

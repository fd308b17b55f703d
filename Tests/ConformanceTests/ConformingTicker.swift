import Rustle

/// The ticker, as the suites of the contract drive it.
nonisolated struct ConformingTicker: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> TickerController {
    try TickerController(configuration: TickerConfiguration(updatesPerSecond: valuesPerSecond, updateLimit: limit))
  }

  func start(_ controller: TickerController, mark: String, buffering: StreamBuffering) async throws -> EngineStream<
    PriceUpdate
  > {
    // Three symbols: a conflated buffer then has more than one to keep.
    try await controller.updates(for: [mark, "\(mark).b", "\(mark).c"], buffering: buffering)
  }

  func startPanicking(_ controller: TickerController, buffering: StreamBuffering) async throws -> EngineStream<
    PriceUpdate
  > {
    try await controller.updates(for: ["!PANIC"], buffering: buffering)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? TickerError)?.code == .poisoned }

  func mark(of update: PriceUpdate) -> String { String(update.symbol.prefix { $0 != "." }) }

  func sequence(of update: PriceUpdate) -> UInt64 { update.sequence }
}

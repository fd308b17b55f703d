import Rustle

@testable import RustleCore

/// A value of a receiver or a browser, with the mark of its stream.
nonisolated struct MarkedChange: Sendable {
  let mark: String
  let sequence: UInt64
}

extension DMXReceiver {
  func marked(_ mark: String, buffering: StreamBuffering) throws(LightingError) -> EngineStream<MarkedChange> {
    try levels(
      buffering: buffering, reader: ElementReader { MarkedChange(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<MarkedChange> {
    _ = try AudioCapture(.panic())
    return try marked("", buffering: buffering)
  }
}

extension DMXNodes {
  func marked(_ mark: String, buffering: StreamBuffering) throws(LightingError) -> EngineStream<MarkedChange> {
    try nodes(
      buffering: buffering, reader: ElementReader { MarkedChange(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<MarkedChange> {
    _ = try AudioCapture(.panic())
    return try marked("", buffering: buffering)
  }
}

/// A poisoned engine has no code of its own: its user can only make a new one.
nonisolated private func isPoisoned(_ error: any Error) -> Bool {
  guard let error = error as? LightingError else { return false }
  return error.code == .native && error.message.contains("panicked: make a new one")
}

/// The receiver of DMX without a network, as the suites of the contract drive it: its values are levels.
nonisolated struct ConformingDmxReceiver: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXReceiver {
    var configuration = DMXReceiverConfiguration([try DMXUniverse(1, of: .sacn)])
    configuration.interface = DMXConfiguration.demoInterface
    configuration.demoRate = valuesPerSecond
    configuration.levelsLimit = limit.map(Int.init)
    return try DMXReceiver(configuration)
  }

  func start(_ controller: DMXReceiver, mark: String, buffering: StreamBuffering) async throws -> EngineStream<
    MarkedChange
  > {
    try await controller.marked(mark, buffering: buffering)
  }

  func startPanicking(_ controller: DMXReceiver, buffering: StreamBuffering) async throws -> EngineStream<MarkedChange>
  {
    try await controller.panicking(buffering: buffering)
  }

  func saysPoisoned(_ error: any Error) -> Bool { isPoisoned(error) }

  func mark(of change: MarkedChange) -> String { change.mark }

  func sequence(of change: MarkedChange) -> UInt64 { change.sequence }
}

/// The browser of nodes without a network, as the suites of the contract drive it: its values are changes of nodes.
nonisolated struct ConformingDmxNodes: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXNodes {
    var configuration = DMXNodesConfiguration()
    configuration.interface = DMXConfiguration.demoInterface
    // Of four nodes.
    configuration.demoRate = valuesPerSecond / 4
    configuration.changesLimit = limit.map(Int.init)
    return try DMXNodes(configuration)
  }

  func start(_ controller: DMXNodes, mark: String, buffering: StreamBuffering) async throws -> EngineStream<
    MarkedChange
  > {
    try await controller.marked(mark, buffering: buffering)
  }

  func startPanicking(_ controller: DMXNodes, buffering: StreamBuffering) async throws -> EngineStream<MarkedChange> {
    try await controller.panicking(buffering: buffering)
  }

  func saysPoisoned(_ error: any Error) -> Bool { isPoisoned(error) }

  func mark(of change: MarkedChange) -> String { change.mark }

  func sequence(of change: MarkedChange) -> UInt64 { change.sequence }
}

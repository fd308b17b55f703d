import Rustle

@testable import RustleCore

extension DMXSender: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try start(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension DMXReceiver: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try levels(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension DMXNodes: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try nodes(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension LightingController: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try start(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

/// The sender of DMX without a network, as the suites of the contract drive it: its values are reports.
nonisolated struct ConformingDmxSender: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXSender {
    var configuration = DMXSenderConfiguration(.sacn)
    configuration.interface = DMXSenderConfiguration.demoInterface
    configuration.reportRate = valuesPerSecond
    configuration.reportLimit = limit.map(Int.init)
    return try DMXSender(configuration)
  }
}

/// The receiver of DMX without a network: its values are levels.
nonisolated struct ConformingDmxReceiver: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXReceiver {
    var configuration = DMXReceiverConfiguration([try DMXUniverse(1, of: .sacn)])
    configuration.interface = DMXSenderConfiguration.demoInterface
    configuration.demoRate = valuesPerSecond
    configuration.levelsLimit = limit.map(Int.init)
    return try DMXReceiver(configuration)
  }
}

/// The browser of nodes without a network: its values are changes of nodes.
nonisolated struct ConformingDmxNodes: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXNodes {
    var configuration = DMXNodesConfiguration()
    configuration.interface = DMXSenderConfiguration.demoInterface
    // Of four nodes.
    configuration.demoRate = valuesPerSecond / 4
    configuration.changesLimit = limit.map(Int.init)
    return try DMXNodes(configuration)
  }
}

/// A show without outputs, dark and still: its values are reports.
nonisolated struct ConformingShow: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> LightingController {
    var configuration = LightingController.Configuration()
    configuration.reportRate = valuesPerSecond
    configuration.reportLimit = limit.map(Int.init)
    configuration.startsInBlackout = true
    return LightingController(try LightShow(demo: .pars), configuration: configuration)
  }
}

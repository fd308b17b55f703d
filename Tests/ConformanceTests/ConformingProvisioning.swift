import Rustle

@testable import RustleCore

extension NodeScanner: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try nodes(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

/// The scan for nodes without a radio: its values are sightings.
nonisolated struct ConformingNodeRadio: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> NodeScanner {
    var configuration = NodeRadioConfiguration()
    configuration.adapter = NodeRadioConfiguration.demoAdapter
    // Of four nodes.
    configuration.demoRate = valuesPerSecond / 4
    configuration.sightingsLimit = limit.map(Int.init)
    return try NodeScanner(configuration)
  }
}

import Rustle

@testable import RustleCore

extension LinkSession: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try reports(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension LinkMonitor: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try messages(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

/// The monitor without a network: its values are messages.
nonisolated struct ConformingLinkMonitor: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> LinkMonitor {
    var configuration = LinkMonitor.Configuration()
    configuration.interfaces = [LinkMonitor.Configuration.demoInterface]
    configuration.demoRate = valuesPerSecond
    configuration.messageLimit = limit.map(Int.init)
    return try LinkMonitor(configuration)
  }
}

/// A member that takes part in nothing: its values are reports.
nonisolated struct ConformingTempo: ConformingEngine, ConformingMarkedEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> LinkSession {
    var configuration = LinkSession.Configuration()
    configuration.interfaces = []
    configuration.reportRate = valuesPerSecond
    configuration.reportLimit = limit.map(Int.init)
    return try LinkSession(configuration)
  }
}

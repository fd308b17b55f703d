import Rustle

@testable import RustleCore

/// A report, with the mark of its session.
nonisolated struct MarkedReport: Sendable {
  let mark: String
  let sequence: UInt64
}

extension DMXSender {
  func marked(_ mark: String, buffering: StreamBuffering) throws(LightingError) -> EngineStream<MarkedReport> {
    try start(
      buffering: buffering, reader: ElementReader { MarkedReport(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<MarkedReport> {
    _ = try AudioCapture(.panic())
    return try marked("", buffering: buffering)
  }
}

/// The sender of DMX without a network, as the suites of the contract drive it: its values are reports.
nonisolated struct ConformingDmxSender: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> DMXSender {
    var configuration = DMXConfiguration(.sacn)
    configuration.interface = DMXConfiguration.demoInterface
    configuration.reportRate = valuesPerSecond
    configuration.reportLimit = limit.map(Int.init)
    return try DMXSender(configuration)
  }

  func start(_ controller: DMXSender, mark: String, buffering: StreamBuffering) async throws -> EngineStream<
    MarkedReport
  > {
    try await controller.marked(mark, buffering: buffering)
  }

  func startPanicking(_ controller: DMXSender, buffering: StreamBuffering) async throws -> EngineStream<MarkedReport> {
    try await controller.panicking(buffering: buffering)
  }

  /// A poisoned sender has no code of its own: its user can only make a new one.
  func saysPoisoned(_ error: any Error) -> Bool {
    guard let error = error as? LightingError else { return false }
    return error.code == .native && error.message.contains("panicked: make a new one")
  }

  func mark(of report: MarkedReport) -> String { report.mark }

  func sequence(of report: MarkedReport) -> UInt64 { report.sequence }
}

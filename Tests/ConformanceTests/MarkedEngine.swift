import Rustle

@testable import RustleCore

/// A value of an engine whose records have no field for a mark, with the mark of its session.
nonisolated struct MarkedRecord: Sendable {
  let mark: String
  let sequence: UInt64
}

/// An engine of sound, DMX or tempo whose values carry a mark.
protocol MarkedEngine: StreamEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord>
}

extension MarkedEngine {
  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    _ = try AudioCapture(.panic())
    return try marked("", buffering: buffering)
  }
}

/// Such an engine as the suites of the contract drive it, except how it is made.
nonisolated protocol ConformingMarkedEngine: ConformingEngine where Controller: MarkedEngine, Value == MarkedRecord {}

extension ConformingMarkedEngine {
  nonisolated func start(_ controller: Controller, mark: String, buffering: StreamBuffering) async throws
    -> EngineStream<Value>
  {
    try await controller.marked(mark, buffering: buffering)
  }

  nonisolated func startPanicking(_ controller: Controller, buffering: StreamBuffering) async throws -> EngineStream<
    Value
  > {
    try await controller.panicking(buffering: buffering)
  }

  /// A poisoned engine of sound, DMX, tempo or nodes has no code of its own: its user can only make a new one.
  nonisolated func saysPoisoned(_ error: any Error) -> Bool {
    let message: String? =
      switch error {
      case let error as AudioError where error.code == .native: error.message
      case let error as LightingError where error.code == .native: error.message
      case let error as NodeError where error.code == .native: error.message
      case let error as TempoError where error.code == .native: error.message
      default: nil
      }
    return message?.contains("internal error (a bug: please report it)") == true
  }

  nonisolated func mark(of record: Value) -> String { record.mark }

  nonisolated func sequence(of record: Value) -> UInt64 { record.sequence }
}

nonisolated extension DeviceConfiguration {
  /// Making an engine of this device makes the next session that the thread starts panic, in an archive with seeded faults.
  static func panic() throws -> Self {
    Self(device: "!PANIC", format: try AudioFormat(sampleRate: 1, channels: 1), period: 1)
  }
}

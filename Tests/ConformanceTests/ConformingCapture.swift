import Rustle

@testable import RustleCore

/// A record of sound, with the mark of its session.
nonisolated struct MarkedRecord: Sendable {
  let mark: String
  let sequence: UInt64
}

/// An engine of sound whose records carry a mark.
protocol MarkedEngine: StreamEngine {
  init(_ configuration: DeviceConfiguration) throws(AudioError)

  func marked(_ mark: String, buffering: StreamBuffering) throws(AudioError) -> EngineStream<MarkedRecord>
}

extension AudioCapture: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws(AudioError) -> EngineStream<MarkedRecord> {
    try blocks(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension AudioOutput: MarkedEngine {
  func marked(_ mark: String, buffering: StreamBuffering) throws(AudioError) -> EngineStream<MarkedRecord> {
    try start(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence
    ).progress
  }
}

/// The capture, as the suites of the contract drive it: one block for each frame of the device that needs no hardware.
nonisolated struct ConformingCapture: ConformingEngine, ConformingDevice {
  typealias Controller = AudioCapture
  let name: String
}

/// The playback, as the suites of the contract drive it: one record of progress for each frame of the device that needs no
/// hardware, which is fed silence.
nonisolated struct ConformingPlayback: ConformingEngine, ConformingDevice {
  typealias Controller = AudioOutput
  let name: String
}

/// The parts shared by both.
nonisolated protocol ConformingDevice: ConformingEngine where Controller: MarkedEngine, Value == MarkedRecord {}

extension ConformingDevice {
  nonisolated func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Controller {
    try Controller(
      DeviceConfiguration(
        device: AudioDevice.demo.name, format: try AudioFormat(sampleRate: valuesPerSecond, channels: 1), period: 1,
        frameLimit: limit.map(Int.init)))
  }

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

  /// A poisoned engine of sound has no code of its own: its user can only make a new one.
  nonisolated func saysPoisoned(_ error: any Error) -> Bool {
    guard let error = error as? AudioError else { return false }
    return error.code == .native && error.message.contains("panicked: make a new one")
  }

  nonisolated func mark(of record: Value) -> String { record.mark }

  nonisolated func sequence(of record: Value) -> UInt64 { record.sequence }
}

extension MarkedEngine {
  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    _ = try Self(.panic())
    return try marked("", buffering: buffering)
  }
}

nonisolated extension DeviceConfiguration {
  /// Making an engine of this device makes the next session that the thread starts panic, in an archive with seeded faults.
  static func panic() throws -> Self {
    Self(device: "!PANIC", format: try AudioFormat(sampleRate: 1, channels: 1), period: 1)
  }
}

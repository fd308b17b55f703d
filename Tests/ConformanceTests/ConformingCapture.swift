import Rustle

@testable import RustleCore

/// A record of sound, with the mark of its session.
nonisolated struct MarkedRecord: Sendable {
  let mark: String
  let sequence: UInt64
}

/// The capture, as the suites of the contract drive it: one block for each frame of the device that needs no hardware.
nonisolated struct ConformingCapture: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> AudioCapture {
    try AudioCapture(.demo(valuesPerSecond: valuesPerSecond, limit: limit))
  }

  func start(_ controller: AudioCapture, mark: String, lane: Lane) async throws -> EngineStream<MarkedRecord> {
    try await controller.markedBlocks(mark, lane: lane)
  }

  func startPanicking(_ controller: AudioCapture, lane: Lane) async throws -> EngineStream<MarkedRecord> {
    try await controller.panickingBlocks(lane: lane)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? AudioError)?.saysPoisoned ?? false }

  func mark(of record: MarkedRecord) -> String { record.mark }

  func sequence(of record: MarkedRecord) -> UInt64 { record.sequence }
}

/// The playback, as the suites of the contract drive it: one record of progress for each frame of the device that needs no
/// hardware, which is fed silence.
nonisolated struct ConformingPlayback: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> AudioOutput {
    try AudioOutput(.demo(valuesPerSecond: valuesPerSecond, limit: limit))
  }

  func start(_ controller: AudioOutput, mark: String, lane: Lane) async throws -> EngineStream<MarkedRecord> {
    try await controller.markedProgress(mark, lane: lane)
  }

  func startPanicking(_ controller: AudioOutput, lane: Lane) async throws -> EngineStream<MarkedRecord> {
    try await controller.panickingProgress(lane: lane)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? AudioError)?.saysPoisoned ?? false }

  func mark(of record: MarkedRecord) -> String { record.mark }

  func sequence(of record: MarkedRecord) -> UInt64 { record.sequence }
}

nonisolated extension AudioError {
  /// A poisoned engine of sound has no code of its own: there is nothing else that its user could do.
  fileprivate var saysPoisoned: Bool { code == .native && message.contains("panicked: make a new one") }
}

nonisolated extension DeviceConfiguration {
  fileprivate static func demo(valuesPerSecond: Double, limit: UInt64?) throws -> Self {
    Self(
      device: AudioDevice.demo.name, format: try AudioFormat(sampleRate: valuesPerSecond, channels: 1), period: 1,
      frameLimit: limit.map(Int.init))
  }

  /// Making an engine of this device makes the next session that the thread starts panic, in an archive with seeded faults.
  static func panic() throws -> Self {
    Self(device: "!PANIC", format: try AudioFormat(sampleRate: 1, channels: 1), period: 1)
  }
}

extension AudioCapture {
  fileprivate func markedBlocks(_ mark: String, lane: Lane) throws(AudioError) -> EngineStream<MarkedRecord> {
    try blocks(
      lane: lane, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panickingBlocks(lane: Lane) throws -> EngineStream<MarkedRecord> {
    _ = try AudioCapture(.panic())
    return try markedBlocks("", lane: lane)
  }
}

extension AudioOutput {
  fileprivate func markedProgress(_ mark: String, lane: Lane) throws(AudioError) -> EngineStream<MarkedRecord> {
    try start(
      lane: lane, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence
    ).progress
  }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panickingProgress(lane: Lane) throws -> EngineStream<MarkedRecord> {
    _ = try AudioOutput(.panic())
    return try markedProgress("", lane: lane)
  }
}

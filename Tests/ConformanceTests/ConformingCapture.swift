import Rustle

@testable import RustleCore

/// An engine of sound that a device's configuration makes.
protocol MarkedDevice: MarkedEngine {
  init(_ configuration: DeviceConfiguration) throws(AudioError)
}

extension AudioCapture: MarkedDevice {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
    try blocks(
      buffering: buffering, reader: ElementReader { MarkedRecord(mark: mark, sequence: $0.sequence) },
      sequenceNumber: \.sequence)
  }
}

extension AudioOutput: MarkedDevice {
  func marked(_ mark: String, buffering: StreamBuffering) throws -> EngineStream<MarkedRecord> {
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
nonisolated protocol ConformingDevice: ConformingMarkedEngine where Controller: MarkedDevice {}

extension ConformingDevice {
  nonisolated func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Controller {
    try Controller(
      DeviceConfiguration(
        device: AudioDevice.demo.name, format: try AudioFormat(sampleRate: valuesPerSecond, channels: 1), period: 1,
        frameLimit: limit.map(Int.init)))
  }
}

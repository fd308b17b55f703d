import Foundation
import RustleAudio
import RustleCore

/// Sound for tests.
enum Sounds {
  /// Interleaved frames of one sine per channel, in sine phase at frame 0.
  static func tones(
    _ tones: [(frequency: Double, amplitude: Double)], frames: Range<Int>, sampleRate: Double = 48_000
  ) -> [Float] {
    frames.flatMap { frame in
      tones.map { Float($0.amplitude * sin(2 * Double.pi * ($0.frequency * Double(frame) / sampleRate))) }
    }
  }

  /// The power of one channel's samples in dB relative to full scale.
  static func power(of samples: [Float], channel: Int = 0, channels: Int = 1) -> Double {
    let squares = stride(from: channel, to: samples.count, by: channels).map { pow(Double(samples[$0]), 2) }
    return 10 * log10(squares.reduce(0, +) / Double(squares.count))
  }

  /// Samples in buffers that follow one another.
  static func buffers(_ samples: [Float], format: AudioFormat, frames: Int) -> [PCMBuffer] {
    stride(from: 0, to: samples.count, by: frames * format.channels).map { start in
      PCMBuffer(
        format: format, wholeFrames: Array(samples[start..<min(samples.count, start + frames * format.channels)]),
        position: Int64(start / format.channels))
    }
  }
}

/// Buffers that are known beforehand, and perhaps an error after them.
struct ScriptedInput: AudioInput {
  struct Broken: Error, Equatable {}

  let buffersToGive: [PCMBuffer]
  var end: (any Error)?
  /// Why it cannot be opened.
  var refusal: (any Error)?

  func buffers() async throws -> AsyncThrowingStream<PCMBuffer, any Error> {
    if let refusal { throw refusal }
    var rest = buffersToGive[...]
    let end = end
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: PCMBuffer.self)
    while let buffer = rest.popFirst() { continuation.yield(buffer) }
    continuation.finish(throwing: end)
    return stream
  }
}

extension NativeRuntime {
  func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    advance(nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
  }

  /// Lets the time go on, 10 ms after 10 ms, until `work` is done.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let done = OneShot()
    let task = Task {
      defer { done.fire() }
      return try await work()
    }
    while !done.isFired {
      advance(by: .milliseconds(10))
      await Task.yield()
    }
    return try await task.value
  }
}

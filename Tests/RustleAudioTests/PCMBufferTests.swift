import TestSupport
import Testing

@testable import RustleAudio

@Suite(.releasesNativeObjects) struct AudioBufferTests {
  private func buffer(
    _ samples: [Float] = [0, 1, 2, 3], position: Int64 = 480, lost: Int64 = 0, number: UInt64 = 0
  ) throws -> PCMBuffer {
    PCMBuffer(
      format: try AudioFormat(sampleRate: 48_000, channels: 2), wholeFrames: samples, position: position,
      droppedFrames: lost,
      overruns: 0, number: number)
  }

  @Test func placeIsInFramesAndSeconds() throws {
    let buffer = try buffer()
    #expect(buffer.frameCount == 2)
    #expect(buffer.time == .milliseconds(10))
    #expect(buffer.duration == .seconds(2.0 / 48_000))
  }

  @Test func equalBuffersHaveTheSameSoundPlaceAndLosses() throws {
    let first = try buffer()
    #expect(try first == buffer(number: 7), "the number in a lane is no property of the sound")
    #expect(try first.hashValue == buffer(number: 7).hashValue)
    for other in [try buffer([0, 1, 2, 4]), try buffer(position: 481), try buffer(lost: 1)] {
      #expect(first != other)
      #expect(Set([first, other]).count == 2)
    }
  }

  @Test func framesOfARangeKeepTheirPlace() throws {
    let buffer = try buffer([0, 1, 2, 3, 4, 5], position: 480, lost: 7)
    #expect(buffer.frames(0..<3) == buffer)
    #expect(try buffer.frames(0..<1) == self.buffer([0, 1], position: 480, lost: 7))
    #expect(try buffer.frames(1..<3) == self.buffer([2, 3, 4, 5], position: 481))
    #expect(try buffer.frames(3..<3) == self.buffer([], position: 483))
  }

  @Test func samplesThatFitNoFrameTrap() throws {
    let stereo = try AudioFormat(sampleRate: 48_000, channels: 2)
    let error = #expect(throws: AudioError.self) { try PCMBuffer(format: stereo, samples: [0, 1, 2], position: 0) }
    #expect(error?.code == .validation)
    #expect(error?.message == "samples: expected whole frames of 2, got 3 samples")
    #expect(try PCMBuffer(format: stereo, samples: [0, 1, 2, 3], position: 480) == buffer())
    #expect(try PCMBuffer(format: stereo, samples: [], position: 480) == buffer([]))
  }

  @Test func anotherFormatIsRefused() throws {
    let buffer = try buffer()
    try buffer.expect(AudioFormat(sampleRate: 48_000, channels: 2))
    let error = #expect(throws: AudioError.self) { try buffer.expect(AudioFormat(sampleRate: 44_100, channels: 2)) }
    #expect(error?.code == .formatMismatch)
    #expect(error?.message == "expected sound of 44100 Hz, stereo, got 48000 Hz, stereo")
  }

  @Test(arguments: [(-1, 1), (0, 1), (1, 48_000), (0.5, 24_000), (1e300, 1_000_000_000)])
  func durationsAreWholeFramesWithinReason(seconds: Double, frames: Int) throws {
    let duration: Duration = seconds > 1e12 ? .seconds(Int64.max / 2) : .seconds(seconds)
    #expect(try AudioFormat(sampleRate: 48_000, channels: 2).frames(in: duration) == frames)
  }

  /// A buffer of fewer blocks than two wakes deliver would drop some although no consumer is slow.
  @Test(arguments: [
    (48_000.0, 1, 480, 402), (48_000, 2, 480, 804), (8_000, 32, 65_536, 16_384), (48_000, 32, 65_536, 16_384),
    (1_000_000, 1, 1, 65_536), (8_000, 1, 8_000, 256), (48_000, 1, 257, 748), (1, 1, 0, 256),
  ])
  func laneHoldsTwoSecondsAndTwoWakes(rate: Double, channels: Int, period: Int, blocks: Int) throws {
    let format = try AudioFormat(sampleRate: rate, channels: channels)
    #expect(DeviceConfiguration(format: format, period: period).blocksOfTwoSeconds == blocks)
  }
}

import Foundation
import RustleAudio
import RustleCore
import TestSupport
import Testing

/// The built-in device, on a clock that the test moves.
@Suite(.releasesNativeObjects) struct AudioCaptureTests {
  private let runtime: NativeRuntime
  private let format: AudioFormat

  init() throws {
    runtime = try NativeRuntime(wallMilliseconds: 0)
    format = try AudioFormat(sampleRate: 48_000, channels: 2)
  }

  private func capture(limit: Int? = nil, period: Int = 480) throws -> AudioCapture {
    let configuration = DeviceConfiguration(
      device: AudioDevice.demo.name, format: format, period: period, frameLimit: limit)
    return try AudioCapture(configuration, runtime: runtime)
  }

  private func all(_ buffers: CaptureBuffers) async throws -> [PCMBuffer] {
    var all: [PCMBuffer] = []
    for try await buffer in buffers { all.append(buffer) }
    return all
  }

  private static func code(of body: () async throws -> Void) async -> AudioError.Code? {
    await #expect(throws: AudioError.self) { try await body() }?.code
  }

  @Test func buffersHoldTogetherAndCarryFormatAndPlace() async throws {
    let capture = try capture(limit: 48_000)
    let buffers = try await capture.buffers(of: .milliseconds(20))
    runtime.advance(by: .seconds(1))
    let all = try await all(buffers)
    var next: Int64 = 0
    for buffer in all {
      #expect(buffer.format == format)
      #expect(buffer.position == next)
      #expect(buffer.droppedFrames == 0 && buffer.overruns == 0)
      #expect((1...960).contains(buffer.frameCount))
      next += Int64(buffer.frameCount)
    }
    #expect(next == 48_000)
    #expect(all.count < 70, "blocks of 128 and 96 frames were put together")
    #expect(all[1].time == .seconds(Double(all[0].frameCount) / 48_000))
    #expect(await capture.statistics == buffers.statistics)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test func soundIsTheSwell() async throws {
    let capture = try capture(limit: 4_800)
    let buffers = try await capture.buffers()
    runtime.advance(by: .seconds(1))
    let samples = try await all(buffers).flatMap(\.samples)
    for frame in [0, 1, 27, 4_799] {
      let seconds = Double(frame) / 48_000
      let amplitude = pow(10, -3 * (1 - seconds / 10))
      #expect(abs(Double(samples[2 * frame]) - amplitude * sin(2 * .pi * 440 * seconds)) < 1e-6)
      #expect(abs(Double(samples[2 * frame + 1]) - amplitude * sin(2 * .pi * 880 * seconds)) < 1e-6)
    }
  }

  @Test func whatASlowConsumerLosesIsReportedByTheNextBuffer() async throws {
    let capture = try capture(limit: 480_000)
    let buffers = try await capture.buffers()
    runtime.advance(by: .seconds(10))
    let all = try await all(buffers)
    let first = try #require(all.first)
    #expect(first.droppedFrames == first.position)
    #expect((300_000...400_000).contains(first.droppedFrames), "about two seconds of ten are kept")
    #expect(all.dropFirst().allSatisfy { $0.droppedFrames == 0 })
    #expect(all.reduce(0) { $0 + Int64($1.frameCount) + $1.droppedFrames } == 480_000)
    #expect(buffers.statistics.dropped > 0)
  }

  @Test(arguments: [1, 128, 479, 1_000]) func limitEndsTheStreamAtItsFrame(limit: Int) async throws {
    let capture = try capture(limit: limit)
    let buffers = try await capture.buffers()
    runtime.advance(by: .seconds(1))
    #expect(try await all(buffers).reduce(0) { $0 + $1.frameCount } == limit)
  }

  @Test func wakeOfMoreBlocksThanTheLaneOnceHeldLosesNone() async throws {
    let wide = try AudioFormat(sampleRate: 8_000, channels: 32)
    let configuration = DeviceConfiguration(device: "demo", format: wide, period: 65_536, frameLimit: 65_536)
    let capture = try AudioCapture(configuration, runtime: runtime)
    let buffers = try await capture.buffers()
    runtime.advance(by: .zero)
    let all = try await all(buffers)
    #expect(all.reduce(0) { $0 + $1.frameCount } == 65_536)
    #expect(all.allSatisfy { $0.droppedFrames == 0 })
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max / 2)])
  func anyDurationIsTaken(duration: Duration) async throws {
    let capture = try capture(limit: 960)
    let buffers = try await capture.buffers(of: duration)
    runtime.advance(by: .seconds(1))
    #expect(try await all(buffers).reduce(0) { $0 + $1.frameCount } == 960)
  }

  @Test func streamsAreOfTheirOwn() async throws {
    let capture = try capture(limit: 960)
    let first = try await capture.buffers()
    let second = try await capture.buffers()
    runtime.advance(by: .seconds(1))
    #expect(try await all(first).flatMap(\.samples) == all(second).flatMap(\.samples))
    #expect(await capture.statistics.produced == first.statistics.produced * 2)
  }

  @Test func secondIteratorEndsAtOnce() async throws {
    let capture = try capture(limit: 960)
    let buffers = try await capture.buffers()
    runtime.advance(by: .seconds(1))
    var first = buffers.makeAsyncIterator()
    var second = buffers.makeAsyncIterator()
    #expect(try await second.next() == nil)
    #expect(try await first.next() != nil)
    extendLifetime(capture)
  }

  // MARK: The buffering policies

  @Test func laneOfEventsShowsNoHoleWhereNoneIs() async throws {
    let capture = try capture(limit: 4_800)
    let stream = try await capture.blocks(buffering: .perValue(capacity: 1_024))
    runtime.advance(by: .seconds(1))
    var next: Int64 = 0
    for await element in stream {
      let block = try #require(element.value, "a gap at frame \(next)")
      #expect(block.position == next)
      #expect(block.samples.count <= 256)
      next += Int64(block.frameCount)
    }
    #expect(next == 4_800)
  }

  @Test(arguments: [
    StreamBuffering.perValue(capacity: 8), .batched(capacity: 8), .batched(capacity: 1, overflow: .conflate),
  ])
  func laneReportsLostBlocks(buffering: StreamBuffering) async throws {
    let capture = try capture(limit: 4_800)
    let stream = try await capture.blocks(buffering: buffering)
    runtime.advance(by: .seconds(1))
    var gaps: UInt64 = 0
    var blocks: [PCMBuffer] = []
    for await element in stream {
      switch element {
      case .gap(let count): gaps += count
      case .value(let block): blocks.append(block)
      }
    }
    // Ten wakes of 480 frames each, which are four blocks.
    #expect(gaps + UInt64(blocks.count) == 40)
    #expect(blocks.count == (buffering == .batched(capacity: 1, overflow: .conflate) ? 1 : 8))
    #expect(blocks.last?.position == 4_704)
    #expect(stream.statistics.dropped == gaps)
  }

  // MARK: The end

  @Test func cancelDeliversWhatWaitsAndEnds() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers()
    runtime.advance(by: .milliseconds(15))
    await capture.cancel()
    #expect(await capture.liveStreamCount == 0)
    #expect(try await all(buffers).reduce(0) { $0 + $1.frameCount } == 960)
    let again = try await capture.buffers()
    runtime.advance(by: .zero)
    var iterator = again.makeAsyncIterator()
    #expect(try await iterator.next()?.position == 0, "a new one begins anew")
  }

  @Test func shutDownEndsAndRefuses() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers()
    await capture.shutDown()
    _ = try await all(buffers)
    #expect(await Self.code { _ = try await capture.buffers() } == .shutDown)
    await capture.shutDown()
  }

  @Test func droppingTheCaptureEndsItsStreams() async throws {
    var capture: AudioCapture? = try capture()
    let buffers = try #require(try await capture?.buffers())
    capture = nil
    runtime.advance(by: .zero)
    _ = try await all(buffers)
  }

  @Test func droppingTheBuffersEndsTheSession() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers()
    #expect(await capture.liveStreamCount == 1)
    _ = consume buffers
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test func leavingTheLoopEndsTheSession() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers()
    runtime.advance(by: .milliseconds(100))
    for try await _ in buffers { break }
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test func cancellingTheTaskEndsTheSessionAndGivesNothingMore() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers(of: .milliseconds(1))
    runtime.advance(by: .milliseconds(100))
    let (reading, cancelled) = (OneShot(), OneShot())
    let consumer = Task {
      var iterator = buffers.makeAsyncIterator()
      let first = try await iterator.next()
      reading.fire()
      await cancelled.wait()
      // More than one of these waits in the iterator.
      return (first != nil, try await iterator.next())
    }
    await reading.wait()
    consumer.cancel()
    cancelled.fire()
    let (hadOne, more) = try await consumer.value
    #expect(hadOne)
    #expect(more == nil)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test func taskThatWaitsIsCancelled() async throws {
    let capture = try capture()
    let buffers = try await capture.buffers()
    let frames = SeenMutex(0)
    let consumer = Task {
      for try await buffer in buffers { frames.withLock { $0 += buffer.frameCount } }
    }
    runtime.advance(by: .zero)
    // Until it has read everything: elements that have left the buffer may still be on their way.
    while frames.withLock({ $0 }) < 480 { await Task.yield() }
    consumer.cancel()
    try await consumer.value
    #expect(frames.withLock { $0 } == 480)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }

  // MARK: Refusals

  @Test func deviceThatDoesNotExistIsNotFound() async throws {
    let capture = try AudioCapture(DeviceConfiguration(device: "no such device", format: format))
    let code = await Self.code { _ = try await capture.buffers() }
    #expect(code == .deviceNotFound || code == .noSoundLibrary)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test func numbersOutOfRangeAreRefused() async throws {
    let odd = try AudioFormat(sampleRate: 44_100.5, channels: 1)
    for (configuration, text) in [
      (DeviceConfiguration(device: "demo", format: odd), "sampleRate: expected a whole number of hertz, got 44100.5"),
      (DeviceConfiguration(device: "demo", format: format, frameLimit: 0), "frameLimit: expected 1 frame or more"),
      (DeviceConfiguration(device: "demo", format: format, frameLimit: -5), "frameLimit: expected 1 frame or more"),
      (DeviceConfiguration(device: "demo", format: format, period: 0), "period: expected 1 to 65536 frames, got 0"),
      (DeviceConfiguration(device: "demo", format: format, period: -1), "period: expected 1 to 65536 frames, got -1"),
      (DeviceConfiguration(device: "demo", format: format, period: 65_537), "got 65537"),
    ] {
      let error = #expect(throws: AudioError.self) { _ = try AudioCapture(configuration) }
      #expect(error?.code == .validation)
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
    #expect(DeviceConfiguration(format: format).period == 480)
  }

  @Test(arguments: [-1, 0, 65_537, .max]) func capacityOutOfRangeIsRefused(capacity: Int) async throws {
    let capture = try capture()
    #expect(await Self.code { _ = try await capture.blocks(buffering: .batched(capacity: capacity)) } == .validation)
    #expect(await capture.liveStreamCount == 0)
  }

  // MARK: A device with a thread

  /// ALSA's null device delivers silence as fast as it is read: faster than any consumer.
  @Test func everyFrameOfADeviceIsGivenOrReportedAsLost() async throws {
    let capture = try AudioCapture(DeviceConfiguration(device: "null", format: format, frameLimit: 480_000))
    let buffers: CaptureBuffers
    do throws(AudioError) {
      buffers = try await capture.buffers()
    } catch {
      #expect(error.code == .noSoundLibrary)
      return
    }
    var next: Int64 = 0
    for try await buffer in buffers {
      #expect(buffer.position == next + buffer.droppedFrames)
      #expect(buffer.samples.allSatisfy { $0 == 0 })
      next = buffer.position + Int64(buffer.frameCount)
    }
    #expect((1...480_000).contains(next))
    await capture.shutDown()
  }
}

import RustleAudio
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct SoundLevelReadingsTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(
    frames: Int, inBuffersOf size: Int, end: (any Error)? = nil
  ) -> ScriptedInput {
    let samples = Sounds.tones([(1_000, 0.1)], frames: 0..<frames)
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: size), end: end)
  }

  private func seconds(
    _ input: some AudioInput, every interval: Duration = .milliseconds(125)
  ) async throws -> [Double] {
    let meter = try SoundLevelMeter(format: format)
    var seconds: [Double] = []
    for try await reading in try await meter.readings(of: input, every: interval) { seconds.append(reading.seconds) }
    return seconds
  }

  @Test(arguments: [1_000, 4_800, 6_000, 48_000])
  func readingsComeAfterEachInterval(size: Int) async throws {
    let eighths = (1...8).map { 0.125 * Double($0) }
    // A measurement that has just been read has no other end.
    #expect(try await seconds(input(frames: 48_000, inBuffersOf: size)) == eighths)
    let more = try await seconds(input(frames: 50_400, inBuffersOf: size))
    #expect(more == eighths + [1.05])
  }

  @Test func inputWithoutSoundHasNoReading() async throws {
    #expect(try await seconds(ScriptedInput(buffersToGive: [])).isEmpty)
    let empty = PCMBuffer(format: format, wholeFrames: [], position: 0)
    #expect(try await seconds(ScriptedInput(buffersToGive: [empty, empty])).isEmpty)
    #expect(try await seconds(input(frames: 1, inBuffersOf: 1)).count == 1)
  }

  @Test func intervalIsAMillisecondAtTheLeast() async throws {
    for interval in [Duration.zero, .seconds(-1), .milliseconds(1)] {
      #expect(try await seconds(input(frames: 480, inBuffersOf: 100), every: interval).count == 10)
    }
    #expect(try await seconds(input(frames: 480, inBuffersOf: 100), every: .seconds(Int64.max / 2)) == [0.01])
  }

  @Test func readingsAreOfTheSoundSoFar() async throws {
    let meter = try SoundLevelMeter(format: format)
    var last: SoundLevelReading?
    for try await reading in try await meter.readings(of: input(frames: 96_000, inBuffersOf: 4_096)) { last = reading }
    #expect(try await meter.reading == last)
    #expect(abs(try #require(last).equivalentContinuousLevel + 23.01) < 0.03)
  }

  @Test func errorOfTheInputIsThrownAndTheEnd() async throws {
    let meter = try SoundLevelMeter(format: format)
    let broken = input(frames: 7_000, inBuffersOf: 1_000, end: ScriptedInput.Broken())
    var readings = try await meter.readings(of: broken).makeAsyncIterator()
    #expect(try await readings.next()?.seconds == 0.125)
    await #expect(throws: ScriptedInput.Broken()) { try await readings.next() }
    #expect(try await readings.next() == nil)
    let refused = ScriptedInput(buffersToGive: [], refusal: ScriptedInput.Broken())
    await #expect(throws: ScriptedInput.Broken()) { try await meter.readings(of: refused) }
  }

  @Test func anotherFormatIsAnErrorAndTheEnd() async throws {
    let meter = try SoundLevelMeter(format: format)
    let other = PCMBuffer(format: try AudioFormat(sampleRate: 44_100, channels: 1), wholeFrames: [0], position: 0)
    let mixed = ScriptedInput(buffersToGive: input(frames: 1_000, inBuffersOf: 1_000).buffersToGive + [other])
    var readings = try await meter.readings(of: mixed).makeAsyncIterator()
    let error = await #expect(throws: AudioError.self) { try await readings.next() }
    #expect(error?.code == .formatMismatch)
    #expect(try await readings.next() == nil)
    #expect(abs(try await meter.reading.seconds - 1_000 / 48_000) < 1e-12)
  }

  @Test func captureIsMeasuredUntilItsTaskIsCancelled() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format), runtime: runtime)
    let meter = try SoundLevelMeter(format: format)
    let readings = try await meter.readings(of: capture)
    let (reading, reported) = (OneShot(), OneShot())
    let task = Task {
      var seconds: [Double] = []
      for try await reading in readings {
        seconds.append(reading.seconds)
        reported.fire()
      }
      reading.fire()
      return seconds
    }
    // The sound of the first reading and some more: it waits until the task comes to it.
    runtime.advance(by: .zero)
    runtime.advance(by: .milliseconds(200))
    await reported.wait()
    task.cancel()
    let seconds = try await task.value
    #expect(reading.isFired && seconds.first == 0.125)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }
}

import RustleAudio
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TunerUpdatesTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(frames: Int, inBuffersOf size: Int, end: (any Error)? = nil) -> ScriptedInput {
    let samples = TunerTests.tone(440, frames: 0..<frames)
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: size), end: end)
  }

  private func updates(_ input: some AudioInput, every interval: Duration = .zero) async throws -> [TunerUpdate] {
    let tuner = try Tuner(format: format)
    var updates: [TunerUpdate] = []
    for try await update in try await tuner.updates(of: input, every: interval) { updates.append(update) }
    return updates
  }

  @Test(arguments: [100, 512, 4_800, 48_000]) func everyFrameIsShown(size: Int) async throws {
    let all = try await updates(input(frames: 48_000, inBuffersOf: size))
    #expect(
      all == (try await Tuner(format: format).process(input(frames: 48_000, inBuffersOf: 48_000).buffersToGive[0])))
    #expect(all == (try await updates(input(frames: 48_000, inBuffersOf: size), every: .seconds(-1))))
  }

  /// Frames are 10.67 ms apart, which does not divide 100 ms: on the whole there are ten a second all the same.
  @Test func anIntervalGivesTheNewestAndTheLast() async throws {
    let all = try await updates(input(frames: 144_000, inBuffersOf: 4_800))
    let some = try await updates(input(frames: 144_000, inBuffersOf: 4_800), every: .milliseconds(100))
    #expect(some.first == all.first && some.last == all.last)
    #expect(some.allSatisfy { update in all.contains { $0 == update } })
    #expect((29...31).contains(some.count))
    for (earlier, later) in zip(some, some.dropFirst().dropLast()) {
      #expect((0.085...0.115).contains(later.time - earlier.time))
    }
    let few = try await updates(input(frames: 48_000, inBuffersOf: 4_800), every: .seconds(3_600))
    #expect(few.count == 2)
  }

  @Test func inputWithoutSoundShowsNothing() async throws {
    #expect(try await updates(ScriptedInput(buffersToGive: [])).isEmpty)
    #expect(try await updates(input(frames: 100, inBuffersOf: 10)).isEmpty)
  }

  @Test func errorOfTheInputIsThrownAndTheEnd() async throws {
    let tuner = try Tuner(format: format)
    let broken = input(frames: 9_600, inBuffersOf: 4_800, end: ScriptedInput.Broken())
    var updates = try await tuner.updates(of: broken, every: .seconds(1)).makeAsyncIterator()
    #expect(try await updates.next() != nil)
    await #expect(throws: ScriptedInput.Broken()) { try await updates.next() }
    #expect(try await updates.next() == nil)
    let refused = ScriptedInput(buffersToGive: [], refusal: ScriptedInput.Broken())
    await #expect(throws: ScriptedInput.Broken()) { try await tuner.updates(of: refused) }
  }

  @Test func anotherFormatIsAnErrorAndTheEnd() async throws {
    let other = PCMBuffer(format: try AudioFormat(sampleRate: 44_100, channels: 1), wholeFrames: [0], position: 0)
    let tuner = try Tuner(format: format)
    var updates = try await tuner.updates(of: ScriptedInput(buffersToGive: [other])).makeAsyncIterator()
    let error = await #expect(throws: AudioError.self) { try await updates.next() }
    #expect(error?.code == .formatMismatch)
    #expect(try await updates.next() == nil)
  }

  /// A listener that looks late sees the newest, and the end when the tuner is gone.
  @Test func listenersSeeTheNewest() async throws {
    var tuner: Tuner? = try Tuner(format: format)
    let listener = try #require(tuner).updates()
    let all = try await tuner?.process(input(frames: 48_000, inBuffersOf: 48_000).buffersToGive[0])
    tuner = nil
    var seen: [TunerUpdate] = []
    for await update in listener { seen.append(update) }
    #expect(seen == all?.suffix(1))
  }

  @Test func captureIsListenedToUntilItsTaskIsCancelled() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format), runtime: runtime)
    let tuner = try Tuner(format: format)
    let updates = try await tuner.updates(of: capture, every: .milliseconds(50))
    let reported = OneShot()
    let task = Task {
      var times: [Double] = []
      for try await update in updates {
        times.append(update.time)
        reported.fire()
      }
      return times
    }
    // As much sound as the first update takes, and a period: it waits until the task comes to it.
    runtime.advance(by: .zero)
    runtime.advance(by: .seconds(Double(await tuner.frameLength) / 48_000 + 0.02))
    await reported.wait()
    task.cancel()
    let times = try await task.value
    #expect(times.first == Double(await tuner.frameLength / 2) / 48_000)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
  }
}

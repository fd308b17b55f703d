import RustleAudio
import RustleCore
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct NoiseMeterViewModelTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(seconds: Double, end: (any Error)? = nil) -> ScriptedInput {
    let samples = Sounds.tones([(1_000, 0.1)], frames: 0..<Int(48_000 * seconds))
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: 4_800), end: end)
  }

  @Test func readingsAreShownAndTheLastOneStays() async throws {
    let model = NoiseMeterViewModel()
    #expect(!model.isRunning && model.reading == nil)
    model.start(input(seconds: 2), format: format)
    #expect(model.isRunning)
    while model.isRunning { await Task.yield() }
    #expect(model.reading?.seconds == 2)
    #expect(model.history.points.count == 16 && model.history.points.last?.seconds == 2)
    #expect(model.error == nil)
  }

  @Test func newMeasurementTakesThePlaceOfTheOneBefore() async throws {
    let model = NoiseMeterViewModel()
    model.start(input(seconds: 9), format: format)
    model.start(input(seconds: 1), format: format)
    while model.isRunning { await Task.yield() }
    #expect(model.reading?.seconds == 1)
    #expect(model.history.points.count == 8)
  }

  @Test func errorsAreShown() async throws {
    let model = NoiseMeterViewModel()
    model.start(input(seconds: 1, end: ScriptedInput.Broken()), format: format)
    while model.isRunning { await Task.yield() }
    #expect(model.error is ScriptedInput.Broken)
    #expect(model.reading?.seconds == 1, "what was measured stays")
    model.start(input(seconds: 1), format: try AudioFormat(sampleRate: 44_100, channels: 1))
    #expect(model.error == nil && model.reading == nil)
    while model.isRunning { await Task.yield() }
    #expect((model.error as? AudioError)?.code == .formatMismatch)
  }

  @Test func stopLeavesTheInput() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format), runtime: runtime)
    let model = NoiseMeterViewModel()
    model.start(capture, format: format)
    while model.reading == nil {
      runtime.advance(by: .milliseconds(10))
      await Task.yield()
    }
    await model.stop()
    #expect(!model.isRunning && model.reading != nil && model.error == nil)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
    await model.stop()
  }
}

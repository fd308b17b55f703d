import RustleAudio
import RustleCore
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct VoiceViewModelTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(_ f0: Double, seconds: Double = 0.5, end: (any Error)? = nil) -> ScriptedInput {
    let samples = Voices.vowel(f0: f0, formants: Voices.a, seconds: seconds, sampleRate: 48_000)
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: 4_800), end: end)
  }

  private func finish(_ model: VoiceViewModel) async {
    while model.isRunning { await Task.yield() }
  }

  @Test func framesAreShownAndTheNewestStay() async throws {
    let model = VoiceViewModel(historyLimit: 10)
    #expect(!model.isRunning && model.frame == nil && model.pitch == nil && model.summary == nil)
    #expect(model.history.isEmpty && model.errorText == nil && model.historyLimit == 10)
    model.start(input(150), format: format)
    #expect(model.isRunning)
    await finish(model)
    let samples = Voices.vowel(f0: 150, formants: Voices.a, seconds: 0.5, sampleRate: 48_000)
    let whole = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
    #expect(whole.frames.count > 10 && model.history == Array(whole.frames.suffix(10)))
    #expect(model.frame == whole.frames.last && model.summary == whole.summary && model.error == nil)
    #expect(abs((model.pitch ?? 0) - 150) < 0.1)
    #expect(VoiceViewModel(historyLimit: -3).historyLimit == 1)
  }

  @Test func newRunTakesThePlaceOfTheOneBefore() async throws {
    let model = VoiceViewModel()
    model.start(input(150, seconds: 1), format: format)
    model.start(input(220), format: format)
    await finish(model)
    #expect(abs((model.summary?.medianPitch ?? 0) - 220) < 0.2)
    #expect(model.history.allSatisfy { $0.time < 0.5 })
  }

  @Test func errorsAreShown() async throws {
    let model = VoiceViewModel()
    model.start(input(150, end: ScriptedInput.Broken()), format: format)
    await finish(model)
    #expect(model.error is ScriptedInput.Broken && model.errorText?.isEmpty == false)
    #expect(model.frame != nil && model.summary?.frames == model.history.count, "what was shown stays")
    model.start(input(150), format: try AudioFormat(sampleRate: 44_100, channels: 1))
    #expect(model.error == nil && model.frame == nil && model.history.isEmpty && model.summary == nil)
    await finish(model)
    #expect((model.error as? AudioError)?.code == .formatMismatch)
    model.start(input(150), format: format, channel: .channel(1))
    #expect(!model.isRunning && model.errorText == "channel: expected one below 1, got 1")
  }

  @Test func stopLeavesTheInput() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format), runtime: runtime)
    let model = VoiceViewModel()
    model.start(capture, format: format)
    runtime.advance(by: .zero)
    while model.frame == nil {
      runtime.advance(by: .milliseconds(10))
      await Task.yield()
    }
    await model.stop()
    #expect(!model.isRunning && model.frame != nil && model.error == nil)
    #expect((model.summary?.frames ?? 0) >= model.history.count)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
    await model.stop()
  }
}

import RustleAudio
import RustleCore
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct TunerViewModelTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private func input(_ frequency: Double, seconds: Double, end: (any Error)? = nil) -> ScriptedInput {
    let samples = TunerTests.tone(frequency, frames: 0..<Int(48_000 * seconds))
    return ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: 4_800), end: end)
  }

  private func finish(_ model: TunerViewModel) async {
    while model.isRunning { await Task.yield() }
  }

  @Test func updatesAreShownAndTheLastOneStays() async throws {
    let model = TunerViewModel()
    #expect(!model.isRunning && model.reading == nil && model.text == "no tone" && model.level == -.infinity)
    #expect(model.confidence == 0 && !model.isHeld && model.stringIndex == nil)
    model.start(input(442, seconds: 2), format: format)
    #expect(model.isRunning)
    await finish(model)
    #expect(model.reading?.noteText == "A4" && model.error == nil)
    #expect(model.text == "A4, 7.9 cents sharp" && model.confidence > 0.5 && model.level > -30 && !model.isHeld)
  }

  @Test func newRunTakesThePlaceOfTheOneBefore() async throws {
    let model = TunerViewModel()
    model.start(input(440, seconds: 9), format: format)
    model.start(input(196, seconds: 1), format: format)
    await finish(model)
    #expect(model.reading?.noteText == "G3" && (model.update?.time ?? 9) < 1)
  }

  @Test func errorsAreShown() async throws {
    let model = TunerViewModel()
    model.start(input(440, seconds: 1, end: ScriptedInput.Broken()), format: format)
    await finish(model)
    #expect(model.error is ScriptedInput.Broken)
    #expect(model.reading?.noteText == "A4", "what was shown stays")
    model.start(input(440, seconds: 1), format: try AudioFormat(sampleRate: 44_100, channels: 1))
    #expect(model.error == nil && model.update == nil)
    await finish(model)
    #expect((model.error as? AudioError)?.code == .formatMismatch)
    // What is set before it runs is refused when it does.
    let wrong = TunerViewModel(configuration: TunerConfiguration(channel: .channel(1)))
    wrong.start(input(440, seconds: 1), format: format)
    #expect(!wrong.isRunning && (wrong.error as? AudioError)?.code == .validation)
  }

  @Test func settingsHoldBeforeAndWhileItRuns() async throws {
    let model = TunerViewModel()
    await model.set(tuning: try Tuning(reference: 442))
    try await model.set(instrument: Instrument(.violin))
    await #expect(throws: AudioError.self) { try await model.set(needle: NeedleOptions(noteFrames: 0)) }
    try await model.set(needle: .raw)
    model.start(input(442, seconds: 1), format: format)
    try await model.set(instrument: Instrument(.guitar))
    await finish(model)
    #expect(model.configuration.instrument == Instrument(.guitar) && model.configuration.needle == .raw)
    #expect(model.reading?.noteText == "E4" && model.stringIndex == 5)
    #expect(model.update?.tuning.reference == 442)
  }

  @Test func whatIsSetWhileTheTunerIsBusyHoldsForARunThatBeginsMeanwhile() async throws {
    // One buffer keeps a tuner busy for longer than it takes to begin anew.
    let samples = TunerTests.tone(196, frames: 0..<48_000 * 5)
    let long = ScriptedInput(buffersToGive: Sounds.buffers(samples, format: format, frames: samples.count))
    let model = TunerViewModel()
    model.start(long, format: format)
    var isSetting = false
    let setting = Task {
      isSetting = true
      try await model.set(instrument: Instrument(.violin))
      try await model.set(needle: .raw)
    }
    while !isSetting { await Task.yield() }
    model.start(input(442, seconds: 1), format: format)
    try await setting.value
    await finish(model)
    #expect(model.configuration.instrument == Instrument(.violin) && model.configuration.needle == .raw)
    #expect(model.reading?.noteText == "A4" && model.stringIndex == 2)
  }

  @Test func anInstrumentThatIsRefusedLeavesTheOneBefore() async throws {
    let model = TunerViewModel()
    let slow = try AudioFormat(sampleRate: 8_000, channels: 1)
    let tone = Sounds.buffers(TunerTests.tone(110, frames: 0..<16_000), format: slow, frames: 800)
    let high = try Instrument(name: "whistle", notes: "G9")
    try await model.set(instrument: Instrument(.guitar))
    model.start(ScriptedInput(buffersToGive: tone), format: slow)
    let first = Task { try await model.set(instrument: high) }
    let second = Task { try await model.set(instrument: high) }
    await #expect(throws: AudioError.self) { try await first.value }
    await #expect(throws: AudioError.self) { try await second.value }
    #expect(model.configuration.instrument == Instrument(.guitar))
    await finish(model)
  }

  @Test func aLearnedReferenceIsTheModelsToo() async throws {
    let model = TunerViewModel()
    try await model.learnReference()
    model.start(input(443, seconds: 6), format: format)
    try await model.learnReference(note: .a4)
    await finish(model)
    #expect(abs(model.configuration.tuning.reference - 443) < 0.1)
    #expect(model.update?.isLearning == false)
  }

  @Test func stopLeavesTheInput() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format), runtime: runtime)
    let model = TunerViewModel()
    model.start(capture, format: format)
    runtime.advance(by: .zero)
    while model.update == nil {
      runtime.advance(by: .milliseconds(10))
      await Task.yield()
    }
    await model.stop()
    #expect(!model.isRunning && model.update != nil && model.error == nil)
    runtime.advance(by: .zero)
    #expect(await capture.liveStreamCount == 0)
    await model.stop()
  }
}

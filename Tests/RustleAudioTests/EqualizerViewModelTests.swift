import RustleAudio
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct EqualizerViewModelTests {
  private func model(channels: Int = 2) throws -> EqualizerViewModel {
    let format = try AudioFormat(sampleRate: 48_000, channels: channels)
    return try EqualizerViewModel(format: format, settings: .graphic(gains: [Double](repeating: 0, count: 28)))
  }

  @Test func slidersTakeHoldAtOnceAndReachTheEqualizer() async throws {
    let model = try model()
    for band in 0..<14 { model.setGain(Double(band) - 6, ofBand: band, on: .left) }
    model.setBypassed(true)
    #expect(model.settings.left.map(\.gain) == (0..<14).map { Double($0) - 6 })
    #expect(model.isBypassed)
    await model.settled()
    #expect(await model.equalizer.settings == model.settings)
    #expect(await model.equalizer.isBypassed)
    #expect(model.error == nil)
  }

  @Test func refusalIsShownAndWhatIsInForceComesBack() async throws {
    let model = try model()
    model.setGain(3, ofBand: 2)
    model.setGain(99, ofBand: 2)
    #expect(model.settings.left[2].gain == 99)
    await model.settled()
    #expect(model.error?.code == .validation)
    #expect(model.settings.left[2].gain == 3)
    model.setGain(4, ofBand: 2)
    #expect(model.error == nil)
    await model.settled()
    #expect(model.settings.left[2].gain == 4)
  }

  @Test func refusalThatIsLateLeavesTheNewerChangeAlone() async throws {
    let model = try model()
    model.setGain(99, ofBand: 2)
    model.set(EqualizerSettings(preamp: -3))
    await model.settled()
    #expect(model.settings == EqualizerSettings(preamp: -3))
    #expect(model.error == nil)
    // What was refused is not shown either when the newer change is of something else.
    model.set(EqualizerSettings(preamp: 99))
    model.setBypassed(true)
    await model.settled()
    #expect(model.settings == EqualizerSettings(preamp: -3))
    #expect(model.isBypassed)
  }

  @Test func bandThatThereIsNotIsAnError() async throws {
    let model = try model(channels: 1)
    let before = model.settings
    model.setGain(1, ofBand: 14)
    #expect(model.error?.code == .validation)
    #expect(model.settings == before)
    model.setGain(1, ofBand: 13)
    await model.settled()
    #expect(model.error == nil && model.settings.right[13].gain == 0, "one channel has the bands of the left")
  }

  @Test func curveAndLevelsAreShown() async throws {
    let model = try model()
    model.setGain(6, ofBand: 7)
    await model.settled()
    while (model.response?.left.max() ?? 0) < 5.9 { await Task.yield() }
    let buffer = PCMBuffer(format: model.equalizer.format, wholeFrames: [0.5, 0.25], position: 0)
    // The model listens from its first turn on.
    while model.levels == nil {
      _ = try model.equalizer.process(buffer)
      await Task.yield()
    }
    #expect(model.levels?.before.map(\.peak).max() ?? 0 < -6)
  }

  @Test func droppingTheModelEndsItsWatches() async throws {
    weak var equalizer: Equalizer?
    do {
      let model = try model()
      equalizer = model.equalizer
      await model.settled()
    }
    while equalizer != nil { await Task.yield() }
  }
}

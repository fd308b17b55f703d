import RustleCore
import TestSupport
import Testing

@testable import RustleAudio

struct EqualizerChangesTests {
  private let settings = (0...3).map { EqualizerSettings(preamp: -Double($0)) }
  private let refused = EqualizerSettings(preamp: 99)

  @Test func newestOfTheSettingsThatComeMeanwhileIsMade() {
    var changes = EqualizerChanges()
    #expect(changes.set(settings[1], sampleRate: 48_000) == true, "the first begins")
    #expect(changes.set(settings[2], sampleRate: 48_000) == false)
    #expect(changes.next() == EqualizerChange(settings: settings[2]))
    #expect(changes.isSettled)
    #expect(changes.set(settings[3], sampleRate: 48_000) == false, "one is under way")
    #expect(changes.setBypassed(true) == false)
    #expect(!changes.isSettled)
    #expect(changes.set(settings[0], sampleRate: 48_000) == false)
    #expect(changes.next() == EqualizerChange(settings: settings[0], isBypassed: true))
    #expect(changes.next() == nil)
    #expect(changes.setBypassed(false) == true, "the next begins anew")
  }

  @Test func settingsThatAreRefusedLeaveThoseBeforeThem() {
    var changes = EqualizerChanges()
    #expect(changes.set(settings[1], sampleRate: 48_000) == true)
    #expect(changes.set(refused, sampleRate: 48_000) == false)
    #expect(changes.refusal?.code == .validation)
    #expect(changes.next() == EqualizerChange(settings: settings[1]))
    #expect(changes.next() == nil)
    #expect(changes.set(refused, sampleRate: 48_000) == true, "what is in force is to be shown again")
    #expect(changes.next() == EqualizerChange())
    #expect(changes.set(settings[2], sampleRate: 48_000) == false)
    #expect(changes.refusal == nil)
  }
}

/// Counts what reaches it.
private final class CountingEngine: EqualizerEngine {
  let changes = SeenMutex<[NativeEqualizerSettings]>([])
  let bypasses = SeenMutex<[Bool]>([])

  func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double]
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    changes.withLock { $0.append(settings) }
    let curve = [Double](repeating: 123, count: frequencies.count)
    return (curve, curve)
  }

  func setBypassed(_ isBypassed: Bool) throws(NativeError) { bypasses.withLock { $0.append(isBypassed) } }
  func process(_ block: inout MutableSpan<Float>) throws(NativeError) {}
  func reset() throws(NativeError) {}
}

@Suite(.releasesNativeObjects) struct EqualizerCrossingTests {
  private func equalizer(_ engine: CountingEngine) throws -> Equalizer {
    try Equalizer(
      format: AudioFormat(sampleRate: 48_000, channels: 2), settings: .graphic(gains: [Double](repeating: 0, count: 28))
    ) {
      _ throws(NativeError) in engine
    }
  }

  @MainActor
  @Test func sliderEventsMakeATaskAndARampEach() async throws {
    let engine = CountingEngine()
    let equalizer = try equalizer(engine)
    let model = EqualizerViewModel(equalizer, settings: await equalizer.settings)
    for step in 0..<1_000 { model.setGain(Double(step % 20), ofBand: step % 14) }
    model.setBypassed(true)
    await model.settled()
    #expect(engine.changes.withLock(\.count) == 1, "nothing of it came before the model's task had its turn")
    #expect(engine.changes.withLock(\.last) == model.settings.native)
    #expect(engine.bypasses.withLock { $0 } == [true])
    #expect(model.settings.left.map(\.gain) == (986..<1_000).map { Double($0 % 20) }.rotated(by: 986 % 14))
  }

  @Test func settingsCrossTheLineTwiceForOneChange() async throws {
    let engine = CountingEngine()
    let equalizer = try equalizer(engine)
    var shown = await equalizer.responses().makeAsyncIterator()
    #expect(await shown.next()?.left.max() == 0)
    try await equalizer.setGain(6, ofBand: 3)
    let response = await shown.next()
    #expect(response?.left.allSatisfy { $0 == 123 } == true, "the curves are those that came with the change")
    #expect(engine.changes.withLock(\.count) == 1)
  }

  @Test func curvesOfTheChangeAreThoseOfTheSettings() async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let equalizer = try Equalizer(format: format, settings: .graphic(gains: [Double](repeating: 0, count: 28)))
    var shown = await equalizer.responses().makeAsyncIterator()
    _ = await shown.next()
    try await equalizer.setGain(6, ofBand: 7, on: .left)
    let settings = await equalizer.settings
    let frequencies = EqualizerResponse.audibleFrequencies(sampleRate: 48_000)
    #expect(await shown.next() == (try settings.response(at: frequencies, sampleRate: 48_000)))
    try await equalizer.setBypassed(true)
    #expect(await shown.next() == (try EqualizerSettings.flat.response(at: frequencies, sampleRate: 48_000)))
  }
}

extension [Double] {
  /// The elements, so that what was first stands in place `count`.
  fileprivate func rotated(by count: Int) -> Self { Array(suffix(count) + dropLast(count)) }
}

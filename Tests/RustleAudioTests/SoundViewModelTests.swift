import RustleAudio
import TestSupport
import Testing

@Suite("Models of the meter and the equalizer", .releasesNativeObjects) @MainActor
struct SoundViewModelTests {
  private func tone(_ amplitude: Float, seconds: Int, channels: Int = 1) throws -> [AudioBuffer] {
    let format = try AudioFormat(sampleRate: 8_000, channels: channels)
    // A square wave: its level is its amplitude's.
    return (0..<seconds * 10).map { part in
      let samples = (0..<800 * channels).map { $0 / channels / 4 % 2 == 0 ? amplitude : -amplitude }
      return AudioBuffer(format: format, samples: samples, position: Int64(800 * part))
    }
  }

  @Test("the meter's model shows the newest reading, and the end")
  func meter() async throws {
    let model = NoiseMeterViewModel()
    let buffers = try tone(0.1, seconds: 3)
    let configuration = NoiseMeterConfiguration(frequencyWeighting: .z, measuresLoudness: false)
    model.start(FixedInput(buffers), format: buffers[0].format, configuration: configuration)
    #expect(model.isRunning)
    while model.isRunning { await Task.yield() }
    let reading = try #require(model.reading)
    #expect(reading.seconds == 3)
    #expect(abs(reading.equivalent + 20) < 0.1)
    #expect(model.error == nil)
  }

  @Test("the meter's model shows why a measurement ended early")
  func meterFails() async throws {
    let model = NoiseMeterViewModel()
    let buffers = try tone(0.1, seconds: 1)
    model.start(FixedInput(buffers), format: try AudioFormat(sampleRate: 48_000, channels: 1))
    while model.isRunning { await Task.yield() }
    #expect((model.error as? AudioError)?.code == .formatMismatch)
    #expect(model.reading == nil)
    // A later measurement clears it.
    model.start(FixedInput(buffers), format: buffers[0].format)
    #expect(model.error == nil)
    while model.isRunning { await Task.yield() }
    #expect(model.reading?.seconds == 1)
  }

  @Test("a stopped or overtaken measurement leaves its input and shows nothing any more")
  func meterStops() async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let capture = try AudioCapture(DeviceConfiguration(device: AudioDevice.demo.name, format: format))
    let model = NoiseMeterViewModel()
    model.start(capture, format: format, every: .milliseconds(1))
    while model.reading == nil { await Task.yield() }
    model.start(capture, format: format, every: .milliseconds(1))
    #expect(model.reading == nil)
    while model.reading == nil { await Task.yield() }
    await model.stop()
    let last = model.reading
    #expect(!model.isRunning && model.error == nil)
    await capture.cancel()
    #expect(model.reading == last)
    #expect(await capture.liveStreamCount == 0)
  }

  @Test("sliders take hold in their order, and a refusal brings back what is in force")
  func equalizer() async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 2)
    let flat = try EqualizerSettings.graphic(gains: Array(repeating: 0, count: 28))
    let model = try EqualizerViewModel(format: format, settings: flat)
    for step in 0...24 { model.setGain(Double(step) / 2, ofBand: 7, on: .left) }
    #expect(model.settings.left[7].gain == 12)
    await model.settled()
    #expect(await model.equalizer.settings == model.settings)
    #expect(model.settings.right[7].gain == 0)
    model.setGain(30, ofBand: 0)
    #expect(model.settings.left[0].gain == 30)
    await model.settled()
    #expect(model.error?.code == .validation)
    #expect(model.settings.left[0].gain == 0)
    #expect(model.settings.left[7].gain == 12)
    model.setBypassed(true)
    await model.settled()
    #expect(await model.equalizer.isBypassed)
  }

  @Test("the equalizer's model shows the curve in force and the levels of what goes through")
  func equalizerShows() async throws {
    let buffers = try tone(0.5, seconds: 1, channels: 2)
    let model = try EqualizerViewModel(
      format: buffers[0].format, settings: EqualizerSettings(left: [], right: [], preamp: -6))
    while model.response == nil { await Task.yield() }
    #expect(model.response?.left.allSatisfy { abs($0 + 6) < 1e-9 } == true)
    while model.levels == nil {
      for buffer in buffers { _ = try model.equalizer.process(buffer) }
      await Task.yield()
    }
    let levels = try #require(model.levels)
    #expect(abs(levels.before[0].power + 6.02) < 0.01)
    #expect(abs(levels.after[1].power + 12.02) < 0.1)
    model.set(EqualizerSettings(preamp: 3))
    while model.response?.right.first.map({ abs($0 - 3) < 1e-9 }) != true { await Task.yield() }
  }
}

/// Gives buffers that were made before.
private struct FixedInput: AudioInput {
  private let all: [AudioBuffer]

  init(_ all: [AudioBuffer]) { self.all = all }

  func buffers() async throws -> AsyncStream<AudioBuffer> {
    AsyncStream { continuation in
      for buffer in all { continuation.yield(buffer) }
      continuation.finish()
    }
  }
}

import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) final class NormalizedFileTests {
  private let folder: ScratchFolder
  private let format: AudioFormat
  private let settings = EqualizerSettings(left: [EqualizerBand(frequency: 1_000, gain: 4)], preamp: -3)

  init() throws {
    folder = try ScratchFolder()
    format = try AudioFormat(sampleRate: 48_000, channels: 2)
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  /// Four seconds of a tone of 997 Hz, with a click of `click` after each second.
  private func tone(_ amplitude: Float, click: Float = 0) throws -> AudioFileInput {
    let samples = (0..<4 * 48_000).flatMap { frame in
      let phase = 2 * Double.pi * 997 * Double(frame) / 48_000
      let sample = frame % 48_000 == 47_999 ? click : amplitude * Float(sin(phase))
      return [sample, sample]
    }
    try AudioFileWriterTests.write(
      samples, to: path("a.wav"), format, AudioFileWriter.Options(encoding: .float32, overwrite: true))
    return AudioFileInput(path: path("a.wav"))
  }

  private func loudness(_ name: String) async throws -> SoundLevelReading.Loudness {
    let meter = try SoundLevelMeter(format: format)
    for try await buffer in try await AudioFileInput(path: path(name)).buffers() { try await meter.process(buffer) }
    return try #require(try await meter.reading.loudness)
  }

  @Test(arguments: [0.01, 0.1, 0.9] as [Float]) func fileHasTheLoudnessAskedFor(amplitude: Float) async throws {
    let input = try tone(amplitude)
    let equalizer = try Equalizer(format: format, settings: settings)
    let gain = try await equalizer.normalize(input, to: LoudnessTarget(integrated: -23))
    #expect(await equalizer.settings.preamp == -3 + gain.gain)
    _ = try await equalizer.write(input, to: path("b.wav"))
    let measured = try await loudness("b.wav")
    #expect(abs(measured.integrated + 23) < 0.01)
    #expect(!gain.isLimited && abs(gain.integrated + gain.gain + 23) < 1e-9)
    #expect(abs(measured.truePeak - gain.truePeak - gain.gain) < 0.01)
  }

  @Test func truePeakComesBeforeTheLoudness() async throws {
    let input = try tone(0.05, click: 0.5)
    let equalizer = try Equalizer(format: format, settings: settings)
    let gain = try await equalizer.normalize(input, to: LoudnessTarget(integrated: -14, truePeakLimit: -2))
    _ = try await equalizer.write(input, to: path("b.wav"))
    let measured = try await loudness("b.wav")
    #expect(gain.isLimited && measured.integrated < -15)
    #expect(abs(measured.truePeak + 2) < 0.01)
  }

  @Test func silenceKeepsItsGain() async throws {
    let equalizer = try Equalizer(format: format, settings: settings)
    let gain = try await equalizer.normalize(try tone(0), to: LoudnessTarget())
    #expect(gain.gain == 0 && gain.integrated == -.infinity && !gain.isLimited)
    #expect(await equalizer.settings == settings)
  }

  @Test func preamplificationStaysInItsRange() async throws {
    let equalizer = try Equalizer(format: format, settings: settings)
    let gain = try await equalizer.normalize(try tone(0.001), to: LoudnessTarget(integrated: -10))
    #expect(gain.isLimited && gain.gain == 27)
    #expect(await equalizer.settings.preamp == 24)
  }

  @Test(arguments: [(-71, -1), (1, -1), (-23, .nan)] as [(Double, Double)])
  func targetOutOfRangeIsRefused(integrated: Double, peak: Double) async throws {
    let target = LoudnessTarget(integrated: integrated, truePeakLimit: peak)
    let equalizer = try Equalizer(format: format, settings: settings)
    let error = await #expect(throws: AudioError.self) { try await equalizer.normalize(try tone(0.1), to: target) }
    #expect(error?.code == .validation)
    #expect(await equalizer.settings == settings)
  }

  @Test func bypassIsRefused() async throws {
    let equalizer = try Equalizer(format: format, settings: settings)
    try await equalizer.setBypassed(true)
    let error = await #expect(throws: AudioError.self) {
      try await equalizer.normalize(try tone(0.1), to: LoudnessTarget())
    }
    #expect(error?.code == .validation)
  }
}

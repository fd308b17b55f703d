import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) final class EqualizedFileTests {
  private let folder: ScratchFolder
  private let format: AudioFormat
  private let input: AudioFileInput

  init() throws {
    folder = try ScratchFolder()
    format = try AudioFormat(sampleRate: 8_000, channels: 2)
    let path = folder.url.appending(path: "a.wav").path
    try AudioFileWriterTests.write(
      TestSound.samples(0..<5_000, channels: 2), to: path, format, AudioFileWriter.Options(encoding: .float32))
    input = AudioFileInput(path: path)
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  @Test func fileIsThatOfTheEqualizer() async throws {
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 1_000, gain: 3)], preamp: -6)
    let options = AudioFileWriter.Options(encoding: .float32)
    var progress: [Int64] = []
    let sound = try await Equalizer(format: format, settings: settings)
      .write(input, to: path("b.wav"), options: options) { progress.append($0) }
    let equalizer = try Equalizer(format: format, settings: settings)
    var expected: [Float] = []
    for try await buffer in try await input.buffers() { expected += try equalizer.process(buffer).samples }
    #expect(try TestSound.read(path("b.wav")) == expected)
    #expect(sound.frames == 5_000 && progress.last == 5_000 && progress == progress.sorted())
    #expect(sound.peakBefore == TestSound.samples(0..<5_000, channels: 2).map(abs).max())
    #expect(sound.peakAfter == expected.map(abs).max())
    #expect(sound.clippedSamples == 0)
  }

  @Test func samplesBeyondFullScaleAreCounted() async throws {
    let equalizer = try Equalizer(format: format, settings: EqualizerSettings(preamp: 6))
    let sound = try await equalizer.write(input, to: path("b.flac"))
    let equalized = try TestSound.read(path("b.flac"))
    #expect(sound.clippedSamples == equalized.count { $0 == -1 || $0 > 0.9999998 } && sound.clippedSamples > 1_000)
    #expect(abs(sound.peakAfter / sound.peakBefore - 1.9952623) < 1e-5)
  }

  @Test func whatIsNotANumberIsNoPeak() async throws {
    let format = try AudioFormat(sampleRate: 8_000, channels: 1)
    try AudioFileWriterTests.write(
      [0.25, .nan, -0.5, 0.125], to: path("n.wav"), format, AudioFileWriter.Options(encoding: .float32))
    let sound = try await Equalizer(format: format).write(AudioFileInput(path: path("n.wav")), to: path("b.wav"))
    #expect(sound.peakBefore == 0.5 && sound.peakAfter == 0.5)
  }

  @Test func soundOfAnotherFormatIsRefused() async throws {
    let equalizer = try Equalizer(format: AudioFormat(sampleRate: 8_000, channels: 1))
    let error = await #expect(throws: AudioError.self) { try await equalizer.write(input, to: path("b.wav")) }
    #expect(error?.code == .formatMismatch)
  }
}

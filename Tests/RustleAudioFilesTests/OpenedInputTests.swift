import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct OpenedInputTests {
  /// Two channels at 8 kHz, 1.25 s.
  private let samples = TestSound.samples(0..<10_000, channels: 2)
  private var whole: Data { WaveFile.floats(samples, channels: 2, sampleRate: 8_000) }

  private func samples(_ input: OpenedInput) async throws -> [Float] {
    var samples: [Float] = []
    for try await buffer in input.buffers() {
      #expect(buffer.format == input.format && Int(buffer.position) == input.firstFrame + samples.count / 2)
      samples += buffer.samples
    }
    return samples
  }

  @Test(
    arguments: [
      (0, nil, 0..<10_000), (0, 0.75, 0..<6_000), (0, 100, 0..<10_000), (0.5, nil, 4_000..<10_000),
      (0.5, 0.125, 4_000..<5_000), (0.512, 0.0001, 4_096..<4_097), (1.25, nil, 10_000..<10_000),
      (0.00007, 0.00012, 1..<2),
    ] as [(Double, Double?, Range<Int>)])
  func partOfAFileIsReadAndCounted(from: Double, seconds: Double?, frames: Range<Int>) async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(whole, as: "a.wav")
    let input = try await AudioFileInput(path: path).open(
      from: .seconds(from), duration: seconds.map { .seconds($0) })
    #expect(input.name == path && !input.isLive && input.file?.container == "WAV")
    #expect(input.format.sampleRate == 8_000 && input.format.layout == .stereo)
    #expect(input.expectedFrames == frames.count && input.firstFrame == frames.lowerBound)
    #expect(input.counts.frames == 0 && input.counts.skippedFrames == 0)
    #expect(try await samples(input) == Array(samples[frames.lowerBound * 2..<frames.upperBound * 2]))
    #expect(input.counts.frames == frames.count && input.counts.skippedFrames == frames.lowerBound)
    #expect(input.counts.droppedFrames == 0 && input.truncation == nil)
  }

  @Test func consecutivePartsHaveEachFrameOnce() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(whole, as: "a.wav")
    var joined: [Float] = []
    for part in 0..<13 {
      let input = try await AudioFileInput(path: path).open(
        from: .seconds(0.1) * part, duration: .seconds(0.1))
      joined += try await samples(input)
    }
    #expect(joined == samples)
  }

  @Test func partOfRawSamplesIsRead() async throws {
    let folder = try ScratchFolder()
    let bytes = try folder.write(Data((0..<20).map { UInt8($0) }), as: "a.raw")
    let format = try AudioFormat(sampleRate: 1_000, channels: 2)
    let input = try await RawPCMInput(path: bytes, format: format, encoding: .u8, bufferFrameCount: 4).open(
      from: .milliseconds(3), duration: .milliseconds(4))
    #expect(input.file == nil && input.expectedFrames == 4 && input.format == format)
    #expect(try await samples(input) == (6..<14).map { Float($0 - 128) / 128 })
  }

  @Test func deviceIsCapturedToItsLimitAndCounted() async throws {
    let format = try AudioFormat(sampleRate: 8_000, channels: 1)
    let capture = try AudioCapture(DeviceConfiguration(device: "demo", format: format, frameLimit: 400))
    let input = try await capture.open()
    #expect(input.isLive && input.name == "device demo" && input.expectedFrames == nil)
    for try await buffer in input.buffers() { #expect(buffer.format == format) }
    #expect(input.counts.frames == 400 && input.counts.overruns == 0)
    await input.close()
  }

  @Test func sampleThatIsNotFiniteIsAnErrorWithItsFrame() async throws {
    let folder = try ScratchFolder()
    for (value, text) in [(Float.nan, "nan"), (-.infinity, "-inf")] {
      let broken = try folder.write(
        WaveFile.floats([0, 0, 0, 0, 0, value], channels: 2, sampleRate: 8_000), as: "broken.wav")
      let input = try await AudioFileInput(path: broken).open(from: .microseconds(125))
      let error = await #expect(throws: AudioFileError.self) { for try await _ in input.buffers() {} }
      #expect(error?.code == .notFinite)
      #expect(error?.message == "\(broken): expected finite samples, got \(text) in frame 3")
    }
  }

  @Test func truncatedFileIsReported() async throws {
    let folder = try ScratchFolder()
    let cut = try folder.write(whole.dropLast(40_000), as: "cut.wav")
    for from in [Duration.zero, .seconds(0.5)] {
      let input = try await AudioFileInput(path: cut).open(from: from)
      _ = try await samples(input)
      let truncation = try #require(input.truncation)
      #expect(truncation == (10_000, 5_000))
    }
    let part = try await AudioFileInput(path: cut).open(duration: .seconds(0.25))
    _ = try await samples(part)
    #expect(part.truncation == nil)
  }
}

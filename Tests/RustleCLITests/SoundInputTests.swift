internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

@testable import RustleCLI

/// The options of sound inputs, and what they open.
@Suite(.releasesNativeObjects) struct SoundInputTests {
  static func options(_ words: String) throws -> SoundInputOptions {
    try SoundInputOptions.parse(words.isEmpty ? [] : words.components(separatedBy: " "))
  }

  @Test(arguments: [
    ("", "<input>: expected a sound file, - for standard input, --device <name> or --demo, got none"),
    ("--rate 48000", "<input>: expected a sound file, - for standard input, --device <name> or --demo, got none"),
    ("a.wav --demo", "--demo cannot be used with a file, got 'a.wav'"),
    ("- --device hw:0", "--device hw:0 cannot be used with a file, got '-'"),
    ("--device hw:0 --demo", "--device hw:0 cannot be used with --demo"),
    ("--device ", "--device: expected the name of a device, got ''"),
    ("a.wav --rate 48000", "--rate 48000 requires --raw or a device"),
    ("a.wav --channels 1", "--channels 1 requires --raw or a device"),
    ("--demo --raw s16le", "--raw: expected a file of raw samples, or - for standard input, got none"),
    ("- --raw s16le --rate 8000", "--raw s16le requires --channels"),
    ("- --raw s16le", "--raw s16le requires --rate and --channels"),
    (
      "- --raw mp3",
      "expected s8, u8, s16le, s16be, s24le, s24be, s32le, s32be, f32le, f32be, f64le or f64be, got 'mp3'"
    ),
    ("--demo --rate 0", "expected a sample rate in Hz from 1 to 768000, got '0'"),
    ("--demo --channels 33", "expected a number of channels from 1 to 32, got '33'"),
  ])
  func contradictionsAreWrongUse(words: String, text: String) {
    do {
      _ = try Self.options(words)
      Issue.record("accepted")
    } catch {
      let message = SoundInputOptions.message(for: error)
      #expect(SoundInputOptions.exitCode(for: error).rawValue == 64)
      #expect(message.contains(text), "\(message)")
    }
  }

  @Test func aDeviceHasDefaultsAndALimit() throws {
    let demo = try Self.options("--demo").device
    #expect(demo.choice.name == "demo")
    let configuration = try demo.configuration(of: "demo")
    #expect(configuration.format == (try AudioFormat(sampleRate: 48_000, channels: 2)))
    #expect(configuration.frameLimit == nil)
    let other = try Self.options("--device hw:1 --rate 44100 --channels 1").device
    #expect(other.choice.name == "hw:1")
    let limited = try other.configuration(of: "hw:1", seconds: 0.5)
    #expect(limited.device == "hw:1" && limited.frameLimit == 22_050 && limited.format.layout == .mono)
  }

  @Test func aFileIsReadToItsEndOrItsLimitAndCounted() async throws {
    let folder = try ScratchFolder()
    let samples = (0..<20_000).map { Float($0 % 100) / 100 }
    let path = try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 8_000), as: "a.wav")
    for (seconds, frames) in [(nil, 10_000), (0.75, 6_000), (100, 10_000)] as [(Double?, Int)] {
      let input = try await Self.options(path).open(for: "rustle meter -", seconds: seconds)
      #expect(input.name == path && !input.isLive && input.file?.container == "WAV")
      #expect(input.format.sampleRate == 8_000 && input.format.layout == .stereo)
      #expect(input.expectedFrames == frames && input.counts.frames == 0)
      var read: [Float] = []
      for try await buffer in input.buffers() { read += buffer.samples }
      #expect(read == Array(samples.prefix(2 * frames)))
      #expect(input.counts.frames == frames && input.counts.droppedFrames == 0)
      try input.checkIsNotEmpty()
      #expect(input.shortness == nil)
    }
  }

  @Test func rawSamplesAreReadAsTheOptionsSay() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data([0x00, 0x40, 0x00, 0xC0, 0x00, 0x20, 0x00, 0xE0]), as: "a.raw")
    let input = try await Self.options("\(path) --raw S16LE --rate 16000 --channels 2").open(for: "rustle meter -")
    #expect(input.file == nil && input.expectedFrames == nil)
    var read: [Float] = []
    for try await buffer in input.buffers() { read += buffer.samples }
    #expect(read == [0.5, -0.5, 0.25, -0.25])
  }

  @Test func theDemonstrationEndsAtItsLimit() async throws {
    let input = try await Self.options("--demo --rate 8000 --channels 1").open(for: "rustle meter -", seconds: 0.05)
    #expect(input.isLive && input.name == "device demo")
    for try await buffer in input.buffers() { #expect(buffer.format == input.format) }
    #expect(input.counts.frames == 400 && input.counts.overruns == 0)
    await input.close()
  }

  @Test func soundThatIsNoneIsRefused() async throws {
    let folder = try ScratchFolder()
    let broken = try folder.write(
      WaveFile.floats([0, 0, 0, .infinity], channels: 2, sampleRate: 8_000), as: "broken.wav")
    let input = try await Self.options(broken).open(for: "rustle meter -")
    let error = await #expect(throws: AudioFileError.self) { for try await _ in input.buffers() {} }
    let failure = try CommandFailure(#require(error))
    #expect(failure?.status == .badData && failure?.message.hasSuffix("got inf in frame 2") == true)
    let empty = try await Self.options(
      folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    ).open(for: "rustle meter -")
    for try await _ in empty.buffers() { Issue.record("expected nothing") }
    #expect(throws: CommandFailure(.badData, "\(empty.name): expected sound, got a file of 0 frames")) {
      try empty.checkIsNotEmpty()
    }
  }

  @Test func anUnknownDeviceIsUnavailable() async throws {
    let options = try Self.options("--device rustle-no-such-device")
    do {
      _ = try await options.open(for: "rustle meter -")
      Issue.record("expected no device")
    } catch {
      #expect(CommandFailure(error)?.status == .unavailable)
    }
  }
}

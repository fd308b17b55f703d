import Foundation
import TestSupport
import Testing

/// The notice on channels that cancel each other, of the commands that reduce them to their mean.
@Suite(.serialized, .releasesNativeObjects) struct CancellationNoticeTests {
  /// A tone on the left, and the right channel as a part of it.
  private static func sound(right: Float, in folder: borrowing ScratchFolder) throws -> String {
    let samples = (0..<16_000).flatMap { index -> [Float] in
      let sample = Float(0.25 * sin(2 * .pi * 220 * Double(index) / 8_000))
      return [sample, right * sample]
    }
    return try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 8_000), as: "a.wav")
  }

  @Test(arguments: ["tune", "pitch", "voice", "spectrum", "spectrogram"])
  func channelsThatCancelEachOtherAreReported(command: String) throws {
    let folder = try ScratchFolder()
    let inverted = try Self.sound(right: -1, in: folder)
    let notice = ": the channels cancel each other: their mean is silent; choose one with --channel\n"
    let result = try RustleProcess.run([command, inverted])
    #expect(result.status == 0 && result.errors.contains("rustle: \(inverted)\(notice)"), "\(result.errors)")
    for words in [["--channel", "1"], ["--quiet"]] {
      let result = try RustleProcess.run([command, inverted] + words)
      #expect(result.status == 0 && !result.errors.contains("cancel"), "\(words): \(result.errors)")
    }
    let nearly = try Self.sound(right: -0.98, in: folder)
    let weak = try RustleProcess.run([command, nearly])
    // The mean is 0.01 of the left channel: 40 dB below the mean power of both.
    #expect(weak.errors.contains("their mean is 40 dB below their level"), "\(weak.errors)")
    let equal = try Self.sound(right: 1, in: folder)
    #expect(try !RustleProcess.run([command, equal]).errors.contains("cancel"))
  }

  @Test func aMeterMeasuresTheMeanPowerInWhichNothingCancels() throws {
    let folder = try ScratchFolder()
    let levels = try [Float(-1), 1].map { right -> Double? in
      let path = try Self.sound(right: right, in: folder)
      let result = try RustleProcess.run(["meter", path, "--weighting", "Z", "--json"])
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      return try SoundCommandTests.objects(result).last?["equivalent_continuous_db"] as? Double
    }
    let level = try #require(levels[0])
    #expect(level == levels[1] && abs(level - 20 * log10(0.25 / 2.squareRoot())) < 0.1)
  }
}

import Foundation
import RustleAudioFiles
import Synchronization
import TestSupport
import Testing

@testable import RustleAudio
@testable import RustleCLI

/// The command meter, run as a process.
@Suite(.serialized, .releasesNativeObjects) struct SoundCommandTests {
  static func objects(_ result: RustleProcess.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  static func tone(_ seconds: Double = 2, amplitude: Double = 0.5, rate: Int = 48_000) -> Data {
    WaveFile.sine(1_000, amplitude: amplitude, seconds: seconds, sampleRate: rate)
  }

  /// A sine of amplitude 0.5 has a power of -9.03 dB; A weighting leaves 1 kHz as it is.
  @Test func aToneIsMeasured() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(4), as: "tone.wav")
    let result = try RustleProcess.run(["meter", path, "--json", "--interval", "500", "--bands", "octave"])
    #expect(result.status == 0 && result.errors == "")
    let objects = try Self.objects(result)
    #expect(objects.count == 9)
    #expect(objects.dropLast().map { $0["t_s"] as? Double } == (1...8).map { Double($0) / 2 })
    #expect(objects.dropLast().allSatisfy { $0["kind"] as? String == "reading" })
    let summary = try #require(objects.last)
    #expect(summary["kind"] as? String == "summary" && summary["v"] as? Int == 1)
    #expect(abs(try #require(summary["equivalent_continuous_db"] as? Double) + 9.03) < 0.05)
    #expect(abs(try #require(summary["maximum_db"] as? Double) + 9.03) < 0.05)
    #expect(abs(try #require(summary["l50_db"] as? Double) + 9.03) < 0.1)
    #expect(abs(try #require(summary["true_peak_dbtp"] as? Double) + 6.02) < 0.1)
    #expect(summary["calibrated"] as? Bool == false && summary["unit"] as? String == "dBFS")
    #expect(summary["zone"] as? String == "quiet" && summary["input"] as? String == path)
    let bands = try #require(summary["bands"] as? [[String: Double]])
    let loudest = try #require(bands.max { ($0["db"] ?? -999) < ($1["db"] ?? -999) })
    #expect(loudest["hz"] == 1_000)
  }

  @Test func aCalibrationAndAWeightingAreInForce() throws {
    let folder = try ScratchFolder()
    let low = WaveFile.sine(100, amplitude: 0.5, seconds: 2, sampleRate: 48_000)
    let path = try folder.write(low, as: "low.wav")
    let words = ["meter", path, "--json", "--no-loudness", "--calibration", "100", "--weighting"]
    func level(_ weighting: String) throws -> Double {
      let summary = try #require(try Self.objects(RustleProcess.run(words + [weighting])).last)
      #expect(summary["calibrated"] as? Bool == true && summary["calibration_offset_db"] as? Double == 100)
      #expect(summary["weighting"] as? String == weighting && summary["integrated_lufs"] == nil)
      return try #require(summary["l50_db"] as? Double)
    }
    // A weighting takes 19.1 dB at 100 Hz, C weighting 0.3 (IEC 61672-1, table 3).
    #expect(abs(try level("Z") - 90.97) < 0.15)
    #expect(abs(try level("A") - 71.87) < 0.25)
    #expect(abs(try level("C") - 90.67) < 0.25)
  }

  @Test func aFileAsTextIsItsReport() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(), as: "tone.wav")
    let result = try RustleProcess.run(["meter", path])
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output.hasPrefix("\(path)\nWAV, 32 bit float, 48 kHz, mono\nmeasured 0:02.0, A-weighted"))
    #expect(result.output.contains("not calibrated") && result.output.contains("LAF95"))
    #expect(result.output.contains("of the time"))
    let lines = try RustleProcess.run(["meter", path, "--interval", "500", "--format", "text"])
    #expect(lines.lines.count { $0.contains(#/^   0:0\d\.\d .* (silent|quiet)$/#) } == 4)
    #expect(lines.output.hasSuffix(result.output))
  }

  @Test func silenceIsValidJSONAndAWord() throws {
    let folder = try ScratchFolder()
    let zeros = [Float](repeating: 0, count: 48_000)
    let path = try folder.write(WaveFile.floats(zeros, channels: 1, sampleRate: 48_000), as: "silence.wav")
    let summary = try #require(try Self.objects(RustleProcess.run(["meter", path, "--json"])).last)
    #expect(summary["equivalent_continuous_db"] is NSNull && summary["integrated_lufs"] is NSNull)
    #expect(summary["zone"] as? String == "silent" && summary["display_value"] as? Double == 0)
    let text = try RustleProcess.run(["meter", path])
    #expect(text.status == 0 && !text.output.contains("inf") && !text.output.contains("nan"))
  }

  @Test func anOverloadIsReportedInWords() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(amplitude: 1.2), as: "loud.wav")
    let result = try RustleProcess.run(["meter", path])
    #expect(result.output.contains("OVERLOAD: "))
  }

  @Test func rawSamplesComeFromAPipe() throws {
    let samples = (0..<16_000).map { Int16(16_384 * sin(2 * .pi * 1_000 / 16_000 * Double($0))) }
    let data = samples.littleEndian
    let result = try RustleProcess.run(
      ["meter", "-", "--raw", "s16le", "--rate", "16000", "--channels", "1", "--json"], input: data)
    #expect(result.status == 0)
    let summary = try #require(try Self.objects(result).last)
    #expect(summary["t_s"] as? Double == 1 && summary["input"] as? String == "standard input")
    #expect(abs(try #require(summary["l10_db"] as? Double) + 9.03) < 0.1)
    let odd = try RustleProcess.run(
      ["meter", "-", "--raw", "s16le", "--rate", "16000", "--channels", "1", "--json"], input: data.dropLast())
    #expect(odd.status == 65 && odd.errors.contains("expected whole frames of 2 bytes, got 1 bytes more"))
  }

  @Test func theDemonstrationIsMeasuredForItsTime() throws {
    let result = try RustleProcess.run(
      ["meter", "--demo", "--duration", "0.5", "--interval", "100", "--json", "--no-loudness"])
    #expect(result.status == 0 && result.errors == "")
    let objects = try Self.objects(result)
    #expect(objects.count == 6)
    #expect(objects.last?["t_s"] as? Double == 0.5 && objects.last?["input"] as? String == "device demo")
    #expect(objects.last?["dropped_frames"] as? Int == 0)
  }

  @Test func aCalibrationIsMeasured() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(4), as: "tone.wav")
    let result = try RustleProcess.run(["meter", path, "--calibrate", "94", "--duration", "3"])
    #expect(result.status == 0)
    let offset = try #require(result.output.firstMatch(of: #/--calibration (\d+\.\d\d)\n/#).flatMap { Double($0.1) })
    #expect(abs(offset - 103.03) < 0.06)
    let again = try RustleProcess.run(["meter", path, "--calibration", "\(offset)", "--duration", "3", "--json"])
    #expect(abs(try #require(try Self.objects(again).last?["equivalent_continuous_db"] as? Double) - 94) < 0.006)
  }

  /// The built-in device rises by 6 dB a second.
  @Test func aCalibrationRefusesASoundThatMoves() throws {
    let result = try RustleProcess.run(["meter", "--demo", "--calibrate", "94", "--duration", "1.5"])
    #expect(result.status == 65 && result.output == "")
    #expect(
      result.errors.contains(#/expected a sound whose level drifts by at most 0\.5 dB, got a drift of \d+\.\d dB/#))
  }

  @Test func loudnessRangeIsShownFromThreeSecondsOn() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(3.5), as: "tone.wav")
    let ranges = try Self.objects(RustleProcess.run(["meter", path, "--json", "--interval", "500"])).dropLast()
      .map { $0["range_lu"] as? Double }
    #expect(ranges.prefix(5).allSatisfy { $0 == nil })
    #expect(ranges.dropFirst(5).count == 2 && ranges.dropFirst(5).allSatisfy { abs(($0 ?? 99)) < 0.1 })
    let csv = try RustleProcess.run(["meter", path, "--format", "csv", "--interval", "2000"])
    #expect(csv.status == 0 && !csv.output.contains("nan"))
  }

  @Test func wordsStandBesideNoSoundPressureLevel() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(1), as: "tone.wav")
    let words = ["meter", path, "--format", "text", "--interval", "500", "--no-loudness"]
    let plain = try RustleProcess.run(words)
    #expect(plain.output.contains("  ZONE\n") && plain.output.contains("\nsilent") == false)
    let calibrated = try RustleProcess.run(words + ["--calibration", "100"])
    #expect(calibrated.output.contains("  SCALE 0-120\n") && calibrated.output.contains(#/\d   \d\d quiet\n/#))
    #expect(calibrated.output.contains("on the scale from 0 to 120: "))
  }

  @Test func thePictureOfAMeasurementIsDrawn() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.tone(), as: "tone.wav")
    let png = folder.url.appending(path: "level.png")
    let result = try RustleProcess.run(["meter", path, "--png", png.path])
    #expect(result.status == 0 && result.errors == "wrote \(png.path)\n")
    #expect(try PNGImage(contentsOf: png).width == 1_200)
    let same = try RustleProcess.run(["meter", path, "--png", path])
    #expect(same.status == 64 && same.output == "" && same.errors.contains("expected another file"))
  }

  @Test(arguments: [(SIGHUP, Int32(129)), (SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aSignalEndsTheMeter(number: Int32, status: Int32) throws {
    #expect(try RustleProcess.interrupt(["meter", "--demo", "--json"], with: number) == status)
  }

  @Test func aSignalIsAnsweredWithTheSummary() throws {
    let (status, output, _) = try RustleProcess.interrupted(["meter", "--demo", "--json"], with: SIGINT)
    #expect(status == 130)
    #expect(output.split(separator: "\n").last?.hasPrefix(#"{"v":1,"kind":"summary","t_s":"#) == true)
  }

  @Test func aReaderThatHasSeenEnoughEndsTheMeter() throws {
    let result = try RustleProcess.shell("rustle meter --demo --json | head -n 2; echo status ${PIPESTATUS[0]}")
    #expect(result.lines.count == 3 && result.lines.last == "status 0" && result.errors == "")
  }

  @Test func badInputOfTheMeterHasItsOwnExitCodes() throws {
    let folder = try ScratchFolder()
    let missing = try RustleProcess.run(["meter", "no/such.wav"])
    #expect(missing.status == 66 && missing.errors.hasPrefix("error: no/such.wav: no such file\n"))
    let text = try folder.write(Data("This is not a sound file.".utf8), as: "a.wav")
    #expect(try RustleProcess.run(["meter", text]).status == 65)
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    let nothing = try RustleProcess.run(["meter", empty, "--json"])
    #expect(nothing.status == 65 && nothing.output == "" && nothing.errors.contains("a file of 0 frames"))
    let mono = try folder.write(Self.tone(0.1), as: "mono.wav")
    let channel = try RustleProcess.run(["meter", mono, "--channel", "2"])
    #expect(channel.status == 64 && channel.errors.contains("expected a channel from 1 to 1, got channel 2"))
    let response = try RustleProcess.run(["meter", mono, "--response", "no/mic.cal"])
    #expect(response.status == 66 && response.errors.contains("no/mic.cal: no such file"))
    let device = try RustleProcess.run(["meter", "--device", "rustle-no-such-device"])
    #expect(device.status == 69 && device.output == "")
    let slow = try folder.write(Self.tone(0.5, rate: 4_000), as: "slow.wav")
    let rate = try RustleProcess.run(["meter", slow])
    #expect(rate.status == 65 && rate.errors.contains("slow.wav: sample rate: expected 8000 to 768000 Hz, got 4000"))
    let none = try RustleProcess.run(["meter"])
    #expect(none.status == 64 && none.errors.contains("--demo, got none"))
  }

  /// Half of the file of a second is there.
  @Test func aFileThatWasCutOffIsReportedOf() throws {
    let folder = try ScratchFolder()
    let whole = Self.tone(1, rate: 8_000)
    let path = try folder.write(whole.dropLast(16_000), as: "cut.wav")
    let text = "rustle: \(path) is truncated: its header has 8000 frames, the file 4000\n"
    for words in [
      ["meter", path], ["play", path, "--demo"], ["spectrum", path, "--size", "1024"], ["eq", path, "-"],
      ["spectrogram", path], ["pitch", path], ["voice", path],
    ] {
      let result = try RustleProcess.run(words)
      #expect(result.status == 0 && result.errors == text, "\(words[0]): \(result.errors)")
      #expect(try RustleProcess.run(words + ["--quiet"]).errors == "")
    }
    #expect(try RustleProcess.run(["meter", path, "--duration", "0.25"]).errors == "")
  }

  @Test func aFileWithoutItsEndOrALengthIsReportedOf() throws {
    let folder = try ScratchFolder()
    let whole = Self.tone(1, rate: 8_000)
    let zero = try folder.write(whole.prefix(40) + [0, 0, 0, 0] + whole.dropFirst(44), as: "zero.wav")
    let read = try RustleProcess.run(["meter", zero, "--json"])
    #expect(read.status == 0 && read.lines.last?.contains("\"t_s\":1") == true, "\(read.output)")
    #expect(read.errors == "rustle: \(zero): the length in its header is 0; read to the file's end\n")
    let ogg = folder.path("a.ogg")
    #expect(try RustleProcess.run(["eq", try folder.write(Self.tone(3, rate: 48_000), as: "a.wav"), ogg]).status == 0)
    let data = try Data(contentsOf: URL(filePath: ogg))
    let cut = try RustleProcess.run(["meter", folder.write(data.dropLast(7), as: "cut.ogg")])
    #expect(cut.status == 0 && cut.errors.contains(/cut\.ogg is truncated: it has \d+ frames, and not the end/))
    let chain = try RustleProcess.run(["meter", folder.write(data + data, as: "chain.ogg"), "--json"])
    #expect(chain.errors == "" && chain.lines.last?.contains("\"t_s\":6.0") == true, "\(chain.output)")
    for length in [30, 1_000] {
      let none = try RustleProcess.run(["meter", folder.write(data.prefix(length), as: "cut.ogg")])
      #expect(none.status == 65 && none.errors.contains("truncated before any sound"), "\(none.errors)")
    }
  }
}

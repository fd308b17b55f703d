import Foundation
import TestSupport
import Testing

/// The command voice, run as a process.
@Suite(.serialized, .releasesNativeObjects) struct VoiceCommandTests {
  /// Partials of 150 Hz, each half as strong as the one before: H1-H2 is 6.02 dB.
  private static func voice(seconds: Double = 1, rate: Int = 16_000, f0: Double = 150) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { n in
      let phase = 2 * Double.pi * (f0 * Double(n) / Double(rate))
      return Float((1...8).reduce(0) { $0 + 0.3 * pow(0.5, Double($1 - 1)) * sin(Double($1) * phase) })
    }
  }

  private static func file(_ samples: [Float], channels: Int = 1, rate: Int = 16_000) -> Data {
    WaveFile.floats(samples, channels: channels, sampleRate: rate)
  }

  @Test func aVoiceIsMeasured() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file(Self.voice()), as: "voice.wav")
    let result = try RustleProcess.run(["voice", path, "--json"])
    #expect(result.status == 0 && result.errors == "" && result.lines.count == 1)
    let summary = try #require(try SoundCommandTests.objects(result).first)
    func number(_ name: String) throws -> Double { try #require(summary[name] as? Double, "\(name)") }
    #expect(summary["v"] as? Int == 1 && summary["kind"] as? String == "summary")
    #expect(summary["input"] as? String == path && summary["channel"] is NSNull)
    #expect(try number("sample_rate_hz") == 16_000 && number("duration_s") == 1)
    #expect(try number("minimum_hz") == 60 && number("maximum_hz") == 1_100 && number("ceiling_hz") == 5_500)
    #expect(summary["frames"] as? Int == summary["voiced_frames"] as? Int)
    for name in ["f0_median_hz", "f0_mean_hz"] { #expect(try abs(number(name) - 150) < 0.1) }
    #expect(try number("f0_deviation_hz") < 0.1 && number("hnr_db") > 40)
    #expect(try abs(number("h1_minus_h2_db") - 6.02) < 0.05 && abs(number("h1_db") - 20 * log10(0.3)) < 0.05)
    #expect(try number("jitter") < 0.001 && number("shimmer") < 0.001 && number("periods") > 100)
    #expect(try abs(number("mean_period_s") - 1 / 150) < 1e-5)
    // The powers fall by four from one to the next.
    let powers = (0..<8).map { pow(0.25, Double($0)) }
    let centroid = zip(1..., powers).reduce(0) { $0 + 150 * Double($1.0) * $1.1 } / powers.reduce(0, +)
    #expect(try abs(number("centroid_hz") - centroid) < 3)
    #expect(try number("rolloff_hz") > 300 && number("tilt_db_per_octave") < -3)
  }

  /// 50 ms of a voice without noise had a ratio of 31 dB, since the window has 4.5 periods of the lowest pitch.
  @Test func aSoundShorterThanTheWindowHasNoRatio() throws {
    let folder = try ScratchFolder()
    func ratio(_ seconds: Double, _ options: [String]) throws -> Any? {
      let path = try folder.write(Self.file(Self.voice(seconds: seconds)), as: "\(seconds).wav")
      return try SoundCommandTests.objects(RustleProcess.run(["voice", path, "--json"] + options)).first?["hnr_db"]
    }
    #expect(try ratio(0.05, []) is NSNull)
    #expect(try #require(ratio(0.05, ["--min", "120"]) as? Double) > 30)
    #expect(try #require(ratio(0.15, []) as? Double) > 40)
  }

  @Test func framesComeBeforeTheSum() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file(Self.voice()), as: "voice.wav")
    let objects = try SoundCommandTests.objects(RustleProcess.run(["voice", path, "--frames", "--json"]))
    let summary = try #require(objects.last)
    #expect(summary["kind"] as? String == "summary" && summary["frames"] as? Int == objects.count - 1)
    var before = 0.0
    for frame in objects.dropLast() {
      #expect(frame["kind"] as? String == "frame" && frame["voiced"] as? Bool == true)
      #expect(abs(try #require(frame["f0_hz"] as? Double) - 150) < 0.1)
      #expect(try #require(frame["time_s"] as? Double) > before)
      before = try #require(frame["time_s"] as? Double)
    }
    let csv = try RustleProcess.run(["voice", path, "--frames", "--format", "csv"])
    #expect(csv.lines.count == objects.count && csv.lines[0].hasPrefix("time_s,f0_hz,confidence,voiced,"))
    let sum = try RustleProcess.run(["voice", path, "--format", "csv"])
    #expect(sum.lines.count == 2 && sum.lines[0].hasPrefix("input,sample_rate_hz,") && sum.lines[1].hasPrefix(path))
    let text = try RustleProcess.run(["voice", path, "--frames"])
    #expect(text.lines.count { $0.contains(" 150.00  ") } >= objects.count - 1)
    let report = try RustleProcess.run(["voice", path])
    #expect(text.output.hasSuffix("\n\n" + report.output))
  }

  @Test func theOptionsAreInForce() throws {
    let folder = try ScratchFolder()
    let (left, right) = (Self.voice(), Self.voice(f0: 250))
    let path = try folder.write(Self.file(zip(left, right).flatMap { [$0, $1] }, channels: 2), as: "two.wav")
    func summary(_ options: [String]) throws -> [String: Any] {
      try #require(try SoundCommandTests.objects(RustleProcess.run(["voice", path, "--json"] + options)).last)
    }
    let second = try summary([
      "--channel", "2", "--min", "200", "--max", "400", "--ceiling", "5000", "--method", "burg",
    ])
    #expect(abs(try #require(second["f0_median_hz"] as? Double) - 250) < 0.1)
    #expect(second["channel"] as? Int == 2 && second["minimum_hz"] as? Double == 200)
    #expect(second["maximum_hz"] as? Double == 400 && second["ceiling_hz"] as? Double == 5_000)
    #expect(second["method"] as? String == "burg")
    let first = try summary(["--channel", "1"])
    #expect(abs(try #require(first["f0_median_hz"] as? Double) - 150) < 0.1)
  }

  @Test func rawSamplesComeFromAPipe() throws {
    let data = Self.voice().map { Int16(16_384 * $0) }.littleEndian
    let words = ["voice", "-", "--raw", "s16le", "--rate", "16000", "--channels", "1", "--json"]
    let summary = try #require(try SoundCommandTests.objects(RustleProcess.run(words, input: data)).last)
    #expect(summary["input"] as? String == "standard input" && summary["duration_s"] as? Double == 1)
    #expect(abs(try #require(summary["f0_median_hz"] as? Double) - 150) < 0.1)
  }

  @Test func silenceIsValidJSONAndHasNoNumbersInText() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file([Float](repeating: 0, count: 16_000)), as: "silence.wav")
    let summary = try #require(try SoundCommandTests.objects(RustleProcess.run(["voice", path, "--json"])).last)
    for name in ["f0_median_hz", "hnr_db", "h1_minus_h2_db", "jitter", "shimmer", "f1_hz", "centroid_hz"] {
      #expect(summary[name] is NSNull, "\(name)")
    }
    let text = try RustleProcess.run(["voice", path])
    #expect(text.status == 0 && !text.output.contains("inf") && !text.output.contains("nan"))
  }

  @Test func aSoundThatIsShorterThanAFrameIsReportedSo() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file(Self.voice(seconds: 0.01)), as: "short.wav")
    let result = try RustleProcess.run(["voice", path, "--json"])
    #expect(result.status == 0 && result.errors.contains(/is shorter than \d+ samples: no analysis frames/))
    #expect(try SoundCommandTests.objects(result).last?["frames"] as? Int == 0)
  }

  @Test func aVowelThatIsShorterThanAFrameHasItsPitchAndFormants() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file(Self.voice(seconds: 0.12)), as: "vowel.wav")
    let summary = try #require(try SoundCommandTests.objects(RustleProcess.run(["voice", path, "--json"])).last)
    #expect(summary["frames"] as? Int == 0 && summary["periods"] as? Int ?? 0 > 5)
    #expect(try abs(#require(summary["f0_median_hz"] as? Double) - 150) < 0.5)
    #expect(try abs(#require(summary["f0_mean_hz"] as? Double) - 150) < 0.5)
    #expect(try #require(summary["confidence"] as? Double) > 0.5 && summary["f1_hz"] is Double)
    let report = try RustleProcess.run(["voice", path])
    #expect(report.lines.contains { $0.contains("median") && $0.contains("150.") })
    // Without frames there is no share of voiced ones beside the pitch of the whole.
    let voiced = try #require(report.lines.first { $0.contains("voiced ") })
    #expect(!voiced.contains { $0.isNumber }, "\(voiced)")
  }

  @Test func mistakesAreNamed() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.file(Self.voice(seconds: 0.1)), as: "voice.wav")
    let low = try folder.write(Self.file(Self.voice(seconds: 0.1), rate: 4_000), as: "low.wav")
    let narrow = try folder.write(Self.file(Self.voice(seconds: 0.1), rate: 8_000), as: "narrow.wav")
    let empty = try folder.write(Self.file([]), as: "empty.wav")
    let mistakes: [([String], Int32, String)] = [
      ([path, "--min", "39"], 64, "expected a frequency in Hz from 40 to 2000, got '39'"),
      ([path, "--min", "500", "--max", "400"], 64, "expected --min below --max, got 500 and 400"),
      ([path, "--ceiling", "9000"], 64, "expected a frequency in Hz from 3000 to 8000, got '9000'"),
      ([path, "--channel", "2"], 64, "--channel: expected a channel from 1 to 1, got channel 2"),
      ([path, "--rate", "16000"], 64, "--rate 16000 requires --raw"),
      (["-", "--raw", "s16le"], 64, "--raw s16le requires --rate and --channels"),
      ([""], 64, "<input>: expected the path of a sound file, got ''"),
      (
        [narrow, "--max", "2000"], 64, "--max: expected less than a quarter of the sample rate of 8000 Hz, got 2000 Hz"
      ),
      ([low], 65, "expected a sample rate of 8000 to 192000 Hz, got 4000 Hz"),
      ([empty], 65, "expected sound, got a file of 0 frames"),
      ([folder.path("missing.wav")], 66, "missing.wav"),
    ]
    for (words, status, text) in mistakes {
      let result = try RustleProcess.run(["voice"] + words)
      #expect(result.status == status && result.output == "", "\(words)")
      #expect(result.errors.contains(text), "\(result.errors)")
    }
  }
}

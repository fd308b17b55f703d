import Foundation
import RustleAudio
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct PitchTests {
  /// A tone, one that may be none, and silence.
  static let frames = [
    PitchFrame(
      sample: 1_024, time: 1_024 / 48_000.0, frequency: 220.123456789, confidence: 0.998, deviation: 0.02,
      inharmonicity: 0.0001, harmonicity: 41.5, level: -12.25),
    PitchFrame(
      sample: 1_536, time: 0.032, frequency: 97.5, confidence: 0.25, deviation: 8, inharmonicity: 0, harmonicity: -3,
      level: -40, isPolyphonic: true),
    PitchFrame(sample: 2_048, time: 2_048 / 48_000.0, frequency: nil, confidence: 0),
  ]

  @Test(arguments: [OutputFormat.text, .ndjson, .csv]) func framesAreWrittenOneALine(format: OutputFormat) throws {
    let table = Self.table(format, threshold: 0.5)
    try Snapshot.expect(table.header + table.lines(Self.frames), variant: format.rawValue)
  }

  private static func table(_ format: OutputFormat, threshold: Double) -> Table<PitchFrame> {
    PitchFrame.table(threshold: threshold, format: format, profile: TickerViewTests.profile(columns: 80))
  }

  @Test func theThresholdSaysWhatIsVoiced() {
    func second(_ threshold: Double) -> Substring {
      Self.table(.text, threshold: threshold).lines(Self.frames).split(separator: "\n")[1]
    }
    #expect(second(0.25) == "0.032000 97.5 0.250000")
    #expect(second(0.26) == "0.032000 0 0.250000")
    #expect(Self.table(.text, threshold: 0).lines(Self.frames).hasSuffix("\n0.042667 0 0.000000\n"))
  }
}

// Processes inherit each other's pipes: they are run one after the other, in the suite that is serialized.
extension SoundCommandTests {
  /// Time, frequency and confidence of each line.
  private static func rows(_ result: RustleProcess.Result) throws -> [[Double]] {
    try result.lines.map { line in try line.split(separator: " ").map { try #require(Double($0)) } }
  }

  private static func sine(_ hertz: Double, seconds: Double = 1) -> Data {
    WaveFile.sine(hertz, amplitude: 0.5, seconds: seconds, sampleRate: 44_100)
  }

  @Test func thePitchOfEachFrameIsALine() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440), as: "a.wav")
    let result = try RustleProcess.run(["pitch", path, "--min", "60", "--max", "1000"])
    #expect((result.status, result.errors) == (0, ""))
    let rows = try Self.rows(result)
    // The frames at both ends have half of 2048 samples.
    #expect(rows.count == 1 + (44_100 - 1_024) / 512)
    for (index, row) in rows.enumerated() {
      #expect(row.count == 3)
      #expect(abs(row[0] - Double(512 + 512 * index) / 44_100) < 1e-6)
      #expect(abs(row[1] - 440) < 0.0025)
      #expect(row[2] > 0.9 && row[2] <= 1)
    }
  }

  @Test func silenceIsALineForEachFrameToo() throws {
    let folder = try ScratchFolder()
    let silence = WaveFile.floats([Float](repeating: 0, count: 8_192), channels: 1, sampleRate: 44_100)
    let path = try folder.write(silence, as: "silence.wav")
    let result = try RustleProcess.run(["pitch", path, "--hop", "4096"])
    #expect(result.output == "0.046440 0 0.000000\n0.139320 0 0.000000\n")
    let line = try #require(
      try Self.objects(RustleProcess.run(["pitch", path, "--json"])).first)
    #expect(line["f0_hz"] is NSNull && line["voiced"] as? Bool == false && line["level_db"] is NSNull)
  }

  @Test func aChannelAndAPathAreChosen() throws {
    let folder = try ScratchFolder()
    let (left, right) = (330.0, 587.0)
    let samples = (0..<22_050).flatMap { index -> [Float] in
      let phase = 2 * Double.pi * Double(index) / 44_100
      return [left, right].map { Float(0.4 * sin($0 * phase)) }
    }
    let path = try folder.write(WaveFile.floats(samples, channels: 2, sampleRate: 44_100), as: "two.wav")
    for (channel, pitch) in [("1", left), ("2", right)] {
      for words in [[], ["--viterbi"], ["--method", "yin"]] {
        let rows = try Self.rows(
          RustleProcess.run(["pitch", path, "--channel", channel, "--hop", "2000", "--size", "4096"] + words))
        #expect(rows.count == 9)
        for row in rows { #expect(abs(row[1] - pitch) < 0.5) }
      }
    }
    let third = try RustleProcess.run(["pitch", path, "--channel", "3"])
    #expect(third.status == 64 && third.errors.contains("expected a channel from 1 to 2, got channel 3"))
  }

  @Test func pitchIsReadFromAPipe() throws {
    let raw = Data(
      (0..<12_000).flatMap { index -> [UInt8] in
        let sample = UInt16(bitPattern: Int16(12_000 * sin(2 * Double.pi * 250 * Double(index) / 16_000)))
        return [UInt8(sample & 0xFF), UInt8(sample >> 8)]
      })
    let words = ["--min", "50", "--max", "2000", "--hop", "1000", "--format", "csv"]
    let result = try RustleProcess.run(
      ["pitch", "-", "--raw", "s16le", "--rate", "16000", "--channels", "1"] + words, input: raw)
    #expect((result.status, result.errors) == (0, ""))
    #expect(result.lines.first?.hasPrefix("time_s,f0_hz,confidence,voiced,") == true)
    #expect(result.lines.count == 1 + 12)
    for line in result.lines.dropFirst() {
      #expect(abs(try #require(Double(line.split(separator: ",")[1])) - 250) < 0.01)
    }
    let file = try RustleProcess.run(["pitch", "-", "--hop", "4000"], input: Self.sine(200, seconds: 0.3))
    #expect(file.status == 0 && file.lines.count == 3)
  }

  @Test func aShortWindowIsReportedOf() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440), as: "a.wav")
    let words = ["pitch", path, "--min", "60", "--size", "1024", "--hop", "20000"]
    let result = try RustleProcess.run(words)
    #expect(result.status == 0 && result.lines.count == 3)
    #expect(
      result.errors == "rustle: analysis frames of 1024 samples require at least 96.9 Hz: --min is raised to it\n")
    #expect(try RustleProcess.run(words + ["--quiet"]).errors == "")
    let short = try folder.write(Self.sine(440, seconds: 0.01), as: "short.wav")
    let none = try RustleProcess.run(["pitch", short])
    #expect((none.status, none.output) == (0, ""))
    #expect(none.errors.contains("is shorter than an analysis frame of 1024 samples: no pitch; with --min 388 there"))
    let rows = try Self.rows(RustleProcess.run(["pitch", short, "--min", "388"]))
    #expect(!rows.isEmpty && rows.allSatisfy { abs($0[1] - 440) < 1 })
    // No frame is as short as 4 ms, and the length that was asked for is not changed.
    for words in [[try folder.write(Self.sine(440, seconds: 0.004), as: "b.wav")], [short, "--size", "1024"]] {
      #expect(try RustleProcess.run(["pitch"] + words).errors.hasSuffix("samples: no pitch\n"))
    }
  }

  @Test func aShortFileHasItsPitch() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440, seconds: 0.05), as: "short.wav")
    let rows = try Self.rows(RustleProcess.run(["pitch", path]))
    #expect(rows.count == 1 + (2_205 - 1_024) / 512)
    for row in rows { #expect(abs(row[1] - 440) < 0.5 && row[2] > 0.9) }
  }

  @Test func aVoiceHasDefaultsOfItsOwn() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(50), as: "a.wav")
    let words = ["pitch", path, "--voice"]
    let (voice, low) = try (Self.rows(RustleProcess.run(words)), Self.rows(RustleProcess.run(words + ["--min", "40"])))
    #expect(voice.count > 95 && abs(voice[1][0] - voice[0][0] - 0.01) < 1e-6)
    #expect(voice.allSatisfy { $0[1] == 0 } && low.filter { abs($0[1] - 50) < 1 }.count > 90)
  }

  @Test func severalNotesAreReported() throws {
    let folder = try ScratchFolder()
    let samples = (0..<22_050).map { index -> Float in
      [261.63, 329.63, 392.0].reduce(0) { $0 + Float(0.2 * sin(2 * Double.pi * $1 * Double(index) / 44_100)) }
    }
    let path = try folder.write(WaveFile.floats(samples, channels: 1, sampleRate: 44_100), as: "chord.wav")
    let lines = try Self.objects(RustleProcess.run(["pitch", path, "--json", "--size", "4096"]))
    #expect(!lines.isEmpty)
    for line in lines {
      let confidence = try #require(line["confidence"] as? Double)
      #expect(line["polyphonic"] as? Bool == true && confidence < 0.2)
    }
  }

  @Test func theContourIsDrawnOverTheSpectrogram() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440), as: "a.wav")
    let png = folder.url.appending(path: "a.png")
    let result = try RustleProcess.run(["pitch", path, "--png", png.path])
    #expect(result.status == 0 && result.errors == "wrote \(png.path)\n")
    #expect(result.lines.count == 1 + (44_100 - 1_024) / 512)
    let image = try PNGImage(contentsOf: png)
    // In the middle of the time the line runs along the tone.
    let column = (80..<540).map { image.pixel(500, $0) }
    #expect(
      column.contains { pixel in
        let (red, green, blue) = (pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF)
        return blue > 200 && green > 180 && red < 140
      })
    let same = try RustleProcess.run(["pitch", path, "--png", path])
    #expect(same.status == 64 && same.errors.contains("--png: expected another file than the input"))
  }

  @Test func badInputOfPitchHasItsOwnExitCodes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440), as: "a.wav")
    let slow = try folder.write(WaveFile.floats([0, 0], channels: 1, sampleRate: 500), as: "slow.wav")
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 44_100), as: "empty.wav")
    let nan = try folder.write(WaveFile.floats([0, .nan], channels: 1, sampleRate: 44_100), as: "nan.wav")
    let cases: [([String], Int32, String)] = [
      (["no/such.wav"], 66, "no such file"),
      ([slow], 65, "expected a sample rate of at least 1000 Hz, got 500 Hz"),
      ([empty], 65, "expected sound, got a file of 0 frames"),
      ([nan], 65, "expected finite samples, got nan in frame 2"),
      ([path, "--min", "500", "--max", "100"], 64, "expected --min below --max, got 500 and 100"),
      ([path, "--min", "30000", "--max", "40000"], 64, "pitch range: expected two frequencies above 0"),
      ([path, "--min", "0.5", "--max", "2"], 64, "sample rate allow, 3.03 to 19845 Hz, got 0.5 to 2 Hz"),
      ([path, "--size", "1000"], 64, "expected a power of two from 256 to 32768, got '1000'"),
      ([path, "--hop", "0"], 64, "expected a number of samples from 1 to 1048576, got '0'"),
      ([path, "--method", "cepstrum"], 64, "cepstrum"),
      ([path, "--threshold", "2"], 64, "expected a confidence from 0 to 1, got '2'"),
      ([path, "--rate", "44100"], 64, "--rate 44100 requires --raw"),
      ([path, "--png", "no/such/folder/a.png"], 69, "there is no folder"),
    ]
    for (words, status, text) in cases {
      let result = try RustleProcess.run(["pitch"] + words)
      #expect(result.status == status, "\(words)")
      #expect(result.output.isEmpty && result.errors.contains(text), "\(words): \(result.errors)")
    }
  }

  @Test func aReaderThatHasSeenEnoughEndsThePitch() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sine(440, seconds: 20), as: "a.wav")
    let result = try RustleProcess.shell("rustle pitch \(path) --hop 64 | head -n 2; exit ${PIPESTATUS[0]}")
    #expect((result.status, result.lines.count, result.errors) == (0, 2, ""))
  }
}

import Foundation
import RustleAudio
import RustleAudioFiles
import TestSupport
import Testing

/// The built command `rustle eq` on real files.
@Suite(.serialized, .releasesNativeObjects) struct EqualizerCommandTests {
  /// A second of a tone on both channels, interleaved.
  static func tone(_ hertz: Double, amplitude: Double, sampleRate: Int = 48_000) -> [Float] {
    (0..<sampleRate).flatMap { index -> [Float] in
      let sample = Float(amplitude * sin(2 * .pi * hertz * Double(index) / Double(sampleRate)))
      return [sample, sample]
    }
  }

  static func samples(_ path: String) throws -> [Float] {
    var reader = try AudioFileReader(path: path)
    var (all, block): ([Float], [Float]) = ([], [])
    while try reader.read(into: &block, maximumFrameCount: 65_536) > 0 { all += block }
    return all
  }

  /// The level of a channel of stereo sound, without the filters' beginning, in dB.
  static func level(_ samples: [Float], channel: Int) -> Double {
    let half = samples.count / 4 * 2
    let squares = stride(from: half + channel, to: samples.count, by: 2).map {
      Double(samples[$0]) * Double(samples[$0])
    }
    return 10 * log10(squares.reduce(0, +) / Double(squares.count))
  }

  static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  // MARK: files

  @Test(arguments: ["s16", "s24", "s32", "f32"]) func soundGoesToStandardOutput(encoding: String) throws {
    let folder = try ScratchFolder()
    let tone = Self.tone(1_000, amplitude: 0.25, sampleRate: 8_000)
    let path = try folder.write(WaveFile.floats(tone, channels: 2, sampleRate: 8_000), as: "a.wav")
    let words = ["--band", "1000:-6", "--encoding", encoding]
    let out = folder.url.appending(path: "b.wav").path
    #expect(try RustleProcess.run(["eq", path, out] + words).status == 0)
    let expected = try Self.samples(out)
    let wave = try RustleProcess.run(["eq", path, "-"] + words)
    #expect(wave.status == 0 && wave.errors == "")
    #expect(wave.data.prefix(8) == Data("RIFF".utf8) + Data(repeating: 0xFF, count: 4))
    let stored = try folder.write(wave.data, as: "c.wav")
    #expect(try Self.samples(stored) == expected)
    // A reader of a pipe takes it too, to the last frame.
    let bits = try #require(Int(encoding.dropFirst()))
    let piped = try RustleProcess.shell(
      "rustle eq '\(path)' - \(words.joined(separator: " ")) | rustle eq - - --encoding \(encoding) --no-header | wc -c"
    )
    #expect(piped.errors == "" && piped.output == "\(tone.count * bits / 8)\n")
    let samples = try RustleProcess.run(["eq", path, "-", "--no-header"] + words)
    #expect(samples.data == wave.data.suffix(tone.count * bits / 8))
  }

  @Test func onStandardOutputTheSummaryIsForWhoeverAsks() throws {
    let folder = try ScratchFolder()
    let tone = Self.tone(1_000, amplitude: 0.25, sampleRate: 8_000)
    let path = try folder.write(WaveFile.floats(tone, channels: 2, sampleRate: 8_000), as: "a.wav")
    let result = try RustleProcess.run(["eq", path, "-", "--json", "--no-header"])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any], "\(result.errors)")
    #expect(object["output"] as? String == "standard output" && object["container"] as? String == "raw")
    #expect(object["frames"] as? Int == 8_000)
    let enough = try RustleProcess.shell("rustle eq '\(path)' - | head -c 4; echo; echo status ${PIPESTATUS[0]}")
    #expect(enough.output == "RIFF\nstatus 0\n" && enough.errors == "")
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    let nothing = try RustleProcess.run(["eq", empty, "-"])
    #expect(nothing.status == 65 && nothing.data.isEmpty)
    #expect(
      ParsingTests.refusal(["eq", path, "b.wav", "--no-header"])
        .contains("--no-header requires the output - (standard output)"))
  }

  @Test func aToneIsSixDecibelsLouderOnOneChannelAlone() throws {
    let folder = try ScratchFolder()
    let tone = Self.tone(1_024, amplitude: 0.25)
    let path = try folder.write(WaveFile.floats(tone, channels: 2, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.wav").path
    let result = try RustleProcess.run(["eq", path, out, "--band", "R:1024:+6", "--encoding", "f32", "--json"])
    #expect(result.status == 0 && result.errors == "")
    let equalized = try Self.samples(out)
    #expect(equalized.count == tone.count)
    #expect(abs(Self.level(equalized, channel: 1) - Self.level(tone, channel: 1) - 6) < 0.001)
    // The other channel has no band: it is as it was.
    let isUntouched = stride(from: 0, to: tone.count, by: 2).allSatisfy { equalized[$0] == tone[$0] }
    #expect(isUntouched)
    let object = try #require(try JSONSerialization.jsonObject(with: result.data) as? [String: Any])
    #expect(object["frames"] as? Int == 48_000 && object["clipped_samples"] as? Int == 0)
    #expect(object["encoding"] as? String == "f32" && object["container"] as? String == "WAV")
    #expect(abs(try #require(object["peak_before_dbfs"] as? Double) + 12.04) < 0.01)
    #expect(abs(try #require(object["peak_after_dbfs"] as? Double) + 6.04) < 0.05)
  }

  @Test(arguments: [
    ["--gains", "0,0,0,0,0,0,0,0,0,0,0,0,0,0"], ["--bypass", "--band", "1000:+12", "--preamp", "-6"], [],
  ])
  func withoutGainsTheSamplesAreTheSameBitForBit(settings: [String]) throws {
    let folder = try ScratchFolder()
    let integers = (0..<40_000).map { Int16(truncatingIfNeeded: $0 &* 7_919 &+ $0 / 3) }
    let data = WaveFile.integers(integers, channels: 2, sampleRate: 44_100)
    let path = try folder.write(data, as: "a.wav")
    for (name, encoding) in [("s.wav", "s16"), ("s.flac", "s24"), ("f.wav", "f32")] {
      let out = folder.url.appending(path: name).path
      let result = try RustleProcess.run(["eq", path, out, "--encoding", encoding] + settings)
      #expect(result.status == 0 && result.errors == "")
      #expect(try Self.samples(out) == Self.samples(path))
    }
    // The bytes too: the sound stands at the end of a WAV of the same encoding.
    let written = try Data(contentsOf: folder.url.appending(path: "s.wav"))
    #expect(written.suffix(2 * integers.count) == data.suffix(2 * integers.count))
  }

  @Test func clippingIsReportedAndAnAutomaticPreampEndsIt() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      WaveFile.floats(Self.tone(1_024, amplitude: 0.9), channels: 2, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.flac").path
    let loud = try RustleProcess.run(["eq", path, out, "--band", "1024:+6"])
    #expect(loud.status == 0)
    #expect(
      loud.errors.contains(/^rustle: \d+ samples beyond full scale clipped: use --preamp auto \(-6\.0 dB\)/))
    #expect(loud.output.contains(/\n  clipped      [1-9]\d* samples\n/))
    let quiet = try RustleProcess.run(["eq", path, out, "--band", "1024:+6", "--preamp", "auto", "--overwrite"])
    #expect(quiet.status == 0 && quiet.errors == "")
    #expect(quiet.output.contains("  preamp       \u{2212}6.0 dB\n  clipped      0 samples\n"))
    #expect(abs(Self.level(try Self.samples(out), channel: 0) - 20 * log10(0.9 / 2.squareRoot())) < 0.01)
    // Where it is allowed to be quiet, it is.
    let silent = try RustleProcess.run(["eq", path, out, "--band", "1024:+6", "--overwrite", "--quiet"])
    #expect(silent.status == 0 && silent.errors == "")
  }

  @Test func rawSamplesAreReadFromStandardInput() throws {
    let folder = try ScratchFolder()
    let out = folder.url.appending(path: "b.wav").path
    let bytes = Data([0x00, 0x40, 0x00, 0xC0, 0x00, 0x20, 0x00, 0x00])
    let result = try RustleProcess.run(
      [
        "eq", "-", out, "--raw", "s16le", "--rate", "8000", "--channels", "1", "--preamp", "-6.0206", "--encoding",
        "f32",
      ],
      input: bytes)
    #expect(result.status == 0)
    let samples = try Self.samples(out)
    #expect(samples.count == 4 && zip(samples, [0.25, -0.25, 0.125, 0]).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func moreThanTwoChannelsAreRefusedAndMonoHasTheLeftBands() throws {
    let folder = try ScratchFolder()
    let out = folder.url.appending(path: "b.wav").path
    let six = try folder.write(
      WaveFile.floats([Float](repeating: 0.1, count: 600), channels: 6, sampleRate: 48_000), as: "six.wav")
    let refused = try RustleProcess.run(["eq", six, out])
    #expect(refused.status == 65 && refused.output == "")
    #expect(refused.errors.hasPrefix("error: \(six): expected one or two channels, got 6\n  "))
    let mono = try folder.write(WaveFile.sine(100, amplitude: 0.1, seconds: 0.5, sampleRate: 8_000), as: "mono.wav")
    let result = try RustleProcess.run(["eq", mono, out, "--band", "R:100:6", "--band", "L:5000:6"])
    #expect(result.status == 0)
    #expect(
      result.errors == "rustle: 1 band at or above half the sample rate, 4000 Hz, is left out\n"
        + "rustle: \(mono) is mono: the bands of the left channel are used\n")
    #expect(try Self.samples(out).count == 4_000)
    #expect(try Self.names(in: folder.url) == ["b.wav", "mono.wav", "six.wav"])
  }

  /// What is there when the command begins is there when it has failed, and nothing else.
  @Test func aFailureLeavesTheFilesAsTheyWere() throws {
    let folder = try ScratchFolder()
    let before = Data("something else".utf8)
    let out = try folder.write(before, as: "b.wav")
    let sine = WaveFile.sine(440, amplitude: 0.5, seconds: 0.1, sampleRate: 8_000)
    let good = try folder.write(sine, as: "a.wav")
    let broken = try folder.write(WaveFile.floats([0.5, .nan], channels: 1, sampleRate: 8_000), as: "nan.wav")
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    let cases: [(arguments: [String], status: Int32, text: String)] = [
      ([good, out], 64, ": the file exists"),
      ([good, good, "--overwrite"], 64, "expected another file than the input"),
      ([broken, out, "--overwrite"], 65, "expected finite samples, got nan in frame 2"),
      ([empty, out, "--overwrite"], 65, "expected sound, got a file of 0 frames"),
      (["no/such.wav", out, "--overwrite"], 66, "no such file"),
      ([good, "no/such/b.wav"], 69, "there is no folder"),
      ([good, "c.txt"], 64, "expected a name that ends with .wav, .flac, .ogg, .opus, .mp3 or .m4a, got 'c.txt'"),
      (
        [good, folder.url.appending(path: "c.flac").path, "--encoding", "f32"], 64,
        "--encoding: expected s16 or s24 for FLAC, got f32"
      ),
      ([good, out, "--overwrite", "--preset", "no/such.txt"], 66, "no/such.txt: no such file"),
      ([good, folder.url.path], 64, "expected a name that ends with"),
    ]
    for one in cases {
      let result = try RustleProcess.run(["eq"] + one.arguments)
      #expect(result.status == one.status && result.output == "", "\(one.arguments)")
      #expect(result.errors.contains(one.text), "\(result.errors)")
      #expect(try Data(contentsOf: URL(filePath: out)) == before)
      #expect(try Data(contentsOf: URL(filePath: good)) == sine)
      #expect(try Self.names(in: folder.url) == ["a.wav", "b.wav", "empty.wav", "nan.wav"])
    }
    #if os(Linux)
    // A megabyte: ThreadSanitizer begins with a file of its own of half of one.
    let long = try folder.write(
      WaveFile.sine(440, amplitude: 0.5, seconds: 40, sampleRate: 8_000), as: "long.wav")
    let full = try RustleProcess.shell(
      "trap '' XFSZ; ulimit -f 1024; rustle eq '\(long)' '\(out)' --overwrite --encoding f32")
    #expect(full.status == 69 && full.output == "")
    #expect(full.errors.hasPrefix("error: \(out): the file is as large as"), "\(full.errors)")
    #expect(try Data(contentsOf: URL(filePath: out)) == before)
    #expect(try Self.names(in: folder.url) == ["a.wav", "b.wav", "empty.wav", "long.wav", "nan.wav"])
    #endif
  }

  @Test func aFileThatIsReplacedIsReplacedAtOnce() throws {
    let folder = try ScratchFolder()
    let sine = WaveFile.sine(440, amplitude: 0.5, seconds: 0.1, sampleRate: 8_000)
    let path = try folder.write(sine, as: "a.wav")
    let out = try folder.write(Data("something else".utf8), as: "b.wav")
    let link = folder.url.appending(path: "link.wav")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: out))
    let result = try RustleProcess.run(["eq", path, link.path, "--overwrite", "--encoding", "f32"])
    #expect(result.status == 0)
    #expect(try Self.samples(out) == Self.samples(path))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == out)
    #expect(try Self.names(in: folder.url) == ["a.wav", "b.wav", "link.wav"])
  }

  /// The pipe gives a part of the sound and no end: the command waits for more when the signal comes.
  @Test func aSignalTakesAwayWhatIsNotWhole() throws {
    let folder = try ScratchFolder()
    let result = try RustleProcess.shell(
      """
      cd '\(folder.url.path)' && mkfifo pipe && exec 3<>pipe
      "$RUSTLE" eq - out.wav --raw s16le --rate 8000 --channels 1 < pipe & eq=$!
      printf 'sound' >&3
      until ls -A | grep -q part; do :; done
      kill -TERM $eq; wait $eq; echo "status $?"
      """)
    #expect(result.lines.last == "status 143")
    #expect(try Self.names(in: folder.url) == ["pipe"])
  }

  /// The signal used to be lost where another thread than the one that waits got it.
  @Test func aSignalEndsTheWaitForAPipeThatNobodyWrites() throws {
    let folder = try ScratchFolder()
    let result = try RustleProcess.shell(
      """
      cd '\(folder.url.path)' && mkfifo pipe
      "$RUSTLE" eq pipe out.wav & eq=$!
      for ((i = 0; i < 10000; i++)); do ! cat /proc/$eq/task/*/wchan 2>&1 | grep -qE 'fifo|partner' || break; done
      kill -TERM $eq; wait $eq; echo "status $?"
      """)
    #expect(result.lines.last == "status 143")
    #expect(try Self.names(in: folder.url) == ["pipe"])
  }

  // MARK: presets and curves

  @Test func aPresetSurvivesTheWayThroughBothForms() throws {
    let folder = try ScratchFolder()
    let text =
      "Preamp: -6.2 dB\nFilter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.7\nFilter 2: ON PK Fc 2100 Hz Gain -3.1 dB Q 1.41\n"
    let first = try folder.write(Data(text.utf8), as: "Headphones.txt")
    let json = try RustleProcess.run(["eq", "--export", "json", "--preset", first])
    #expect(json.status == 0 && json.errors == "")
    #expect(try EqualizerPreset(json: json.data).name == "Headphones")
    let second = try folder.write(json.data, as: "b.json")
    let again = try RustleProcess.run(["eq", "--export", "text", "--preset", second])
    #expect(again.output == text)
    let named = try RustleProcess.run(["eq", "--export", "json", "--preset", second, "--name", "Ours", "--preamp", "1"])
    let preset = try EqualizerPreset(json: named.data)
    #expect(preset.name == "Ours" && preset.settings.preamp == 1 && preset.settings.left.count == 2)
    let wrong = try folder.write(Data("Filter 1: ON BP Fc 1 Hz\n".utf8), as: "c.txt")
    let refused = try RustleProcess.run(["eq", "--export", "json", "--preset", wrong])
    #expect(refused.status == 65 && refused.errors.contains("line 1: Filter: expected") && refused.output == "")
  }

  @Test func theCurvesAreWrittenAndDrawn() throws {
    let folder = try ScratchFolder()
    let png = folder.url.appending(path: "a.png")
    let result = try RustleProcess.run([
      "eq", "--response", "--band", "L:1000:+6:1.4", "--format", "csv", "--png", png.path,
    ])
    #expect(result.status == 0 && result.errors == "wrote \(png.path)\n")
    let records = result.lines.dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
    #expect(result.lines.first == "hz,left_db,right_db" && records.count == 256)
    #expect(records.allSatisfy { $0.count == 3 && $0[2] == 0 })
    let highest = try #require(records.max { $0[1] < $1[1] })
    #expect(abs(highest[0] - 1_000) < 20 && abs(highest[1] - 6) < 0.01)
    let image = try PNGImage(contentsOf: png)
    #expect(image.width == 1_200 && image.height == 600)
    let text = try RustleProcess.run(["eq", "--response", "--band", "1000:+6", "--rate", "16000"])
    #expect(
      text.status == 0 && text.output.contains("16000 Hz, preamp 0.0 dB\n* left and right: 1 band, at most +6.0 dB"))
    let bypassed = try RustleProcess.run(["eq", "--response", "--band", "1000:+6", "--bypass", "--format", "csv"])
    #expect(bypassed.lines.dropFirst().allSatisfy { $0.hasSuffix(",0.0,0.0") })
  }

  // MARK: live

  @Test func liveSoundGoesFromTheDemoDeviceToTheDemoDevice() throws {
    let result = try RustleProcess.run(
      ["eq", "--live", "--demo", "--duration", "1", "--json", "--preamp", "-20", "--band", "20000:0"])
    #expect(result.status == 0 && result.errors == "")
    let objects = try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let times = objects.compactMap { $0["t_ms"] as? Int }
    #expect(times.count >= 4 && times == times.sorted() && times.last == 1_000)
    for object in objects {
      let before = try #require(object["before_dbfs"] as? [Double])
      let after = try #require(object["after_dbfs"] as? [Double])
      #expect(before.count == 2)
      #expect(zip(before, after).allSatisfy { abs($0 - $1 - 20) < 0.001 })
      for field in ["dropped_frames", "overruns", "underruns"] { #expect(object[field] is Int) }
    }
  }

  @Test func aDeviceThatIsNotThereIsUnavailable() throws {
    let result = try RustleProcess.run(["eq", "--live", "--device", "no-such-device", "--duration", "1"])
    #expect(result.status == 69 && result.output == "" && result.errors.contains("no-such-device"))
    let other = try RustleProcess.run(["eq", "--live", "--demo", "--output", "no-such-device", "--duration", "1"])
    #expect(other.status == 69 && other.errors.contains("no-such-device"))
  }

  @Test(arguments: [(SIGHUP, Int32(129)), (SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aSignalEndsLiveSound(number: Int32, status: Int32) throws {
    #expect(try RustleProcess.interrupt(["eq", "--live", "--demo", "--json"], with: number) == status)
  }

  @Test func aReaderThatHasSeenEnoughEndsLiveSoundWithoutAnError() throws {
    let result = try RustleProcess.shell(
      "rustle eq --live --demo --duration 600 --json | head -n 1; echo status ${PIPESTATUS[0]}")
    #expect(result.lines.last == "status 0" && result.errors == "")
  }

  @Test func aPlaceToSaveToThatIsTakenIsRefusedBeforeThereIsSound() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("mine".utf8), as: "a.json")
    let result = try RustleProcess.run(["eq", "--live", "--demo", "--duration", "600", "--save", path])
    #expect(result.status == 64 && result.errors.contains("--save: expected a new file, got an existing one, \(path)"))
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
  }
}

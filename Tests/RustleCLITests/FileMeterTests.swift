import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// The command meter with several files, run as a process.
@Suite(.serialized, .releasesNativeObjects) struct FileMeterTests {
  /// A loud file of 10 s, a missing one, and a soft one of 30 s at another rate.
  static func files(in folder: borrowing ScratchFolder) throws -> [String] {
    let loud = WaveFile.sine(1_000, amplitude: 0.1 * 2.squareRoot(), seconds: 10, sampleRate: 48_000)
    let soft = WaveFile.sine(1_000, amplitude: 0.001.squareRoot() * 2.squareRoot(), seconds: 30, sampleRate: 8_000)
    return [
      try folder.write(loud, as: "loud.wav"), folder.url.appending(path: "missing.wav").path,
      try folder.write(soft, as: "soft.wav"),
    ]
  }

  static func isClose(_ value: Any?, _ expected: Double, _ tolerance: Double) -> Bool {
    (value as? Double).map { abs($0 - expected) <= tolerance } ?? false
  }

  @Test func eachFileHasItsSummaryAndAllHaveOne() throws {
    let folder = try ScratchFolder()
    let files = try Self.files(in: folder)
    let result = try RustleProcess.run(["meter", "--json", "--bands", "octave"] + files)
    #expect(result.status == 66)
    #expect(result.errors == "error: \(files[1]): no such file\n  Check the path, or pass - to read standard input.\n")
    let objects = try SoundCommandTests.objects(result)
    #expect(objects.map { $0["kind"] as? String } == ["summary", "summary", "all"])
    #expect(objects.map { $0["input"] as? String } == [files[0], files[2], nil])
    // A file's summary is that of the file measured alone.
    let alone = try RustleProcess.run(["meter", "--json", "--bands", "octave", files[0]])
    #expect(alone.lines.last == result.lines.first)
    let all = try #require(objects.last)
    #expect(all["files"] as? Int == 2 && all["failed"] as? Int == 1 && all["t_s"] as? Double == 40)
    #expect(all["level_db"] == nil && all["input"] == nil && all["zone_shares"] == nil)
    // -20 dB for 10 s and -30 dB for 30 s.
    let mean = 10 * log10((10 * 1e-2 + 30 * 1e-3) / 40)
    #expect(Self.isClose(all["equivalent_continuous_db"], mean, 0.02))
    #expect(Self.isClose(all["l10_db"], -20, 0.2) && Self.isClose(all["l50_db"], -30, 0.2))
    // BS.1770: 97 and 297 blocks of 0.4 s, none below the gate; a sine of 1 kHz has its level - 0.691 + 0.698 LUFS in one channel.
    let loudness = 10 * log10((97 * 1e-2 + 297 * 1e-3) / 394)
    #expect(Self.isClose(all["integrated_lufs"], loudness, 0.02))
    #expect(Self.isClose(all["range_lu"], 10, 0.05))
    #expect(Self.isClose(all["true_peak_dbtp"], 10 * log10(0.02), 0.05))
    let bands = try #require(all["bands"] as? [[String: Double]])
    let loudest = try #require(bands.max { ($0["db"] ?? -999) < ($1["db"] ?? -999) })
    #expect(loudest["hz"] == 1_000 && abs((loudest["db"] ?? 0) - mean) < 0.05)
  }

  @Test func aSignalBetweenFilesReportsNoFaultOfThem() throws {
    let folder = try ScratchFolder()
    let short = try folder.write(WaveFile.sine(1_000, amplitude: 0.1, seconds: 1, sampleRate: 8_000), as: "short.wav")
    let long = try folder.write(WaveFile.sine(1_000, amplitude: 0.1, seconds: 60, sampleRate: 48_000), as: "long.wav")
    let files = [short] + [String](repeating: long, count: 50)
    let (status, output, errors) = try RustleProcess.interrupted(["meter", "--json"] + files, with: SIGINT)
    #expect(status == 130 && errors.isEmpty, "\(errors)")
    let lines = output.split(separator: "\n")
    #expect(lines.count < 50 && lines.last?.contains("\"kind\":\"all\"") == true, "\(lines.last ?? "")")
    #expect(lines.last?.contains("\"files\":\(lines.count - 1),\"failed\":0") == true, "\(lines.last ?? "")")
  }

  @Test func aTableHasARowForEachFile() throws {
    let folder = try ScratchFolder()
    let files = try Self.files(in: folder)
    for bands in [[], ["--bands", "third"]] {
      let csv = try RustleProcess.run(["meter", "--format", "csv"] + bands + files)
      let rows = csv.lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      #expect(csv.status == 66 && rows.count == 4 && rows.allSatisfy { $0.count == rows[0].count })
      #expect(rows.first?.prefix(3) == ["kind", "input", "sample_rate_hz"])
      #expect(rows.map { $0[0] } == ["kind", "summary", "summary", "all"])
      #expect(rows.map { String($0[1]) } == ["input", files[0], files[2], ""])
      #expect(rows.first.flatMap(\.last) == (bands.isEmpty ? "overruns" : "band_20000_hz_db"))
      #expect(bands.isEmpty || (rows[1].last != "" && rows[2].last == "" && rows[3].last != ""))
    }
    let text = try RustleProcess.run(["meter", "--ascii"] + files)
    #expect(text.lines.count == 5 && text.lines[0].hasPrefix("3 files, A-weighted, fast (F, 125 ms); "))
    #expect(
      text.lines[1].split(separator: " ") == ["TIME", "LAeq", "LAFmax", "LCpeak", "I", "LRA", "TP", "FILE"])
    #expect(text.lines[2].hasSuffix("  \(files[0])") && text.lines[3].hasSuffix("  \(files[2])"))
    #expect(text.lines[4].hasSuffix("  all 2 files, 1 failed"))
    #expect(text.lines[4].contains("-24.9"))
  }

  @Test func theStepOfTheLoudnessRangeIsAnOption() throws {
    let folder = try ScratchFolder()
    // Louder by 1 dB each second, for 12 s. Of the short-term values at 3, 4 … 12 s the percentiles are those of ranks 1 and 9,
    // of those at 3.0, 3.1 … 12.0 s those of ranks 9 and 86.
    let samples = (0..<96_000).map { n -> Float in
      let level = Double(n) / 8_000 - 50
      let sine: Double = sin(Double.pi / 4 * Double(n % 8))
      return Float(pow(10, level / 20) * sine)
    }
    let path = try folder.write(WaveFile.floats(samples, channels: 1, sampleRate: 8_000), as: "ramp.wav")
    for (options, range) in [([], 7.7), (["--range-step", "0.1"], 7.7), (["--range-step", "1"], 8)] {
      let summary = try SoundCommandTests.objects(RustleProcess.run(["meter", path, "--json"] + options)).last
      #expect(Self.isClose(summary?["range_lu"], range, 0.015), "\(options)")
    }
    let refused = try RustleProcess.run(["meter", path, "--range-step", "2"])
    #expect(refused.status == 64)
  }

  @Test(arguments: [
    (["a.wav", "b.wav", "--interval", "100"], "--interval cannot be used with several files"),
    (["a.wav", "b.wav", "--png", "a.png"], "--png cannot be used with several files"),
    (["a.wav", "b.wav", "--calibrate", "94"], "--calibrate cannot be used with several files"),
    (["a.wav", "-"], "<input>: several files cannot include - (standard input) or an empty name"),
    (["a.wav", "b.wav", "--demo"], "--demo cannot be used with a file, got 'a.wav'"),
  ])
  func optionsOfOneSoundAreRefused(_ arguments: [String], _ message: String) throws {
    let refused = try RustleProcess.run(["meter"] + arguments)
    #expect(refused.status == 64 && refused.errors.contains(message), "\(refused.errors)")
  }
}

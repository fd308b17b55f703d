import Foundation
import TestSupport
import Testing

/// The command `rustle eq --automation` on real files.
@Suite(.serialized, .releasesNativeObjects) struct AutomationCommandTests {
  private static let rate = 8_000

  /// Two seconds of a stereo tone of 1 kHz, full scale / 4.
  private static func tone(in folder: borrowing ScratchFolder) throws -> String {
    let samples = EqualizerCommandTests.tone(1_000, amplitude: 0.25, sampleRate: rate)
    return try folder.write(WaveFile.floats(samples + samples, channels: 2, sampleRate: rate), as: "a.wav")
  }

  /// The largest sample of a channel between two times in seconds.
  private static func peak(_ samples: [Float], channel: Int, from: Double, to: Double) -> Float {
    let frames = Int(from * Double(rate))..<Int(to * Double(rate))
    return frames.map { abs(samples[2 * $0 + channel]) }.max() ?? 0
  }

  @Test func gainsFollowAFileOfEitherFormIntoAFileAndAPipe() throws {
    let folder = try ScratchFolder()
    let path = try Self.tone(in: folder)
    let csv = try folder.write(
      Data("time_s,band,gain_db,channel\n1,1,0,left\n1,1,-12,left\n0,preamp,-6,\n".utf8), as: "gains.csv")
    let json = try folder.write(
      Data(
        #"""
        [{"time_s": 1, "band": 1, "gain_db": 0, "channel": "left"},
         {"time_s": 1, "band": 1, "gain_db": -12, "channel": "left"}, {"time_s": 0, "band": "preamp", "gain_db": -6}]
        """#.utf8), as: "gains.json")
    let words = ["--band", "1000:0:1", "--encoding", "f32", "--automation"]
    var results: [[Float]] = []
    for (index, automation) in [csv, json].enumerated() {
      let out = folder.url.appending(path: "out\(index).wav").path
      let result = try RustleProcess.run(["eq", path, out] + words + [automation])
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      results.append(try EqualizerCommandTests.samples(out))
    }
    let piped = try RustleProcess.run(["eq", path, "-"] + words + [csv])
    results.append(try EqualizerCommandTests.samples(folder.write(piped.data, as: "piped.wav")))
    #expect(results[0] == results[1] && results[0] == results[2])
    let sound = results[0]
    let (before, after) = (Float(0.25 * pow(10, -6.0 / 20)), Float(0.25 * pow(10, -18.0 / 20)))
    // The left band jumps at 1 s; the preamplification of the first point is in force from the beginning.
    for (channel, from, to, expected) in [
      (0, 0.2, 0.9, before), (1, 0.2, 0.9, before), (0, 1.2, 2, after), (1, 1.2, 2, before),
    ] {
      let peak = Self.peak(sound, channel: channel, from: from, to: to)
      #expect(abs(peak / expected - 1) < 0.02, "channel \(channel) from \(from) s: \(peak), expected \(expected)")
    }
  }

  @Test(arguments: [("preamp", true), ("1", false)])
  func thePreampIsReportedAsAutomatedWhereItIs(band: String, isAutomated: Bool) throws {
    let folder = try ScratchFolder()
    let path = try Self.tone(in: folder)
    let gains = try folder.write(Data("time_s,band,gain_db\n0,\(band),0\n1,\(band),12\n".utf8), as: "gains.csv")
    let out = folder.url.appending(path: "out.wav").path
    let words = ["eq", path, out, "--overwrite", "--band", "1000:0:1", "--automation", gains]
    let text = try RustleProcess.run(words)
    #expect(
      text.lines.contains { $0.hasSuffix("preamp       \(isAutomated ? "automated" : "0.0 dB")") }, "\(text.output)")
    let object = try #require(SoundCommandTests.objects(RustleProcess.run(words + ["--json"])).last)
    #expect((object["preamp_db"] is NSNull) == isAutomated)
    let loud = try RustleProcess.run(words + ["--encoding", "s16"])
    #expect(loud.errors.contains("clipped") == false || loud.errors.contains("--preamp auto") == !isAutomated)
  }

  @Test(arguments: [
    ("time_s,band,gain_db\n0,1,x\n", 65, "gains.csv: line 2: expected a gain in dB, got 'x'"),
    ("time,band,gain\n", 65, "line 1: expected the columns time_s,band,gain_db and perhaps channel, got 'time,band"),
    ("[{\"time_s\":0,\"band\":1}]", 65, "gains.csv: "),
    ("time_s,band,gain_db\n0,3,0\n", 65, "gains.csv: point 1: band: expected 1 to 1, got 3"),
    ("time_s,band,gain_db\n0,1,99\n", 65, "gains.csv: point 1: gain: expected -24 to 24 dB, got 99"),
    (nil, 66, "--automation: "),
  ])
  func aFileThatDoesNotFitIsNamedAndNothingIsWritten(content: String?, status: Int32, text: String) throws {
    let folder = try ScratchFolder()
    let path = try Self.tone(in: folder)
    let gains = folder.url.appending(path: "gains.csv").path
    if let content { _ = try folder.write(Data(content.utf8), as: "gains.csv") }
    let out = folder.url.appending(path: "out.wav").path
    let result = try RustleProcess.run(["eq", path, out, "--band", "1000:0:1", "--automation", gains])
    #expect(result.status == status && result.errors.contains(text), "\(result.status): \(result.errors)")
    #expect(try !EqualizerCommandTests.names(in: folder.url).contains { $0.hasPrefix("out") })
  }

  @Test(arguments: [
    (["a.wav", "b.wav", "--normalize", "-23"], "--automation requires files, without --normalize"),
    (["--live", "--demo"], "--automation requires files, without --normalize"),
    (["a.wav", "b.wav", "--bypass"], "--automation requires an equalizer that is not bypassed"),
  ])
  func otherModesRefuseIt(words: [String], text: String) throws {
    let result = try RustleProcess.run(["eq"] + words + ["--automation", "gains.csv"])
    #expect(result.status == 64 && result.errors.contains(text), "\(result.errors)")
  }
}

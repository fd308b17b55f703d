import Foundation
import TestSupport
import Testing

/// Commands that write and read lossy codecs.
@Suite struct CodedFileCommandTests {
  static let endings = ["ogg", "opus", "mp3", "m4a"]

  @Test(arguments: endings) func anEqualizedFileIsMeteredAgain(ending: String) throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(1_000, amplitude: 0.5, seconds: 2, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.\(ending)").path
    let equalized = try RustleProcess.run(["eq", tone, out, "--preamp", "-6", "--quality", "0.7"])
    #expect(equalized.status == 0, "\(equalized.errors)")
    let level = try RustleProcess.run(["meter", out, "--json"])
    #expect(level.status == 0, "\(level.errors)")
    let summary = try #require(level.lines.last?.data(using: .utf8))
    let fields = try #require(JSONSerialization.jsonObject(with: summary) as? [String: Any])
    // The power of half of full scale and six decibels less; A-weighting leaves 1 kHz as it is.
    #expect(abs(try #require(fields["equivalent_continuous_db"] as? Double) + 15.03) < 0.2, "\(fields)")
    #expect(abs(try #require(fields["t_s"] as? Double) - 2) < 0.001, "\(fields)")
  }

  @Test(arguments: endings) func aRecordingIsWritten(ending: String) throws {
    let folder = try ScratchFolder()
    let out = folder.url.appending(path: "a.\(ending)").path
    let recorded = try RustleProcess.run(
      ["record", out, "--demo", "--duration", "1", "--rate", "48000", "--format", "ndjson"])
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(recorded.lines.last?.contains("\"frames\":48000") == true, "\(recorded.output)")
    let pitch = try RustleProcess.run(["spectrum", out, "--json"])
    #expect(pitch.status == 0, "\(pitch.errors)")
  }

  @Test(arguments: ["a b.m4a", "ä/ö.m4a", "100%.m4a", "[x].m4a", "q?x#y.m4a", "co:lon.m4a", "-dash.m4a"])
  func anyNameIsWrittenAndRead(name: String) throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(1_000, amplitude: 0.5, seconds: 0.5, sampleRate: 48_000), as: "a.wav")
    try FileManager.default.createDirectory(at: folder.url.appending(path: "ä"), withIntermediateDirectories: true)
    let line = "cd '\(folder.url.path)' && rustle eq '\(tone)' --json -- '\(name)' && rustle meter --json -- '\(name)'"
    let result = try RustleProcess.shell(line)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(result.lines.last?.contains("\"t_s\":0.5") == true)
  }

  /// Of standard input nothing used to be said.
  @Test func standardInputThatWasCutIsReported() throws {
    let folder = try ScratchFolder()
    let whole = WaveFile.sine(1_000, amplitude: 0.5, seconds: 1, sampleRate: 48_000)
    let (cut, file) = try (
      folder.write(whole.dropLast(whole.count / 2), as: "cut.wav"), folder.write(whole, as: "a.wav")
    )
    let tail = "is truncated: its header has 48000 frames, the file "
    for (line, isCut) in [
      ("rustle meter '\(cut)'", true), ("rustle meter - < '\(cut)'", true), ("cat '\(cut)' | rustle meter -", true),
      ("rustle eq - '\(folder.url.path)/b.wav' < '\(cut)'", true), ("rustle meter - < '\(file)'", false),
      ("rustle meter <(cat '\(cut)')", true), ("rustle meter <(cat '\(file)')", false),
      ("cat '\(file)' | rustle meter -", false), ("cat '\(file)' | rustle meter - --duration 0.1", false),
      ("ffmpeg -loglevel error -i '\(file)' -f wav - | rustle meter -", false),
      ("ffmpeg -loglevel error -i '\(file)' -f aiff - | rustle meter -", false),
    ] {
      let result = try RustleProcess.shell(line)
      #expect(result.status == 0 && result.errors.contains(tail) == isCut, "\(line): \(result.errors)")
    }
    // Behind what was read of it, the rest is no file.
    let rest = try RustleProcess.shell("(read -r -N 4; rustle meter -) < '\(cut)'")
    #expect(rest.status == 65, "\(rest.errors)")
  }

  @Test func aChainIsReadUpToWhereItChanges() throws {
    let folder = try ScratchFolder()
    let line =
      "cd '\(folder.url.path)' && for n in 1 2; do ffmpeg -y -loglevel error -f lavfi -i sine=1000:r=48000:d=1.5 -ac $n "
      + "-c:a libopus $n.ogg; done && cat 1.ogg 1.ogg > 11.ogg && cat 1.ogg 1.ogg 2.ogg > 112.ogg && "
    for (command, notice) in [
      ("rustle meter --json 11.ogg", ""), ("rustle meter --json - < 11.ogg", ""),
      (
        "rustle meter --json 112.ogg",
        "rustle: 112.ogg is a chain of streams: those from 3 s on are not read, of another rate, other channels or no "
          + "known codec\n"
      ),
    ] {
      let result = try RustleProcess.shell(line + command)
      #expect(result.status == 0 && result.errors == notice, "\(result.errors)")
      #expect(result.lines.last?.contains("\"t_s\":3.0") == true, "\(result.output)")
    }
  }

  /// Programs in place of FFmpeg's, in front of the real ones.
  private func path(_ folder: borrowing ScratchFolder, _ programs: [String: String]) throws -> [String: String] {
    for (name, script) in programs {
      let program = try folder.write(Data("#!/bin/sh\n\(script)\n".utf8), as: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    }
    return ["PATH": "\(folder.url.path):/usr/bin:/bin"]
  }

  /// A file whose description and sound have different numbers of channels used to overflow the reader's memory.
  @Test func theDecodersNumberOfChannelsCounts() throws {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "a.m4a").path
    let recorded = try RustleProcess.run(["record", file, "--demo", "--duration", "1", "--rate", "48000"])
    #expect(recorded.status == 0, "\(recorded.errors)")
    let description =
      #"{"streams":[{"codec_name":"aac","sample_rate":"8000","channels":1,"time_base":"1/8000","duration_ts":48000}]}"#
    let result = try RustleProcess.run(
      ["meter", file, "--json"], environment: path(folder, ["ffprobe": "echo '\(description)'"]))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.last?.contains(#""sample_rate_hz":48000.0,"channels":2"#) == true, "\(result.output)")
  }

  /// The shell waits for another program, which has the same output.
  @Test func aProgramThatDoesNotEndIsEndedWithThoseThatItStarts() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(Data([0, 0, 0, 8]) + Data("ftypM4A ".utf8), as: "a.m4a")
    let clock = ContinuousClock()
    let start = clock.now
    let result = try RustleProcess.run(["meter", file], environment: path(folder, ["ffprobe": "sleep 60; exit"]))
    #expect(result.status == 65 && result.errors.contains("it did not end within 10 seconds"), "\(result.errors)")
    #expect(clock.now - start < .seconds(50))
  }

  @Test func withoutFileDescriptorsTheErrorNamesThem() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(Data([0, 0, 0, 8]) + Data("ftypM4A ".utf8), as: "a.m4a")
    for limit in [14, 20, 30] {
      let result = try RustleProcess.shell("ulimit -n \(limit); rustle meter '\(file)'")
      #expect(result.status == 69 && result.errors.contains("limit of open files"), "\(limit): \(result.errors)")
    }
  }

  @Test func aPipeByItsPathIsRead() throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(1_000, amplitude: 0.5, seconds: 0.5, sampleRate: 48_000), as: "a.wav")
    let result = try RustleProcess.shell("cat '\(tone)' | rustle meter --json /dev/stdin")
    #expect(result.status == 0 && result.lines.last?.contains("\"t_s\":0.5") == true, "\(result.errors)")
  }

  @Test func withoutTheProgramTheErrorNamesIt() throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(1_000, amplitude: 0.5, seconds: 0.1, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.m4a").path
    let path = ["PATH": "/nonexistent"]
    let writing = try RustleProcess.run(["eq", tone, out], environment: path)
    #expect(writing.status == 69 && writing.errors.contains("M4A needs the program ffmpeg, which is not in PATH"))
    #expect(writing.errors.contains("Install FFmpeg"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.wav"])
    let there = try folder.write(Data([0, 0, 0, 8]) + Data("ftypM4A ".utf8), as: "there.m4a")
    let reading = try RustleProcess.run(["meter", there], environment: path)
    #expect(reading.status == 69 && reading.errors.contains("M4A needs the program ffprobe"), "\(reading.errors)")
  }
}

/// `rustle eq --normalize`.
@Suite struct NormalizedCommandTests {
  @Test(arguments: [("b.wav", "-23"), ("b.m4a", "-16")])
  func theOutputHasTheLoudnessAskedFor(name: String, target: String) throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(997, amplitude: 0.05, seconds: 3, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: name).path
    let result = try RustleProcess.run(["eq", tone, out, "--normalize", target, "--band", "60:-3"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let level = try RustleProcess.run(["meter", out, "--json"])
    let fields = try JSONSerialization.jsonObject(with: Data(try #require(level.lines.last).utf8)) as? [String: Any]
    let loudness = try #require(fields?["integrated_lufs"] as? Double)
    #expect(abs(loudness - (try #require(Double(target)))) < 0.1)
  }

  @Test func aLimitedOrMissingLoudnessIsReported() throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(997, amplitude: 0.5, seconds: 1, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.wav").path
    let limited = try RustleProcess.run(["eq", tone, out, "--normalize", "0", "--true-peak", "-2"])
    #expect(limited.status == 0)
    #expect(limited.errors.contains("b.wav: -5.0 LUFS, limited by a true peak of -2.0 dBTP"), "\(limited.errors)")
    let soft = try folder.write(WaveFile.sine(997, amplitude: 0.001, seconds: 1, sampleRate: 48_000), as: "d.wav")
    let short = try RustleProcess.run(["eq", soft, out, "--normalize", "-3", "--overwrite"])
    #expect(short.status == 0 && short.errors.contains("LUFS, limited by the largest preamp"), "\(short.errors)")
    let silence = try folder.write(WaveFile.sine(997, amplitude: 0, seconds: 1, sampleRate: 48_000), as: "c.wav")
    let silent = try RustleProcess.run(["eq", silence, out, "--normalize", "-23", "--overwrite"])
    #expect(silent.status == 0 && silent.errors.contains("c.wav has no loudness"), "\(silent.errors)")
  }

  @Test(arguments: [
    (["-", "b.wav", "--normalize", "-23"], "--normalize requires a file to read"),
    (["--live", "--normalize", "-23"], "--normalize requires a file to read"),
    (["a.wav", "b.wav", "--true-peak", "-1"], "--true-peak requires --normalize"),
    (["a.wav", "b.wav", "--normalize", "-23", "--bypass"], "requires an equalizer that is not bypassed"),
    (["a.wav", "b.wav", "--normalize", "3"], "a loudness in LUFS"),
  ])
  func whatCannotBeNormalizedIsRefused(arguments: [String], text: String) throws {
    #expect(ParsingTests.refusal(["eq"] + arguments).contains(text))
  }
}

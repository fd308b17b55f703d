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

  @Test func withoutTheProgramTheErrorNamesIt() throws {
    let folder = try ScratchFolder()
    let tone = try folder.write(WaveFile.sine(1_000, amplitude: 0.5, seconds: 0.1, sampleRate: 48_000), as: "a.wav")
    let out = folder.url.appending(path: "b.m4a").path
    let path = ["PATH": "/nonexistent"]
    let writing = try RustleProcess.run(["eq", tone, out], environment: path)
    #expect(writing.status == 69 && writing.errors.contains("M4A needs the program ffmpeg, which is not in PATH"))
    #expect(writing.errors.contains("install FFmpeg"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.wav"])
    let there = try folder.write(Data([0, 0, 0, 8]) + Data("ftypM4A ".utf8), as: "there.m4a")
    let reading = try RustleProcess.run(["meter", there], environment: path)
    #expect(reading.status == 69 && reading.errors.contains("M4A needs the program ffprobe"), "\(reading.errors)")
  }
}

internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct RecordTests {
  static func level(_ peak: Double, _ power: Double) throws -> SignalLevel {
    // A constant and one sample above it: the peak and the mean square are chosen apart.
    let count = 1_000
    let constant = Float(pow(10, power / 20))
    let samples = [Float(pow(10, peak / 20))] + Array(repeating: constant, count: count - 1)
    return try #require(SignalLevel.levels(of: samples, channels: 1).first)
  }

  static func progress(isPaused: Bool = false, droppedFrames: Int64 = 0, clipped: Int = 0) throws -> RecorderProgress {
    RecorderProgress(
      frames: 3_550_000, duration: .milliseconds(73_958), isPaused: isPaused,
      levels: [try level(-12.3, -24), try level(-40, -50)], droppedFrames: droppedFrames, overruns: 0,
      clippedSamples: clipped)
  }

  @Test(arguments: [40, 80, 120]) func theViewFitsTheTerminal(columns: Int) throws {
    let view = RecordView(path: "session/音.flac", hasKeys: true, held: [-6, 0.1])
    let lines = view.lines(
      try Self.progress(droppedFrames: 128, clipped: 3), TickerViewTests.profile(columns: columns))
    for line in lines {
      #expect(line.columns <= columns)
      #expect(DisplayWidth.columns(of: line.text) == line.columns)
    }
    try Snapshot.expect(TickerViewTests.text(lines), variant: "\(columns)")
  }

  /// The help used to be cut on a narrow terminal.
  @Test func theHelpFitsANarrowTerminal() throws {
    let view = RecordView(path: "a.wav", hasKeys: true, showsHelp: true, held: [-6, -30])
    let lines = view.lines(try Self.progress(), TickerViewTests.profile(columns: 40, rows: 10))
    #expect(lines.count < 10 && lines.allSatisfy { $0.columns <= 40 })
    let text = TickerViewTests.text(lines)
    for part in ["space pauses and resumes", "q stops and closes the file", "? hides this"] {
      #expect(text.contains(part))
    }
  }

  @Test func theViewInASCIIHasNoOtherCharacter() throws {
    let view = RecordView(path: "a.wav", hasKeys: true, showsHelp: true, held: [-6, -30])
    let profile = TickerViewTests.profile(columns: 80, ascii: true)
    let text = TickerViewTests.text(view.lines(try Self.progress(isPaused: true), profile))
    #expect(text.allSatisfy { $0.isASCII })
    try Snapshot.expect(text)
  }

  @Test func linesAreForPeopleAndForPrograms() throws {
    let recording = Recording(
      path: "a.wav", format: try AudioFormat(sampleRate: 48_000, channels: 2), frames: 480_000, droppedFrames: 2,
      overruns: 1, clippedSamples: 0)
    for format in [OutputFormat.text, .ndjson] {
      let profile = TickerViewTests.profile(columns: 80)
      let text =
        RecordCommand.progressTable(format, profile).line(try Self.progress(clipped: 1))
        + RecordCommand.summaryTable(format, profile).line(recording)
      try Snapshot.expect(text, variant: format.rawValue)
    }
  }

  @Test func theOptionsAreRead() throws {
    let arguments = [
      "record", "a.wav", "--device", "hw:1", "--rate", "96000", "--channels", "1", "--duration", "2", "--encoding",
      "f32",
      "--overwrite", "--dither", "--json",
    ]
    let command = try #require(try RootCommand.parseAsRoot(arguments) as? RecordCommand)
    #expect(command.output == "a.wav" && command.device.choice.name == "hw:1" && command.duration.seconds == 2)
    #expect(command.written.encoding == .float32 && command.written.overwrite && command.written.dither)
    #expect(ParsingTests.refusal(["record", "a.wav", "--encoding", "mp3"]).contains("mp3"))
    #expect(ParsingTests.refusal(["record", "-"]).contains("expected the path of a file, got -"))
    #expect(
      ParsingTests.refusal(["record", "a.wma"]).contains("ends with .wav, .flac, .ogg, .opus, .mp3 or .m4a, got"))
    #expect(ParsingTests.refusal(["record", "a.mp3", "--encoding", "s16"]).contains("requires a WAV or FLAC file"))
    #expect(ParsingTests.refusal(["record", "a.mp3", "--dither"]).contains("--dither requires a WAV or FLAC file"))
    #expect(
      ParsingTests.refusal(["record", "a.wav", "--quality", "0.5"]).contains("requires an OGG, OPUS, MP3 or M4A"))
    #expect(ParsingTests.refusal(["record", "a.m4a", "--quality", "1.5"]).contains("expected 0 to 1, got 1.5"))
    #expect(
      ParsingTests.refusal(["record", "a.flac", "--encoding", "f32"]).contains("expected s16 or s24 for FLAC, got f32"))
    #expect(ParsingTests.refusal(["record", "a.wav", "--format", "csv"]).contains("one of 'auto', 'text' or 'ndjson'"))
    #expect(
      ParsingTests.refusal(["record", "a.wav", "--demo", "--device", "x"]).contains(
        "--device x cannot be used with --demo"))
  }

  @Test(arguments: ["wav", "flac"]) func aRecordingHoldsTheTimeThatWasAskedFor(container: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.\(container)")
    let result = try RustleProcess.run(["record", path, "--demo", "--duration", "0.4", "--encoding", "s16", "--json"])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(result.lines.last?.contains("\"kind\":\"summary\"") == true)
    var reader = try AudioFileReader(path: path)
    var samples: [Float] = []
    let frames = try reader.read(into: &samples, maximumFrameCount: 100_000)
    #expect(frames == 19_200)
    // The device swells from silence: what is there is a tone, and not one of full scale.
    let peak = samples.reduce(0) { max($0, abs($1)) }
    #expect((0.001..<0.01).contains(peak))
  }

  @Test func aFileThatIsThereIsNotReplaced() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("mine".utf8), as: "take.wav")
    let result = try RustleProcess.run(["record", path, "--demo", "--duration", "0.1"])
    #expect(result.status == 64)
    #expect(result.errors.contains("the file exists"))
    let kept = try Data(contentsOf: URL(filePath: path))
    #expect(kept == Data("mine".utf8))
    let replaced = try RustleProcess.run(["record", path, "--demo", "--duration", "0.1", "--overwrite"])
    #expect(replaced.status == 0)
  }

  @Test(arguments: [
    ("take.mp3", ["--rate", "96000"], "MP3: expected a rate of 8000, "),
    ("take.flac", ["--channels", "12"], "FLAC: expected up to 8 channels, got 12"),
  ])
  func aRateOrChannelsThatTheFormatDoesNotTakeAreAUsageError(name: String, words: [String], text: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path(name)
    let result = try RustleProcess.run(["record", path, "--demo", "--duration", "0.1"] + words)
    #expect(result.status == 64 && result.errors.contains(text), "\(result.errors)")
    #expect(result.errors.contains("Choose another --rate or --channels, or record a WAV file."))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func silenceHasADashForItsLevel() throws {
    let silence = RecorderProgress(
      frames: 48_000, duration: .seconds(1), isPaused: false, levels: SignalLevel.levels(of: [0, 0], channels: 1),
      droppedFrames: 0, overruns: 0, clippedSamples: 0)
    let profile = TickerViewTests.profile(columns: 80)
    let line = RecordCommand.progressTable(.text, profile).line(silence)
    let view = TickerViewTests.text(RecordView(path: "a.wav", held: [-.infinity]).lines(silence, profile))
    for text in [line, view] { #expect(text.contains("     – ") && !text.contains("inf"), "\(text)") }
  }

  @Test func aDeviceThatIsNotThereIsReportedWithStatus69() throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.wav")
    let result = try RustleProcess.run(["record", path, "--device", "no-such-device", "--duration", "0.1"])
    #expect(result.status == 69)
    #expect(result.errors.contains("error: expected "))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func anInterruptedRecordingIsAWholeFile() throws {
    let folder = try ScratchFolder()
    let path = folder.path("take.flac")
    let status = try RustleProcess.interrupt(["record", path, "--demo", "--json"], with: SIGINT)
    #expect(status == 130)
    let reader = try AudioFileReader(path: path)
    // A file that was closed says its length.
    let frames = try #require(reader.format.frames)
    #expect(frames >= 4_800)
  }

  @Test(arguments: ["wav", "flac"]) func aKilledRecordingOpensUpToItsLastSecond(container: String) throws {
    let folder = try ScratchFolder()
    // Twenty at once, each killed after another number of lines.
    let result = try RustleProcess.shell(
      """
      cd '\(folder.url.path)'
      for n in {0..19}; do
        "$RUSTLE" record $n.\(container) --demo --rate 8000 --channels 1 --encoding s16 --json > $n.txt & pids[n]=$!
      done
      for n in {0..19}; do
        until [ $(wc -l < $n.txt) -gt $((n * 7 % 20)) ]; do kill -0 ${pids[n]} || exit 1; sleep 0.02; done
        kill -KILL ${pids[n]}
        wait ${pids[n]} 2> /dev/null
      done
      exit 0
      """)
    try #require(result.status == 0, "a recording ended by itself: \(result.errors)")
    for number in 0..<20 {
      let lines = try String(contentsOfFile: folder.path("\(number).txt"), encoding: .utf8)
      let last = try #require(lines.split(separator: "\n").last { $0.hasSuffix("}") })
      let reported = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
      let frames = try #require(reported?["frames"] as? Int)
      var reader = try AudioFileReader(path: folder.path("\(number).\(container)"))
      var samples: [Float] = []
      let kept = try reader.read(into: &samples, maximumFrameCount: 50_000)
      // Reported ten times per second: at most a tenth more came since.
      #expect(frames - kept < 7_200, "kept \(kept) of \(frames)")
      #expect(kept > 0 || frames < 7_200)
    }
  }
}

import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct SpectrogramTests {
  /// A tone that rises from 0 to 3,500 Hz within a second, at 8 kHz.
  static func result(scale: AxisScale = .linear) throws -> SpectrogramResult {
    let rate = 8_000.0
    let signal = (0..<8_000).map { index -> Float in
      let time = Double(index) / rate
      return Float(0.5 * sin(2 * .pi * 1_750 * time * time))
    }
    let stft = try STFT(size: 256, hop: 64, normalization: .amplitude, output: .decibels)
    var columns = SpectrogramColumns(levelsPerColumn: stft.valuesPerFrame)
    let rows = try stft.frames(of: signal)
    for start in stride(from: 0, to: rows.count, by: stft.valuesPerFrame) {
      columns.add(Array(rows[start..<start + stft.valuesPerFrame]))
    }
    let subject = SoundSubject(
      name: "folder/sweep.wav", format: try AudioFormat(sampleRate: rate, channels: 1), encoding: "WAV, 32 bit float",
      channel: nil)
    return SpectrogramResult(
      subject: subject, seconds: Double(signal.count) / rate, stft: stft, columns: columns, range: 60,
      maximumFrequency: 4_000, scale: scale)
  }

  static func text(_ profile: TerminalProfile) throws -> String {
    try result().text(profile)
  }

  @Test(arguments: [40, 80]) func thePictureFitsTheTerminal(columns: Int) throws {
    let text = try Self.text(TickerViewTests.profile(columns: columns))
    let picture = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3)
    #expect(picture.count == 21)
    for line in picture { #expect(line.count <= columns) }
    try Snapshot.expect(text, variant: "\(columns)")
  }

  @Test func thePictureInASCIIHasNoOtherCharacter() throws {
    let text = try Self.text(TickerViewTests.profile(columns: 80, ascii: true))
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(text)
  }

  @Test func thePictureInColourIsTheSameTextWithColours() throws {
    let plain = try Self.text(TickerViewTests.profile(columns: 80))
    let coloured = try Self.text(TickerViewTests.profile(columns: 80, color: true))
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[38;5;"))
    #expect(coloured.replacing(/\u{1B}\[[\d;]+m/, with: "") == plain)
  }

  @Test func theToneIsDrawnWhereItIs() throws {
    let plot = try Self.result().plot
    let points = plot.grid.points(width: 100, height: 40, x: plot.x, y: plot.y)
    for column in [10, 30, 50, 70, 90] {
      let row = try #require((0..<40).max { points[$0 * 100 + column] < points[$1 * 100 + column] })
      // The tone is at 3,500 Hz times the time; a row is 100 Hz, and the highest is row 0.
      let frequency = (39.5 - Double(row)) * 100
      #expect(abs(frequency - 35 * (Double(column) + 0.5)) < 110, "column \(column)")
    }
    #expect(plot.title == "sweep.wav" && plot.values.range == -60...0)
    var low = try Self.result(scale: .logarithmic)
    // From the first bin at the earliest.
    low.minimumFrequency = 5
    #expect(low.plot.y.scale == .logarithmic && low.plot.y.range == 31.25...4_000)
  }

  @Test func recordsHaveTheLevelsOfEachColumn() throws {
    struct Record: Decodable {
      var v: Int, t_s: Double, bin_hz: Double, db: [Double?]
    }
    var result = try Self.result()
    let records = try result.records.split(separator: "\n").map {
      try JSONDecoder().decode(Record.self, from: Data($0.utf8))
    }
    #expect(records.count == result.columns.count)
    for (index, record) in records.enumerated() {
      #expect(record.v == 1 && record.t_s == Double(index * 64) / 8_000 && record.bin_hz == 31.25)
      #expect(record.db.map { $0.map(Float.init) } == result.columns.levels(of: index).map { $0.isFinite ? $0 : nil })
    }
    // The tone is at 3,500 Hz times the time.
    let loudest = try #require(records[63].db.indices.max { records[63].db[$0] ?? -200 < records[63].db[$1] ?? -200 })
    #expect(abs(Double(loudest) * 31.25 - 3_500 * 63 * 64 / 8_000) < 32)
    result = SpectrogramResult(
      subject: result.subject, seconds: 1, stft: result.stft, columns: result.columns, range: 60, maximumFrequency: 100)
    let line = try #require(result.records.split(separator: "\n").first)
    #expect(try JSONDecoder().decode(Record.self, from: Data(line.utf8)).db.count == 4)
  }

  @Test func theTimeAxisStandsUnderThePicture() throws {
    let lines = try Self.text(TickerViewTests.profile(columns: 80)).split(separator: "\n").map(Array.init)
    let corner = try #require(lines.firstIndex { $0.contains("└") })
    let axis = lines[corner]
    let first = try #require(axis.firstIndex(of: "┬"))
    #expect(axis.firstIndex(of: "└") == lines[corner - 1].firstIndex { "│┤".contains($0) })
    // The time 0 s is that of the first column.
    #expect(first == 7 && lines[corner + 1].firstIndex(of: "0") == 7)
  }
}

// Processes inherit each other's pipes: they are run one after the other, in the suite that is serialized.
extension CommandTests {
  private static var spectrogramRecording: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/recordings/chord.flac").path
  }

  @Test func theSpectrogramIsDrawnIntoAPNG() throws {
    let folder = try ScratchFolder()
    let png = folder.url.appending(path: "a.png")
    let result = try RustleProcess.run([
      "spectrogram", Self.spectrogramRecording, "--png", png.path, "--width", "700", "--height", "300", "--log",
    ])
    #expect((result.status, result.output, result.errors) == (0, "", "wrote \(png.path)\n"))
    let image = try PNGImage(contentsOf: png)
    #expect((image.width, image.height) == (700, 300))
    // The highest note's overtones are light, what is above them dark.
    let colors = Set((80..<580).map { image.pixel($0, 200) })
    #expect(colors.count > 20)
  }

  @Test func theSpectrogramIsWrittenAsRecords() throws {
    let result = try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--json", "--max-frequency", "1000"])
    #expect(result.status == 0 && result.errors == "")
    let line = try #require(result.lines.first)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let first = try #require(object as? [String: Any])
    // 32,000 Hz and 2,048 samples: 15.625 Hz a bin, and 64 of them up to 1,000 Hz after that of 0 Hz.
    #expect(first["t_s"] as? Double == 0 && first["bin_hz"] as? Double == 15.625)
    #expect((first["db"] as? [Any])?.count == 65)
    #expect(result.lines.count > 100)
    let csv = try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--format", "csv"])
    #expect(csv.status == 64 && csv.errors.hasPrefix("error: The value 'csv' is invalid for '--format <format>'."))
  }

  @Test(arguments: ["spectrogram", "spectrum"])
  func recordingIsNotOverwrittenByItsPicture(command: String) throws {
    let folder = try ScratchFolder()
    let before = try Data(contentsOf: URL(filePath: Self.spectrogramRecording))
    let recording = try folder.write(before, as: "take.flac")
    let link = folder.url.appending(path: "link.png").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: recording)
    for picture in [recording, link] {
      let result = try RustleProcess.run([command, recording, "--png", picture])
      #expect(result.status == 64)
      #expect(result.errors.contains("--png: expected another file than the input, got \(picture)"))
    }
    #expect(try Data(contentsOf: URL(filePath: recording)) == before)
    for (nowhere, words) in [("", "''"), ("-", "- (standard output)")] {
      let result = try RustleProcess.run([command, recording, "--png", nowhere])
      #expect(result.status == 64)
      #expect(result.errors.contains("--png: expected the path of a file, got \(words)"))
    }
  }

  @Test func wrongUseOfTheSpectrogramIsExplained() throws {
    let high = try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--max-frequency", "20000"])
    #expect(high.status == 64)
    #expect(high.errors.contains("expected at most half the sample rate, 16000 Hz, got 20000 Hz"))
    let size = try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--size", "1000"])
    #expect(size.status == 64)
    #expect(size.errors.contains("expected a power of two from 64 to 65536, got '1000'"))
    #expect(try RustleProcess.run(["spectrogram", "no/such.wav"]).status == 66)
    #expect(
      try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--png", "no/such/folder/a.png"]).status == 69)
    let text = try RustleProcess.run(["spectrogram", Self.spectrogramRecording, "--ascii"])
    #expect(text.status == 0)
    #expect(text.output.utf8.allSatisfy { $0 < 0x80 })
  }
}

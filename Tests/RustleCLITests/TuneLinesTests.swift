import Foundation
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleAudio
@testable import RustleCLI

/// The lines of the tuner and its report, from fixed numbers.
@Suite(.releasesNativeObjects) struct TuneLinesTests {
  static func notes(_ updates: [TunerUpdate]) -> PlayedNotes {
    var notes = PlayedNotes()
    for update in updates { _ = notes.add(update) }
    _ = notes.finish()
    return notes
  }

  // MARK: lines

  static func result() -> TuneResult {
    TuneResult(
      seconds: 5.5,
      played: notes(
        TunerUpdate.tone(82.6, from: 0, count: 100) + TunerUpdate.tone(442, from: 100, count: 50)
          + TunerUpdate.tone(440.1, from: 200, count: 200) + TunerUpdate.tone(3_000, from: 430, count: 40)),
      learned: ReferenceLearner.Estimate(
        reference: 441.237, uncertainty: 0.12, used: 41, rejected: 2, isEnough: true),
      inharmonicities: [StretchCurve.Point(note: .a4, inharmonicity: 7e-4)], droppedFrames: 480, overruns: 1)
  }

  static func subject(channel: Int? = nil) throws -> SoundSubject {
    SoundSubject(
      name: "take.flac", format: try AudioFormat(sampleRate: 44_100, channels: 2), encoding: "FLAC, 16 bit",
      channel: channel, mixture: "mix", detail: "notes from 25 to 4500 Hz")
  }

  static func lines(_ format: OutputFormat, ascii: Bool = false) throws -> String {
    let tables = try tables(format, TickerViewTests.profile(columns: 100, ascii: ascii))
    let updates: [TunerUpdate] = [
      .example(0, nil), .example(0.25, 430), .example(0.5, 440.2), .example(0.75, 445.5, lost: 480),
      .example(1, nil, held: Tuning.standard.reading(of: 445.5), lost: 480, overruns: 1),
      .example(1.25, 82, confidence: 0.6, instrument: Instrument(.guitar), isLearning: true, lost: 480, overruns: 1),
    ]
    return tables.readings.header + tables.readings.lines(updates)
      + result().played.notes.map(tables.line).joined() + tables.summary(result())
  }

  static func tables(_ format: OutputFormat, _ profile: TerminalProfile) throws -> TuneTables {
    TuneTables(format: format, profile: profile, subject: try subject(), options: TunerViewOptions())
  }

  @Test func ndjson() throws {
    let text = try Self.lines(.ndjson)
    let objects = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.allSatisfy { $0["v"] as? Int == 1 })
    #expect(objects.compactMap { $0["kind"] as? String }.suffix(5) == ["note", "note", "note", "note", "summary"])
    #expect(objects[0]["note"] is NSNull && objects[0]["cents"] is NSNull && objects[0]["level_db"] is NSNull)
    #expect(objects[5]["string"] as? Int == 1 && objects[4]["held"] as? Bool == true)
    #expect(objects.prefix(6).map { $0["direction"] as? String } == [nil, "flat", "in_tune", "sharp", "sharp", "flat"])
    try Snapshot.expect(text)
  }

  @Test func csv() throws {
    let text = try Self.lines(.csv)
    let rows = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).count }
    #expect(rows.count == 7 && Set(rows).count == 1)
    try Snapshot.expect(text)
  }

  @Test func text() throws {
    #expect(try Self.lines(.auto) == Self.lines(.text))
    #expect(try Self.lines(.text, ascii: true).utf8.allSatisfy { $0 < 0x80 })
    for word in ["FLAT", "IN TUNE", "SHARP", "no tone", "held", "learning", "DROPPED 480", "OVERRUNS 1"] {
      #expect(try Self.lines(.text).contains(word))
    }
    try Snapshot.expect(Self.lines(.text))
  }

  @Test(arguments: [20, 40, 55, 80]) func theReportFitsTheTerminal(columns: Int) throws {
    let report = try Self.tables(.text, TickerViewTests.profile(columns: columns))
    let lines = report.lines(Self.result())
    #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
    #expect(columns < 40 || lines.count { $0.text.contains("IN TUNE") } == 1)
    #expect(columns < 40 || lines.count { $0.text.contains("SHARP") } == 3)
    #expect(report.summary(Self.result()) == lines.map { $0.text + "\n" }.joined())
    try Snapshot.expect(report.summary(Self.result()), variant: "\(columns)")
  }

  @Test func theReportOfNothingSaysSo() throws {
    let report = try Self.tables(.text, TickerViewTests.profile(columns: 80))
    var result = TuneResult(seconds: 61, isLearning: true)
    #expect(
      report.summary(result)
        == "no note in 1:01.0\nno reference learned: too few or too unsteady notes\n")
    result.isLearning = false
    #expect(report.summary(result) == "no note in 1:01.0\n")
  }

  @Test func theSubjectNamesTheChannels() throws {
    #expect(try Self.subject().line == "FLAC, 16 bit, 44.1 kHz, mix of 2 channels, notes from 25 to 4500 Hz")
    #expect(try Self.subject(channel: 2).line.contains("channel 2 of 2"))
  }
}

import Foundation
import RustlePlot
import TestSupport
import Testing

@testable import RustleAudio
@testable import RustleCLI

/// The lines of the tuner and its report, from fixed numbers.
@Suite(.releasesNativeObjects) struct TuneLinesTests {
  /// An update of a tone; nil: silence.
  static func update(
    _ time: Double, _ frequency: Double?, confidence: Double = 0.97, held: TuningReading? = nil,
    instrument: Instrument = .chromatic, isLearning: Bool = false, lost: Int64 = 0, overruns: Int = 0
  ) -> TunerUpdate {
    let reading = frequency.flatMap { Tuning.standard.reading(of: $0, on: instrument) }
    let frame = PitchFrame(
      sample: Int64((48_000 * time).rounded()), time: time, frequency: frequency,
      confidence: frequency == nil ? 0 : confidence, deviation: frequency == nil ? 0 : 0.25, inharmonicity: 2e-4,
      harmonicity: 30, level: frequency == nil ? -.infinity : -23.4)
    let needle = (held ?? reading).map { NeedleSmoother.Needle(reading: $0, isHeld: held != nil, age: time) }
    return TunerUpdate(
      time: time, frame: frame, reading: reading, needle: needle, tuning: .standard, isLearning: isLearning,
      droppedFrames: lost, overruns: overruns)
  }

  /// Updates of one frequency every 10 ms.
  static func tone(
    _ frequency: Double, from begin: Int, count: Int, instrument: Instrument = .chromatic
  ) -> [TunerUpdate] {
    (begin..<begin + count).map { update(0.01 * Double($0), frequency, instrument: instrument) }
  }

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
        tone(82.6, from: 0, count: 100) + tone(442, from: 100, count: 50) + tone(440.1, from: 200, count: 200)
          + tone(3_000, from: 430, count: 40)),
      learned: ReferenceLearner.Result(
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
    let updates = [
      update(0, nil), update(0.25, 430), update(0.5, 440.2), update(0.75, 445.5, lost: 480),
      update(1, nil, held: Tuning.standard.reading(of: 445.5), lost: 480, overruns: 1),
      update(1.25, 82, confidence: 0.6, instrument: Instrument(.guitar), isLearning: true, lost: 480, overruns: 1),
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

  // MARK: keys

  private static let keys = TuneKeys(start: TunerConfiguration())

  @Test func keysMoveTheReference() throws {
    func reference(_ key: Key, from hertz: Double = 440) throws -> Double? {
      let configuration = TunerConfiguration(tuning: try Tuning(reference: hertz))
      guard case .tuning(let tuning) = Self.keys.action(for: key, configuration) else { return nil }
      return tuning.reference
    }
    #expect(try reference(.up) == 441 && reference(.letter("+")) == 441)
    #expect(try reference(.down) == 439 && reference(.letter("-")) == 439)
    #expect(try reference(.right) == 440.1 && reference(.left) == 439.9)
    #expect(try reference(.up, from: 499.5) == 500 && reference(.down, from: 300) == 300)
    #expect(try reference(.right, from: 441.237) == 441.3)
  }

  @Test func keysGoRoundInstrumentsAndTemperaments() throws {
    let own = try Instrument(name: "Own", notes: "C2 G2")
    let keys = TuneKeys(start: TunerConfiguration(instrument: own))
    var configuration = keys.start
    var seen: [String] = []
    repeat {
      guard case .instrument(let next) = keys.action(for: .letter("i"), configuration) else { break }
      configuration.instrument = next
      seen.append(next.name)
    } while configuration.instrument != own && seen.count < 100
    #expect(seen.count == Instrument.Preset.allCases.count + 2 && seen.first == "Chromatic" && seen.last == "Own")
    var names: [String] = []
    for _ in Temperament.Preset.allCases {
      guard case .tuning(let next) = keys.action(for: .letter("t"), configuration) else { break }
      configuration.tuning = next
      names.append(next.temperament.name)
    }
    #expect(names.count == Temperament.Preset.allCases.count && names.last == "Equal temperament")
    #expect(Set(names).count == names.count)
  }

  @Test func otherKeysAreOneActionEach() throws {
    let configuration = TunerConfiguration()
    func action(_ key: Key) -> TuneKeys.Action { Self.keys.action(for: key, configuration) }
    #expect(action(.quit) == .quit && action(.pause) == .pause && action(.help) == .help)
    #expect(action(.restart) == .asBegun && action(.letter("l")) == .learn && action(.letter("x")) == .none)
    #expect(action(.letter("s")) == .stretch)
    let curve = try StretchCurve(points: [StretchCurve.Point(note: .a4, inharmonicity: 1e-3)])
    let stretched = TunerConfiguration(tuning: Tuning.standard.with(stretch: curve))
    #expect(Self.keys.action(for: .letter("s"), stretched) == .tuning(.standard), "a second time takes it away")
    #expect(TuneKeys.help.count < 80)
  }
}

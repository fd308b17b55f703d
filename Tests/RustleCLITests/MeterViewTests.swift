import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// What the meter shows, from fixed numbers.
@Suite(.releasesNativeObjects) struct MeterViewTests {
  static func subject(_ channels: Int = 2) throws -> SoundSubject {
    SoundSubject(
      name: "takes/take1.wav", format: try AudioFormat(sampleRate: 44_100, channels: channels),
      encoding: "WAV, 32 bit float", channel: nil)
  }

  static func state(bands: Bool = true) -> SoundLevelReading {
    var state = SoundLevelReading()
    state.seconds = 75.25
    state.level = -21.34
    state.equivalentContinuousLevel = -23.05
    state.maximum = -8.91
    state.minimum = -63.4
    state.peak = -0.04
    state.soundExposureLevel = -4.29
    state.exceeded = zip([5, 10, 50, 90, 95], [-10.25, -12.5, -24, -51.75, -60.1]).map {
      SoundLevelReading.ExceedanceLevel(percent: $0, level: $1)
    }
    state.displayValue = 76.9
    state.levelZone = .average
    state.loudness = SoundLevelReading.Loudness(
      momentary: -20.1, momentaryMaximum: -7.4, shortTerm: -22.6, shortTermMaximum: -9.8, integrated: -19.75,
      range: 14.2,
      truePeak: 0.31)
    if bands {
      state.bands = (-6...4).map {
        SoundLevelMeter.Band(
          center: 1_000 * pow(10, 0.3 * Double($0)), level: $0 == -6 ? -.infinity : -30 - 3 * abs(Double($0)))
      }
    }
    return state
  }

  /// The same after a minute at a microphone that is calibrated, with everything that can go wrong.
  static func faulty() -> SoundLevelReading {
    var state = state(bands: false)
    state.calibration = Calibration(offset: 118.4)
    state.frequencyWeighting = .c
    state.timeWeighting = .slow
    (state.level, state.equivalentContinuousLevel, state.maximum, state.minimum) = (97.06, 95.35, 109.49, nil)
    state.exceeded = SoundLevelReading().exceeded
    state.levelZone = .loud
    state.displayValue = 120
    state.loudness = nil
    state.overloads = 3
    state.droppedFrames = 960
    state.overruns = 2
    return state
  }

  static func text(_ lines: [ScreenLine]) -> String { lines.map { $0.text + "\n" }.joined() }

  static func view(
    columns: Int, rows: Int = 30, color: Bool = false, ascii: Bool = false, _ state: SoundLevelReading = state(),
    _ status: MeterView.Status = .init(hasKeys: true)
  ) throws -> [ScreenLine] {
    let profile = TickerViewTests.profile(columns: columns, rows: rows, color: color, ascii: ascii)
    return MeterView(subject: try subject(), profile: profile).lines(state, status)
  }

  @Test(arguments: [40, 80, 200]) func theViewFitsTheTerminal(columns: Int) throws {
    let lines = try Self.view(columns: columns, Self.state(), .init(hasKeys: true, showsHelp: true))
    for line in lines {
      #expect(line.columns <= columns)
      #expect(DisplayWidth.columns(of: line.text) == line.columns, "\(line.text)")
    }
    try Snapshot.expect(Self.text(lines), variant: "\(columns)")
  }

  /// Whatever the height, the picture does not scroll, and shows the level, its class and the state of the calibration.
  @Test(arguments: [20, 40, 80], [5, 8, 12, 20, 24, 60]) func theViewNeverScrolls(columns: Int, rows: Int) throws {
    for state in [Self.state(), Self.faulty()] {
      let lines = try Self.view(columns: columns, rows: rows, state)
      #expect(lines.count < rows)
      #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
      let text = Self.text(lines)
      #expect(text.contains(state.levelZone.name) && text.contains("calibrated"))
    }
  }

  /// The footer and the help used to be cut, and a large terminal to stay empty.
  @Test(arguments: [(40, 10), (200, 60)]) func theViewUsesTheTerminalsSize(columns: Int, rows: Int) throws {
    let lines = try Self.view(columns: columns, rows: rows, Self.state(), .init(hasKeys: true, showsHelp: true))
    let text = Self.text(lines)
    #expect(text.hasSuffix("Ctrl-Z suspend\n") && !text.contains("\u{2026}") && text.contains(" of 120 "))
    for key in ["q quit", "space pause the view", "r new measurement"] { #expect(text.contains(key)) }
    #expect(columns < 200 || lines.count == rows - 1 && lines.contains { $0.columns > 180 })
    try Snapshot.expect(text, variant: "\(columns)x\(rows)")
  }

  @Test func theViewInASCIIHasNoOtherCharacter() throws {
    for state in [Self.state(), Self.faulty()] {
      #expect(Self.text(try Self.view(columns: 80, ascii: true, state)).utf8.allSatisfy { $0 < 0x80 })
    }
    try Snapshot.expect(Self.text(try Self.view(columns: 80, ascii: true)))
  }

  @Test func theViewInColourIsTheSameTextWithColours() throws {
    let plain = try Self.view(columns: 80)
    let coloured = try Self.view(columns: 80, color: true)
    #expect(Self.text(coloured).replacing(/\u{1B}\[\d+m/, with: "") == Self.text(plain))
    #expect(coloured.map(\.columns) == plain.map(\.columns))
    try Snapshot.expect(Self.text(coloured).replacing("\u{1B}", with: "ESC"))
  }

  @Test func faultsAndTheCalibrationAreShown() throws {
    let text = Self.text(try Self.view(columns: 80, Self.faulty(), .init(isPaused: true, hasKeys: true)))
    #expect(text.contains("calibrated, +118.4 dB: levels in dB re 20 \u{B5}Pa"))
    #expect(text.contains("OVERLOAD: 3 samples at or beyond full scale"))
    #expect(text.contains("DROPPED: 960 frames, 2 overruns"))
    #expect(text.contains("120 loud") && text.contains("paused"))
    try Snapshot.expect(text)
  }

  @Test func nothingIsShownAsDashes() throws {
    let state = SoundLevelReading()
    let text = Self.text(try Self.view(columns: 80, state, .init(hasSound: false)))
    #expect(text.contains("LAFmin       \u{2013} dBFS") && text.contains("no sound yet"))
    #expect(!text.contains("inf") && !text.contains("nan"))
  }

  @Test(arguments: [
    (LevelZone.silent, "34"), (.quiet, "32"), (.average, "35"), (.noisy, "33"), (.loud, "31"),
  ])
  func aClassIsAWordAndAColour(levelZone: LevelZone, code: String) throws {
    var state = Self.state()
    state.levelZone = levelZone
    let text = Self.text(try Self.view(columns: 80, color: true, state))
    #expect(text.contains("\u{1B}[\(code)m 76 of 120 \(levelZone.name)\u{1B}[0m"))
    #expect(text.contains(levelZone.name.uppercased()))
  }

  @Test(arguments: [0.0, 30, 60, 120, 500]) func theBarIsAsLongAsItsValue(value: Double) throws {
    var state = Self.state()
    state.displayValue = value
    let view = MeterView(subject: try Self.subject(), profile: TickerViewTests.profile(columns: 80, ascii: true))
    let line = view.scale(state)
    #expect(line.text.count { $0 == "@" } == Int(min(1, value / 120) * 60))
    #expect(line.text.count { $0 == "@" || $0 == "." } == 60)
  }

  @Test func thirdsOfOctavesFitAndAreNamedByOctaves() throws {
    var state = Self.state()
    state.bands = (-18...13).map {
      SoundLevelMeter.Band(center: 1_000 * pow(10, Double($0) / 10), level: -Double($0 + 20))
    }
    for columns in [20, 40, 80, 200] {
      let lines = MeterView(subject: try Self.subject(), profile: TickerViewTests.profile(columns: columns)).bands(
        state)
      #expect(lines.count == MeterView.barRows + 1)
      #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
    }
    let view = MeterView(subject: try Self.subject(), profile: TickerViewTests.profile(columns: 80))
    #expect(
      view.bands(state).last?.text.split(separator: " ") == [
        "dBFS", "16", "31.5", "63", "125", "250", "500", "1k", "2k", "4k", "8k", "16k",
      ])
  }

  // MARK: the report and the lines

  @Test(arguments: [40, 80]) func theReportFitsTheTerminal(columns: Int) throws {
    var state = Self.state()
    state.overloads = 1
    let profile = TickerViewTests.profile(columns: columns)
    let lines = MeterView(subject: try Self.subject(), profile: profile).report(
      state, Self.history([.silent, .quiet, .quiet, .average]))
    #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
    try Snapshot.expect(Self.text(lines), variant: "\(columns)")
  }

  /// A history of readings in these zones.
  static func history(_ zones: [LevelZone]) -> LevelHistory {
    var history = LevelHistory()
    for zone in zones {
      var reading = SoundLevelReading()
      reading.levelZone = zone
      history.add(reading)
    }
    return history
  }

  static func lines(_ format: OutputFormat, ascii: Bool = false) throws -> String {
    var silence = SoundLevelReading()
    silence.loudness = SoundLevelReading.Loudness(
      momentary: -.infinity, momentaryMaximum: -.infinity, shortTerm: -.infinity, shortTermMaximum: -.infinity,
      integrated: -.infinity, range: 0, truePeak: -.infinity)
    silence.bands = state().bands.map { SoundLevelMeter.Band(center: $0.center, level: -.infinity) }
    let lines = MeterLines(
      like: silence, of: try subject(), format: format,
      profile: TickerViewTests.profile(columns: 80, ascii: ascii))
    let gap = format.isForPeople ? "\n" : ""
    return lines.readings.header + lines.readings.line(silence) + lines.readings.line(state()) + gap
      + lines.summary(state(), history([.silent, .quiet]))
  }

  @Test func ndjson() throws {
    let text = try Self.lines(.ndjson)
    let objects = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["kind"] as? String } == ["reading", "reading", "summary"])
    #expect(objects.allSatisfy { $0["v"] as? Int == 1 })
    // Silence has no level.
    #expect(objects[0]["level_db"] is NSNull && objects[0]["l50_db"] is NSNull && objects[0]["minimum_db"] is NSNull)
    #expect(objects[1]["level_db"] as? Double == -21.34 && objects[1]["zone"] as? String == "average")
    try Snapshot.expect(text)
  }

  @Test func csv() throws {
    let text = try Self.lines(.csv)
    let rows = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).count }
    #expect(rows.count == 3 && Set(rows).count == 1)
    try Snapshot.expect(text)
  }

  @Test func text() throws {
    #expect(try Self.lines(.auto) == Self.lines(.text))
    #expect(try Self.lines(.text, ascii: true).utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(Self.lines(.text))
  }

  // MARK: numbers

  @Test func aLevelHasATenthAndSilenceIsADash() {
    #expect(Numbers.level(-21.34, .unicode) == "\u{2212}21.3")
    #expect(Numbers.level(-21.36, .ascii) == "-21.4")
    #expect(Numbers.level(-0.04, .ascii) == "0.0")
    #expect(Numbers.level(-.infinity, .ascii) == "-" && Numbers.level(nil, .unicode) == "\u{2013}")
  }

  @Test func aTimeIsThatOfAClock() {
    #expect(Numbers.time(0) == "0:00.0")
    #expect(Numbers.time(59.96) == "1:00.0")
    #expect(Numbers.time(3_599.9) == "59:59.9")
    #expect(Numbers.time(3_723.04) == "1:02:03.0")
  }
}

import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct EqualizerViewTests {
  static func profile(columns: Int, rows: Int = 24, color: Bool = false, ascii: Bool = false) -> TerminalProfile {
    TickerViewTests.profile(columns: columns, rows: rows, color: color, ascii: ascii)
  }

  static let settings = EqualizerSettings(
    left: [EqualizerBand(.lowShelf, frequency: 100, gain: 6, q: 0.7), EqualizerBand(frequency: 3_000, gain: -9, q: 2)],
    right: [EqualizerBand(.lowShelf, frequency: 100, gain: 6, q: 0.7)], preamp: -2)

  static func response(_ settings: EqualizerSettings) throws -> EqualizerResponse {
    try settings.response(at: EqualizerResponse.audibleFrequencies(sampleRate: 48_000), sampleRate: 48_000)
  }

  static func picture(_ settings: EqualizerSettings, columns: Int, ascii: Bool = false) throws -> String {
    ResponseView(
      response: try response(settings), settings: settings, sampleRate: 48_000,
      profile: profile(columns: columns, ascii: ascii)
    ).text()
  }

  // MARK: the response

  @Test(arguments: [40, 80]) func theResponseFitsTheTerminal(columns: Int) throws {
    let text = try Self.picture(Self.settings, columns: columns)
    for line in text.split(separator: "\n").prefix(16) { #expect(DisplayWidth.columns(of: String(line)) <= columns) }
    try Snapshot.expect(text, variant: "\(columns)")
  }

  @Test func equalChannelsAreOneCurveInASCII() throws {
    var same = Self.settings
    same.right = same.left
    let text = try Self.picture(same, columns: 60, ascii: true)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(text)
  }

  @Test func theResponseOfNothingIsALineAtZero() throws {
    let text = try Self.picture(.flat, columns: 40)
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.contains("*****") } == 1)
    #expect(lines.contains { $0 == "    0 ┤" + String(repeating: "*", count: 33) })
  }

  @Test func theResponseForProgramsHasEveryPoint() throws {
    let response = EqualizerResponse.audibleFrequencies(count: 3, sampleRate: 48_000)
    let curves = try Self.settings.response(at: response, sampleRate: 48_000)
    let records = curves.text(.csv, profile: Self.profile(columns: 80)).split(separator: "\n")
    #expect(records.count == 4 && records[0] == "hz,left_db,right_db")
    for (index, record) in records.dropFirst().enumerated() {
      #expect(
        record.split(separator: ",").map { Double($0) } == [
          curves.frequencies[index], curves.left[index], curves.right[index],
        ])
    }
    let objects = try curves.text(.ndjson, profile: Self.profile(columns: 80)).split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Double])
    }
    #expect(objects.allSatisfy { $0["v"] == 1 })
    for (object, gain) in zip(objects, curves.left) { #expect(abs(try #require(object["left_db"]) - gain) < 1e-9) }
    #expect(objects.count == 3)
  }

  // MARK: the sliders

  static func controls(isStereo: Bool = true) throws -> EqualizerControls {
    var gains = [Double](repeating: 0, count: 28)
    for band in 0..<14 {
      gains[band] = Double(band) - 5
      gains[27 - band] = Double(band) * 0.5 - 3
    }
    gains[13] = 15
    return try EqualizerControls(EqualizerRequest(settings: .graphic(gains: gains)), isStereo: isStereo)
  }

  static let status = EqualizerPanel.Status(
    state: EqualizerState(
      seconds: 75.2, before: [-18.25, -60], after: [-12.5, -.infinity], preamp: -6.2, droppedFrames: 480, overruns: 1,
      underruns: 2), hasKeys: true)

  @Test(arguments: [40, 80, 200]) func thePanelFitsTheTerminal(columns: Int) throws {
    var controls = try Self.controls()
    for _ in 0..<9 { _ = controls.press(.right) }
    let lines = EqualizerPanel(profile: Self.profile(columns: columns)).lines(controls, Self.status)
    #expect(lines.count < 24)
    for line in lines {
      #expect(line.columns <= columns && DisplayWidth.columns(of: line.text) == line.columns)
      #expect(!line.text.hasSuffix(" "))
    }
    #expect(lines.contains { $0.text.contains(">3.1k") })
    try Snapshot.expect(TickerViewTests.text(lines), variant: "\(columns)")
  }

  /// The footer and the help used to be cut, hidden bands not to be mentioned, and a large terminal to stay empty.
  @Test(arguments: [(40, 10), (200, 60)]) func thePanelUsesTheTerminalsSize(columns: Int, rows: Int) throws {
    let controls = try Self.controls()
    let panel = EqualizerPanel(profile: Self.profile(columns: columns, rows: rows))
    let lines = panel.lines(controls, Self.status)
    let text = TickerViewTests.text(lines)
    #expect(text.contains("q quit") && text.contains("? help") && !text.contains("\u{2026}"))
    #expect(text.contains("bands 1 to 7 of 14") == (columns == 40))
    #expect(lines.count > rows - 6 && lines.contains { $0.columns > columns - 15 })
    var status = Self.status
    status.showsHelp = true
    let help = TickerViewTests.text(panel.lines(controls, status))
    for key in ["arrows band and gain", "s save", "q quit"] { #expect(help.contains(key)) }
    try Snapshot.expect(text + "----\n" + help, variant: "\(columns)x\(rows)")
  }

  @Test(arguments: [20, 30, 40, 80, 200], [5, 6, 8, 10, 15, 24, 60]) func thePanelNeverScrolls(columns: Int, rows: Int)
    throws
  {
    for isStereo in [false, true] {
      let lines = EqualizerPanel(profile: Self.profile(columns: columns, rows: rows))
        .lines(try Self.controls(isStereo: isStereo), Self.status)
      #expect(lines.count < rows)
      #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
    }
  }

  @Test func thePanelInASCIIHasNoOtherCharacterAndFewRowsAreEnough() throws {
    var controls = try Self.controls(isStereo: false)
    _ = controls.press(.help)
    let profile = Self.profile(columns: 80, rows: 15, ascii: true)
    var status = Self.status
    status.showsHelp = true
    (status.state.before, status.state.after) = ([-18.25], [-12.5])
    let lines = EqualizerPanel(profile: profile).lines(controls, status)
    #expect(lines.count < 15)
    #expect(TickerViewTests.text(lines).utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(TickerViewTests.text(lines))
  }

  @Test func thePanelInColourIsTheSameTextWithColours() throws {
    let controls = try Self.controls()
    let plain = EqualizerPanel(profile: Self.profile(columns: 80)).lines(controls, Self.status)
    let coloured = EqualizerPanel(profile: Self.profile(columns: 80, color: true)).lines(controls, Self.status)
    #expect(!TickerViewTests.text(plain).contains("\u{1B}"))
    #expect(TickerViewTests.text(coloured).contains("\u{1B}[36mL\u{1B}[0m"))
    #expect(TickerViewTests.text(coloured).replacing(/\u{1B}\[\d+m/, with: "") == TickerViewTests.text(plain))
  }

  @Test func keysChooseAndChangeBands() throws {
    var controls = try EqualizerControls(EqualizerRequest(settings: .flat), isStereo: true)
    func gains(_ band: Int) -> [Double?] {
      [controls.bands(at: band).left?.gain, controls.bands(at: band).right?.gain]
    }
    #expect(controls.bandCount == 14)
    #expect(controls.press(.left) == .none && controls.chosen == 0)
    #expect(controls.press(.right) == .none && controls.chosen == 1)
    #expect(controls.press(.up) == .apply)
    #expect(gains(1) == [1, 1] && gains(0) == [0, 0])
    #expect(controls.press(.letter("l")) == .none)
    _ = controls.press(.up)
    #expect(gains(1) == [2, 1])
    _ = controls.press(.restart)
    for _ in 0..<20 { _ = controls.press(.down) }
    #expect(gains(1) == [2, -12])
    _ = controls.press(.letter("b"))
    for _ in 0..<30 { _ = controls.press(.up) }
    #expect(gains(1) == [12, 12])
    for _ in 0..<20 { _ = controls.press(.right) }
    #expect(controls.chosen == 13)
    #expect(controls.press(.pause) == .bypass && controls.isBypassed)
    #expect(controls.press(.letter("s")) == .save)
    #expect(controls.press(.letter("x")) == .none)
    #expect(controls.press(.letter("0")) == .apply)
    #expect((0..<14).allSatisfy { gains($0) == [0, 0] })
    #expect(controls.press(.quit) == .quit)
  }

  @Test func aPresetBeyondTheSlidersIsNotPulledBackUnlessItIsMovedThatWay() throws {
    let bands = [
      EqualizerBand(frequency: 100, gain: 15, q: 1), EqualizerBand(.highPass, frequency: 30, gain: 0, q: 0.7),
    ]
    var controls = try EqualizerControls(
      EqualizerRequest(settings: EqualizerSettings(left: bands, right: [bands[0]])), isStereo: true)
    #expect(controls.bandCount == 2)
    _ = controls.press(.up)
    #expect(controls.bands(at: 0).left?.gain == 15)
    _ = controls.press(.down)
    #expect(controls.bands(at: 0).left?.gain == 14)
    _ = controls.press(.right)
    // The right channel has no second band, and a filter that lets sound through has no gain.
    _ = controls.press(.up)
    #expect(controls.bands(at: 1).left?.gain == 0 && controls.bands(at: 1).right == nil)
  }

  @Test func monoHasTheLeftChannelAlone() throws {
    var controls = try Self.controls(isStereo: false)
    _ = controls.press(.restart)
    #expect(controls.channel == .left)
    #expect(controls.bands(at: 0).right == nil)
  }

  // MARK: lines

  @Test(arguments: [OutputFormat.text, .ndjson, .csv]) func statesAreWrittenOneALine(format: OutputFormat) throws {
    let table = EqualizerState.table(channels: 2, format: format, profile: Self.profile(columns: 80))
    try Snapshot.expect(table.header + table.line(Self.status.state), variant: format.rawValue)
  }

  static func summary(clipped: Int, preamp: Double, automatic: Double) throws -> EqualizerSummary {
    EqualizerSummary(
      input: "a.wav", output: "b.flac", container: "FLAC", encoding: .int24,
      format: try AudioFormat(sampleRate: 44_100, channels: 2),
      sound: EqualizedSound(frames: 441_000, peakBefore: 0.5, peakAfter: 2, clippedSamples: clipped), preamp: preamp,
      isBypassed: false, automaticPreamp: automatic)
  }

  @Test func theSummaryOfAFile() throws {
    let summary = try Self.summary(clipped: 12, preamp: -1.25, automatic: -6)
    let texts = [OutputFormat.text, .ndjson, .csv].map { summary.text($0, profile: Self.profile(columns: 80)) }
    try Snapshot.expect(texts.joined())
  }

  @Test func clippedSamplesComeWithAnAdviceThatHelps() throws {
    let loud = try Self.summary(clipped: 12, preamp: 0, automatic: -6.25).adviceOnClipping
    #expect(
      loud
        == "12 samples beyond full scale clipped: use --preamp auto (-6.2 dB), or a lower --preamp, or a WAV "
        + "file with --encoding f32")
    let other = try Self.summary(clipped: 1, preamp: -7, automatic: -6.25).adviceOnClipping
    #expect(
      other == "1 sample beyond full scale clipped: use a lower --preamp, or a WAV file with --encoding f32")
  }
}

import Foundation
import RustleAudio
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// What the tuner shows, from fixed numbers.
@Suite(.releasesNativeObjects) struct TunerViewTests {
  /// A tone that is `cents` above A4.
  static func state(_ cents: Double, isHeld: Bool = false) throws -> TunerUpdate {
    let reading = try #require(Tuning.standard.reading(of: 440 * pow(2, cents / 1_200)))
    return update(reading, isHeld: isHeld, confidence: 0.973, level: -23.45)
  }

  static func update(
    _ reading: TuningReading, isHeld: Bool = false, confidence: Double, level: Double
  ) -> TunerUpdate {
    let frame = PitchFrame(sample: 0, time: 0, frequency: reading.frequency, confidence: confidence, level: level)
    return TunerUpdate(
      time: 0, frame: frame, reading: reading, needle: .init(reading: reading, isHeld: isHeld, age: 0),
      tuning: .standard, isLearning: false, droppedFrames: 0, overruns: 0)
  }

  static func guitar(_ frequency: Double) throws -> (TunerUpdate?, TunerViewOptions) {
    let options = TunerViewOptions(
      tuning: try Tuning(reference: 442.5, temperament: Temperament(.werckmeisterIII), transposition: 12),
      instrument: Instrument(.guitar), span: 25, digits: 2)
    let reading = try #require(options.tuning.reading(of: frequency, on: options.instrument))
    return (update(reading, confidence: 0.8, level: -40), options)
  }

  static func view(
    columns: Int, rows: Int = 24, color: Bool = false, ascii: Bool = false, _ update: TunerUpdate?,
    _ options: TunerViewOptions = TunerViewOptions(), footer: [String] = ["q quit"]
  ) -> [ScreenLine] {
    let profile = TickerViewTests.profile(columns: columns, rows: rows, color: color, ascii: ascii)
    return TunerView(options: options, profile: profile).lines(update, footer: footer)
  }

  static func text(_ lines: [ScreenLine]) -> String { lines.map { $0.text + "\n" }.joined() }

  /// Everything that can be shown.
  static func states() throws -> [(TunerUpdate?, TunerViewOptions)] {
    let plain: [(TunerUpdate?, TunerViewOptions)] = try [-49.9, -12.34, -1.9, 0, 2.4, 49.9].map {
      (try state($0), TunerViewOptions())
    }
    return try plain + [
      (nil, TunerViewOptions()), (try state(3, isHeld: true), TunerViewOptions()), guitar(100), guitar(300),
    ]
  }

  @Test(arguments: [40, 80, 200]) func theViewFitsTheTerminal(columns: Int) throws {
    var texts: [String] = []
    for (state, options) in try Self.states() {
      let lines = Self.view(columns: columns, state, options)
      for line in lines {
        #expect(line.columns <= columns)
        #expect(DisplayWidth.columns(of: line.text) == line.columns, "\(line.text)")
      }
      texts.append(Self.text(lines))
    }
    try Snapshot.expect(texts.joined(separator: "----\n"), variant: "\(columns)")
  }

  /// The help used to be cut on a narrow terminal.
  @Test func theHelpFitsANarrowTerminal() throws {
    let lines = Self.view(columns: 40, rows: 10, try Self.state(2.4), footer: LiveTuner.help)
    #expect(lines.count < 10 && lines.allSatisfy { $0.columns <= 40 } && !Self.text(lines).contains("\u{2026}"))
    for key in LiveTuner.help { #expect(Self.text(lines).contains(key)) }
  }

  /// Whatever the size, nothing scrolls or jumps, and the note, its cents and the words are there.
  @Test(arguments: [20, 41, 80], [5, 6, 8, 12, 24]) func theViewNeverScrollsOrJumps(columns: Int, rows: Int) throws {
    for (state, options) in try Self.states() {
      let lines = Self.view(columns: columns, rows: rows, state, options)
      #expect(lines.count < rows)
      #expect(lines.count == Self.view(columns: columns, rows: rows, nil, options).count)
      #expect(lines.allSatisfy { $0.columns <= columns && DisplayWidth.columns(of: $0.text) == $0.columns })
      guard let reading = state?.needle?.reading else { continue }
      let text = Self.text(lines)
      #expect(text.contains(reading.noteText))
      #expect(text.contains(reading.direction().word))
    }
  }

  @Test func theViewInASCIIHasNoOtherCharacter() throws {
    let texts = try Self.states().map { Self.text(Self.view(columns: 60, ascii: true, $0, $1)) }
    #expect(texts.joined().utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(texts.joined(separator: "----\n"))
  }

  @Test func theViewInColourIsTheSameTextWithColours() throws {
    for (state, options) in try Self.states() {
      let plain = Self.view(columns: 80, state, options)
      let coloured = Self.view(columns: 80, color: true, state, options)
      #expect(Self.text(coloured).replacing(/\u{1B}\[\d+m/, with: "") == Self.text(plain))
      #expect(coloured.map(\.columns) == plain.map(\.columns))
    }
  }

  /// The needle's column is where the cents are on the scale, and words say the same.
  @Test func theNeedleStandsWhereTheCentsAre() throws {
    for (cents, column, word) in [(-50, 0, "FLAT"), (-25, 20, "FLAT"), (0, 40, "IN TUNE"), (25, 60, "SHARP")] {
      let lines = Self.view(columns: 81, try Self.state(Double(cents) * 0.999))
      let needle = try #require(lines.first { $0.text.contains("█") })
      #expect(Array(needle.text).firstIndex(of: "█") == column)
      #expect(lines.contains { $0.text.contains(word) })
    }
  }
}

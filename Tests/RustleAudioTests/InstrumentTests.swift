import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct InstrumentTests {
  @Test(
    arguments: [
      (.guitar, "E2 A2 D3 G3 B3 E4"), (.guitarDropD, "D2 A2 D3 G3 B3 E4"), (.guitarDADGAD, "D2 A2 D3 G3 A3 D4"),
      (.guitarOpenG, "D2 G2 D3 G3 B3 D4"), (.guitarOpenD, "D2 A2 D3 F#3 A3 D4"),
      (.guitarHalfStepDown, "Eb2 Ab2 Db3 Gb3 Bb3 Eb4"), (.guitarSevenString, "B1 E2 A2 D3 G3 B3 E4"),
      (.guitarTwelveString, "E2 E3 A2 A3 D3 D4 G3 G4 B3 B3 E4 E4"), (.bass, "E1 A1 D2 G2"),
      (.bassFiveString, "B0 E1 A1 D2 G2"), (.ukulele, "G4 C4 E4 A4"), (.ukuleleLowG, "G3 C4 E4 A4"),
      (.ukuleleBaritone, "D3 G3 B3 E4"), (.violin, "G3 D4 A4 E5"), (.viola, "C3 G3 D4 A4"), (.cello, "C2 G2 D3 A3"),
      (.doubleBass, "E1 A1 D2 G2"), (.mandolin, "G3 D4 A4 E5"), (.banjo, "G4 D3 G3 B3 D4"),
      (.banjoTenor, "C3 G3 D4 A4"), (.bouzoukiGreek, "C3 C4 F3 F4 A3 D4"), (.bouzoukiIrish, "G2 D3 A3 D4"),
      (.balalaika, "E4 E4 A4"), (.charango, "G4 C5 E4 E5 A4 E5"),
    ] as [(Instrument.Preset, String)])
  func presetsHaveTheirStrings(preset: Instrument.Preset, notes: String) throws {
    #expect(Instrument(preset) == (try Instrument(name: preset.name, notes: notes)))
  }

  @Test func presetsHaveNamesOfTheirOwn() {
    let names = Instrument.Preset.allCases.map { Instrument($0).name }
    #expect(Set(names).count == Instrument.Preset.allCases.count && names.allSatisfy { !$0.isEmpty })
  }

  @Test func theNearestStringIsFound() throws {
    let guitar = Instrument(.guitar)
    for (index, string) in guitar.strings.enumerated() {
      for cents in [-120.0, 0, 120] {
        let frequency = string.note.equalFrequency() * pow(2, cents / 1_200)
        #expect(guitar.nearestString(to: frequency, tuning: .standard) == index)
        let reading = try #require(Tuning.standard.reading(of: frequency, on: guitar))
        #expect(reading.stringIndex == index && reading.note == string.note && abs(reading.cents - cents) < 1e-9)
      }
    }
    #expect(guitar.nearestString(to: .nan, tuning: .standard) == nil)
    #expect(Instrument.chromatic.isChromatic && Instrument.chromatic.nearestString(to: 440, tuning: .standard) == nil)
  }

  @Test func aStringStaysChosenUntilAnotherIsNearerByAMargin() {
    // Half way between A2 and D3, 250 cents from each, and 20 cents to either side.
    let guitar = Instrument(.guitar)
    func string(_ cents: Double, keeping: Int?, margin: Double = 50) -> Int? {
      guitar.nearestString(to: 110 * pow(2, cents / 1_200), tuning: .standard, keeping: keeping, margin: margin)
    }
    #expect(string(270, keeping: nil) == 2 && string(270, keeping: 1) == 1 && string(270, keeping: 1, margin: 0) == 2)
    #expect(string(274, keeping: 1) == 1 && string(276, keeping: 1) == 2)
    #expect(string(226, keeping: 2) == 2 && string(224, keeping: 2) == 1)
    #expect(string(0, keeping: 99) == 1)
    // Of strings alike the one that was chosen stays, and the first is found.
    let twelve = Instrument(.guitarTwelveString)
    #expect(twelve.nearestString(to: 329.6, tuning: .standard) == 10)
    #expect(twelve.nearestString(to: 329.6, tuning: .standard, keeping: 11) == 11)
  }

  @Test func stringsSoundAsTheTuningHasThem() throws {
    let violin = Instrument(.violin)
    let tuning = try Tuning(reference: 443, temperament: Temperament(.pythagorean), clockCorrection: 100)
    #expect(tuning.frequency(of: violin.strings[2]) == 443)
    #expect(abs(tuning.frequency(of: violin.strings[1]) - 443 / 1.5) < 1e-9)
    // The strings sound as they are; a transposition changes what is written alone.
    let written = try Tuning(transposition: 12)
    let reading = try #require(written.reading(of: 82.41, on: Instrument(.guitar)))
    #expect(reading.stringIndex == 0 && reading.noteText == "E3" && abs(reading.cents) < 0.1)
  }

  @Test func sweetenedStringsHaveAnOffset() throws {
    let instrument = try Instrument(
      name: "Sweet", strings: [InstrumentString(Note(midi: 40), offset: -3), InstrumentString(Note(midi: 45))])
    let reading = try #require(Tuning.standard.reading(of: Note(midi: 40).equalFrequency(), on: instrument))
    #expect(abs(reading.cents - 3) < 1e-9 && abs(reading.offset + 3) < 1e-9)
    #expect(InstrumentString(.a4, offset: 400).offset == 100 && InstrumentString(.a4, offset: .nan).offset == 0)
  }

  @Test func customTuningsAreReadBackFromJSON() throws {
    let json = #"{"name": "Own", "strings": ["D2", {"note": "Bb2", "offset_cents": -2.5}, {"note": "F3"}]}"#
    let instrument = try JSONDecoder().decode(Instrument.self, from: Data(json.utf8))
    #expect(instrument.strings.map(\.note.midi) == [38, 46, 53] && instrument.strings.map(\.offset) == [0, -2.5, 0])
    #expect(try JSONDecoder().decode(Instrument.self, from: JSONEncoder().encode(instrument)) == instrument)
    for bad in [
      #"{"name": "", "strings": []}"#, #"{"name": "a", "strings": ["E"]}"#,
      #"{"name": "a", "strings": [{"note": "E2", "offset_cents": 101}]}"#,
      #"{"name": "a", "strings": [{"note": "E2", "offset": 1}]}"#, #"{"name": "a", "strings": [], "v": 1}"#,
    ] {
      #expect(throws: AudioError.self) { try JSONDecoder().decode(Instrument.self, from: Data(bad.utf8)) }
    }
  }

  @Test func instrumentsAreChecked() {
    func message(_ body: () throws -> Instrument) -> String? {
      #expect(throws: AudioError.self) { try body() }?.message
    }
    #expect(
      message { try Instrument(name: "a", notes: " ,") }
        == "notes: expected at least one note, such as E2 A2 D3, got none")
    #expect(
      message { try Instrument(name: "a\u{7}", notes: "E2") }
        == "name: expected one line of 1 to 100 characters, got \"a\\u{07}\"")
    let many = Array(repeating: InstrumentString(.a4), count: 129)
    #expect(message { try Instrument(name: "a", strings: many) } == "strings: expected at most 128, got 129")
  }

  @Test func jsonIsReadAndRefusalsNameThePlace() throws {
    let own = try Instrument(
      json: Data(#"{"name": "Own", "strings": ["C2", {"note": "B2", "offset_cents": -3}]}"#.utf8))
    #expect(own.name == "Own" && own.strings.map(\.offset) == [0, -3])
    let cases: [(String, String)] = [
      ("{", "instrument: expected JSON whose numbers are finite, got text that is not"),
      ("[]", "instrument: expected an object, got another type"),
      (#"{"strings": []}"#, "name: expected a value, got none"),
      (#"{"name": "n", "strings": "C2"}"#, "strings: expected a list, got another type"),
      (#"{"name": "n", "strings": ["C2", {"note": 2}]}"#, "strings 2: note: expected a text, got another type"),
      (#"{"name": "n", "strings": [], "tuning": 1}"#, #"instrument: expected only name, strings, got "tuning""#),
    ]
    for (json, text) in cases {
      let error = #expect(throws: AudioError.self) { try Instrument(json: Data(json.utf8)) }
      #expect(error?.message == text)
    }
    let long = Data(repeating: 0x20, count: 1 << 20 + 1)
    #expect(throws: AudioError.self) { try Instrument(json: long) }
  }
}

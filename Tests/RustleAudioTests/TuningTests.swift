import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TuningTests {
  @Test func readingsOfEqualTemperament() throws {
    let reading = try #require(Tuning.standard.reading(of: 443))
    #expect(reading.noteText == "A4" && reading.octave == 4 && reading.stringIndex == nil && reading.target == 440)
    #expect(abs(reading.cents - 1_200 * log2(443.0 / 440)) < 1e-9)
    #expect(reading.beat == 3 && abs(reading.offset) < 1e-9)
    // Half way between two notes, on either side.
    for cents in [-49.99, 49.99] {
      let edge = try #require(Tuning.standard.reading(of: 440 * pow(2, cents / 1_200)))
      #expect(edge.noteText == "A4" && abs(edge.cents - cents) < 1e-9)
    }
  }

  @Test func everyNoteOfEveryTemperamentIsReadBack() throws {
    for preset in Temperament.Preset.allCases {
      for tonic in 0..<12 {
        let tuning = try Tuning(
          reference: 415, temperament: Temperament(preset), tonic: NoteName(pitchClass: tonic), transposition: 2)
        for midi in stride(from: 3, through: 130, by: 1) {
          let note = Note(midi: midi)
          for cents in [-30.0, 0, 30] {
            let frequency = tuning.frequency(of: note) * pow(2, cents / 1_200)
            let reading = try #require(tuning.reading(of: frequency))
            #expect(reading.note == note, "\(preset) on \(tonic): \(note)")
            #expect(abs(reading.cents - cents) < 1e-8)
            #expect(abs(reading.target - tuning.frequency(of: note)) < 1e-9 * reading.target)
          }
        }
      }
    }
  }

  /// Cents of each note above equal temperament at the same A, on C: the temperament's own less what it has for A.
  @Test func theReferenceHoldsInEveryTemperament() throws {
    for preset in Temperament.Preset.allCases {
      let temperament = Temperament(preset)
      for name in ["C", "Eb", "A", "F#"] {
        let tonic = try NoteName(parsing: name)
        let tuning = try Tuning(reference: 442, temperament: temperament, tonic: tonic)
        #expect(abs(tuning.frequency(of: .a4) - 442) < 1e-9, "\(preset) on \(name)")
        // The octave, and the fifth on the tonic as the temperament has it.
        let low = Note(midi: 60 + tonic.pitchClass)
        #expect(abs(tuning.frequency(of: low.transposed(by: 12)) / tuning.frequency(of: low) - 2) < 1e-12)
        let fifth = Tuning.cents(tuning.frequency(of: low.transposed(by: 7)) / tuning.frequency(of: low))
        #expect(abs(fifth - temperament.cents[7]) < 1e-9)
      }
    }
    let werckmeister = try Tuning(temperament: Temperament(.werckmeisterIII))
    let reading = try #require(werckmeister.reading(of: werckmeister.frequency(of: .c4)))
    // A is 888.270 cents above C rather than 900.
    #expect(abs(reading.offset - 11.730) < 0.001)
  }

  @Test func transpositionIsFromTheSoundToTheWriting() throws {
    // A clarinet in B flat that plays its written C5 sounds B flat 4.
    let clarinet = try Tuning(transposition: 2, spelling: .flats)
    #expect(clarinet.reading(of: Note(midi: 70).equalFrequency())?.noteText == "C5")
    #expect(clarinet.frequency(of: Note(midi: 72)) == Tuning.standard.frequency(of: Note(midi: 70)))
    #expect(clarinet.reading(of: 440)?.noteText == "B4")
  }

  @Test func scalesOfOtherStepCounts() throws {
    let tuning = try Tuning(temperament: .equal(19), tonic: NoteName(.a))
    #expect(tuning.reading(of: 440)?.step == 0)
    for step in -60...60 {
      let frequency = 440 * pow(2, Double(step) / 19)
      #expect(abs(tuning.frequency(ofStep: step) - frequency) < 1e-9 * frequency)
      for cents in [-31.0, 0, 31] {
        let reading = try #require(tuning.reading(of: frequency * pow(2, cents / 1_200)))
        #expect(reading.step == step && abs(reading.cents - cents) < 1e-8)
        // The name is the nearest note's, and the offset says how far that is.
        let equal = reading.note.equalFrequency()
        #expect(abs(Tuning.cents(reading.target / equal) - reading.offset) < 1e-8 && abs(reading.offset) <= 50)
      }
    }
    // E is 700 cents above A; the nearest of 19 steps is the eleventh, 694.7 cents.
    #expect(tuning.frequency(of: Note(midi: 76)) == tuning.frequency(ofStep: 11))
    // On another tonic the tonic is where equal temperament has it.
    let onC = try Tuning(temperament: .equal(31))
    #expect(abs(onC.frequency(ofStep: 0) - Note.c4.equalFrequency()) < 1e-9)
  }

  @Test func theClockIsCorrected() throws {
    let tuning = try Tuning(clockCorrection: 50)
    let reading = try #require(tuning.reading(of: 440))
    #expect(abs(reading.frequency - 440.022) < 1e-9)
    // 50 parts per million are 0.0866 cents.
    #expect(abs(reading.cents - 0.086_56) < 1e-5)
    let correction = try Tuning.clockCorrection(measured: 999.9, actual: 1_000)
    #expect(abs(999.9 * (1 + 1e-6 * correction) - 1_000) < 1e-9)
    for (measured, actual) in [(440.0, 441.0), (0, 0), (-1, -1), (.nan, 440)] {
      #expect(throws: AudioError.self) { try Tuning.clockCorrection(measured: measured, actual: actual) }
    }
  }

  @Test func rangesAreKept() throws {
    for reference in [300.0, 392, 415, 466, 500] {
      #expect(try Tuning(reference: reference).frequency(of: .a4) == reference)
    }
    func message(_ body: () throws -> Tuning) -> String? {
      #expect(throws: AudioError.self) { try body() }?.message
    }
    #expect(message { try Tuning(reference: 299.9) } == "reference: expected 300 to 500 Hz, got 299.9")
    #expect(message { try Tuning(reference: .nan) } == "reference: expected 300 to 500 Hz, got nan")
    #expect(message { try Tuning.standard.with(reference: 501) } == "reference: expected 300 to 500 Hz, got 501")
    #expect(message { try Tuning(transposition: 37) } == "transposition: expected -36 to 36 semitones, got 37")
    #expect(message { try Tuning(clockCorrection: -501) } == "clock correction: expected -500 to 500 ppm, got -501")
    for bad in [0, -440, .nan, .infinity, 0.99, 50_001] { #expect(Tuning.standard.reading(of: bad) == nil) }
    #expect(Tuning.standard.reading(of: 1) != nil && Tuning.standard.reading(of: 50_000) != nil)
  }

  @Test func aReferenceMovesInTenthsWithinTheRange() throws {
    func moved(_ reference: Double, by change: Double) throws -> Double {
      try Tuning(reference: reference).movingReference(by: change).reference
    }
    #expect(try moved(440, by: 1) == 441)
    #expect(try moved(441.237, by: 0.1) == 441.3)
    #expect(try moved(440, by: -0.1) == 439.9)
    #expect(try moved(499.5, by: 1) == 500)
    #expect(try moved(300, by: -1) == 300)
  }

  @Test func aReadingCanKeepItsTarget() throws {
    let former = try #require(Tuning.standard.reading(of: 440))
    let kept = try #require(Tuning.standard.reading(of: 880, keeping: former))
    #expect(kept.note == .a4 && abs(kept.cents - 1_200) < 1e-9 && kept.beat == 440)
  }

  @Test func directionsAndWordsSayWhatColoursDo() throws {
    func reading(_ cents: Double) throws -> TuningReading {
      try #require(Tuning.standard.reading(of: 440 * pow(2, cents / 1_200)))
    }
    #expect(try reading(-12.34).words() == "A4, 12.3 cents flat")
    #expect(try reading(12.36).words(digits: 2) == "A4, 12.36 cents sharp")
    #expect(try reading(1.5).words() == "A4, in tune, 1.5 cents sharp")
    #expect(try reading(-0.01).words() == "A4, in tune")
    #expect(try reading(1.5).words(tolerance: 1, digits: 0) == "A4, 2 cents sharp")
    #expect(try reading(-2.1).direction() == .flat && reading(1.9).direction() == .inTune)
    #expect(try reading(2.1).direction() == .sharp && reading(2.1).direction(tolerance: 3) == .inTune)
    let flats = try Tuning(spelling: .flats)
    #expect(flats.reading(of: 466.16)?.words() == "Bb4, in tune")
  }

  @Test func theExamplesOfThePagesHold() throws {
    let well = try Tuning(reference: 442, temperament: Temperament(.werckmeisterIII))
    #expect(well.reading(of: 265)?.words() == "C4, 2.6 cents sharp")
    let tuning = try Tuning(reference: 442)
    let reading = try #require(tuning.reading(of: 443.3))
    #expect(reading.noteText == "A4" && abs(reading.cents - 5.084) < 0.001)
    #expect(abs(tuning.frequency(of: .c4) - 262.815) < 0.001)
    let dropC = try Instrument(name: "Drop C", notes: "C2 G2 C3 F3 A3 D4")
    #expect(dropC.nearestString(to: 97, tuning: .standard) == 1)
  }

  @Test func pipesGoWithTheSpeedOfSound() {
    // From 18 to 22 degrees: the root of 295.15 / 291.15.
    let warm = Tuning.reference(440, from: 18, to: 22)
    #expect(abs(warm - 440 * (295.15 / 291.15).squareRoot()) < 1e-9 && abs(Tuning.cents(warm / 440) - 11.81) < 0.01)
  }

  @Test func tuningsAreReadBackFromJSON() throws {
    let curve = try StretchCurve(points: [.init(note: .a4, inharmonicity: 0.0007)], octave: .sixToThree)
    let tunings = [
      Tuning.standard,
      try Tuning(
        reference: 415.3, temperament: Temperament(.vallotti), tonic: NoteName(.b, .flat), transposition: -3,
        spelling: .flats, stretch: curve, clockCorrection: 12.5),
      try Tuning(temperament: .equal(31)),
    ]
    let json = try JSONEncoder().encode(tunings)
    #expect(try JSONDecoder().decode([Tuning].self, from: json) == tunings)
    let short = #"{"reference_hz": 432, "temperament": "meantone", "tonic": "Eb"}"#
    let expected = try Tuning(reference: 432, temperament: Temperament(.meantone), tonic: NoteName(.e, .flat))
    #expect(try JSONDecoder().decode(Tuning.self, from: Data(short.utf8)) == expected)
    for (bad, message) in [
      (#"{"reference_hz": 600}"#, "reference: expected 300 to 500 Hz, got 600"),
      (
        #"{"temperament": "none"}"#,
        "temperament: expected one of equal, just, pythagorean, meantone, werckmeisterIII, kirnbergerIII, vallotti, "
          + "young, youngFirst, or a name with steps, got \"none\""
      ),
      (#"{"tonic": "X"}"#, "note name: expected a letter A to G and perhaps # or b, such as C or Eb, got \"X\""),
      (
        #"{"reference": 430}"#,
        "tuning: expected only reference_hz, temperament, tonic, transposition, spelling, stretch, clock_ppm, got "
          + "\"reference\""
      ),
    ] {
      let error = #expect(throws: AudioError.self) { try JSONDecoder().decode(Tuning.self, from: Data(bad.utf8)) }
      #expect(error?.message == message)
    }
  }

  @Test func jsonIsReadAndRefusalsNameThePlace() throws {
    let tuning = try Tuning(json: Data(#"{"reference_hz": 442, "tonic": "D", "temperament": "meantone"}"#.utf8))
    #expect(tuning.reference == 442 && tuning.temperament == Temperament(.meantone))
    let cases = [
      (#"{"reference_hz": 299}"#, "reference: expected 300 to 500 Hz, got 299"),
      (#"{"reference_hz": "a"}"#, "reference_hz: expected a number, got another type"),
      ("442 Hz", "tuning: expected JSON whose numbers are finite, got text that is not"),
    ]
    for (json, text) in cases {
      let error = #expect(throws: AudioError.self) { try Tuning(json: Data(json.utf8)) }
      #expect(error?.code == .validation && error?.message == text)
    }
  }
}

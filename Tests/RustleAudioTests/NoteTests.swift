import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NoteTests {
  @Test(
    arguments: [
      ("A4", 69), ("C4", 60), ("C-1", 0), ("C#-1", 1), ("G9", 127), ("Bb3", 58), ("bb3", 58), ("b3", 59), ("f#2", 42),
      ("F\u{266F}2", 42), ("B\u{266D}3", 58), ("Cb4", 59), ("B#3", 60), ("Ebb5", 74), ("Fx3", 55), ("F##3", 55),
      ("H3", 59), ("hb3", 58), ("A\u{2212}1", 9), ("e10", 136), ("D\u{1D12B}4", 60),
    ] as [(String, Int)])
  func textsAreRead(text: String, midi: Int) throws {
    #expect(try Note(parsing: text).midi == midi)
  }

  @Test(
    arguments: [
      "", "4", "A", "I4", "A4 ", " A4", "A#b4", "A###4", "A--1", "A4.5", "A999", "A11111111111111", "Ä4", "Ah4",
    ])
  func otherTextsAreRefused(text: String) {
    let error = #expect(throws: AudioError.self) { try Note(parsing: text) }
    #expect(error?.code == .validation)
    let got = text.isEmpty ? "nothing" : text.debugDescription
    #expect(
      error?.message
        == "note: expected a letter A to G, perhaps # or b, and an octave from -10 to 20, such as A4 or Bb3, got \(got)"
    )
  }

  @Test func octavesOutOfRangeAreRefused() {
    let error = #expect(throws: AudioError.self) { try Note(parsing: "C21") }
    #expect(error?.message == "octave: expected -10 to 20, got 21")
  }

  @Test func everyNoteIsReadAsItIsWritten() throws {
    for midi in Note.midiRange where (-10...20).contains(Note(midi: midi).octave) {
      let note = Note(midi: midi)
      for spelling in NoteName.Spelling.allCases {
        #expect(try Note(parsing: note.text(spelling: spelling)) == note)
        #expect(try NoteName(parsing: "\(note.name(spelling))").pitchClass == note.pitchClass)
      }
      #expect(12 * (note.octave + 1) + note.pitchClass == midi && (0...11).contains(note.pitchClass))
    }
  }

  @Test func blackKeysAreSpelledByChoice() {
    let notes = (60...71).map { Note(midi: $0) }
    #expect(
      notes.map { $0.text(spelling: .sharps) }.joined(separator: " ")
        == "C4 C#4 D4 D#4 E4 F4 F#4 G4 G#4 A4 A#4 B4")
    #expect(
      notes.map { $0.name(.flats).symbol }.joined(separator: " ")
        == "C D\u{266D} D E\u{266D} E F G\u{266D} G A\u{266D} A B\u{266D} B")
    #expect(
      NoteName(pitchClass: -1) == NoteName(.b) && NoteName(pitchClass: 22, spelling: .flats) == NoteName(.b, .flat))
  }

  @Test func namesTakeAllAccidentals() throws {
    for letter in NoteName.Letter.allCases {
      for accidental in NoteName.Accidental.allCases {
        let name = NoteName(letter, accidental)
        #expect(try NoteName(parsing: name.description) == name)
        #expect(try NoteName(parsing: name.symbol) == name)
        #expect((0...11).contains(name.pitchClass))
      }
    }
    #expect(throws: AudioError.self) { try NoteName(parsing: "C4") }
  }

  @Test func frequenciesOfEqualTemperament() throws {
    // 440 times whole octaves is exact, and the middle C is 440 / 2^(9/12).
    #expect(Note.a4.equalFrequency() == 440 && Note(midi: 21).equalFrequency() == 27.5)
    #expect(abs(Note.c4.equalFrequency() - 261.625_565_300_598_6) < 1e-10)
    #expect(abs(Note.c4.equalFrequency(reference: 415) - 415 / pow(2, 0.75)) < 1e-10)
    for midi in 0...127 {
      for cents in [-49.9, -12.5, 0, 33, 49.9] {
        let frequency = Note(midi: midi).equalFrequency(reference: 442) * pow(2, cents / 1_200)
        let nearest = try #require(Note.nearest(to: frequency, reference: 442))
        #expect(nearest.note.midi == midi && abs(nearest.cents - cents) < 1e-9)
      }
    }
    for bad in [0, -440, .nan, .infinity, 1e300, .leastNonzeroMagnitude] {
      #expect(Note.nearest(to: bad) == nil)
    }
  }

  @Test func notesStayWithinTheirNumbers() {
    #expect(Note(midi: .max).midi == 255 && Note(midi: .min).midi == -120)
    #expect(Note.a4.transposed(by: -12).text() == "A3")
    #expect(Note.a4.transposed(by: .max).midi == 255 && Note(midi: -5).transposed(by: .min).midi == -120)
    #expect(Note.c4 < .a4)
  }

  @Test func notesAreTextsInJSON() throws {
    let notes = [Note.a4, Note(midi: -13), Note(midi: 54)]
    let json = try JSONEncoder().encode(notes)
    #expect(String(decoding: json, as: UTF8.self) == #"["A4","B-3","F#3"]"#)
    #expect(try JSONDecoder().decode([Note].self, from: json) == notes)
    #expect(throws: AudioError.self) { try JSONDecoder().decode([NoteName].self, from: Data(#"["X"]"#.utf8)) }
  }
}

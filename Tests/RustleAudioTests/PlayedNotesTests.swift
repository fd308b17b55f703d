import Foundation
import TestSupport
import Testing

@testable import RustleAudio

/// The notes that a tuner's updates are divided into, from fixed numbers.
@Suite(.releasesNativeObjects) struct PlayedNotesTests {
  static func notes(_ updates: [TunerUpdate]) -> [PlayedNote] {
    var notes = PlayedNotes()
    for update in updates { _ = notes.add(update) }
    _ = notes.finish()
    return notes.notes
  }

  @Test func aNoteIsTheMedianOfItsFrames() throws {
    var updates = TunerUpdate.tone(442, from: 0, count: 20)
    // A stray frame an octave off, for which the needle does not move.
    updates[7] = TunerUpdate(
      time: 0.07, frame: updates[7].frame, reading: Tuning.standard.reading(of: 884), needle: updates[7].needle,
      tuning: .standard, isLearning: false, droppedFrames: 0, overruns: 0)
    let notes = Self.notes(updates)
    let note = try #require(notes.first)
    #expect(notes.count == 1 && note.name == "A4" && note.stringNumber == nil && note.frames == 20)
    #expect(note.begin == 0 && abs(note.end - 0.19) < 1e-12)
    #expect(abs(note.cents - 7.851) < 0.001 && note.spread < 1e-9 && abs(note.frequency - 442) < 1e-9)
    #expect(note.direction(tolerance: 2) == .sharp && note.direction(tolerance: 8) == .inTune)
  }

  @Test func anotherTargetOrALongPauseBeginsAnotherNote() {
    let two = Self.notes(TunerUpdate.tone(440, from: 0, count: 10) + TunerUpdate.tone(494, from: 10, count: 10))
    #expect(two.map(\.name) == ["A4", "B4"])
    let held = Tuning.standard.reading(of: 440)
    let pause = { (range: Range<Int>) in range.map { TunerUpdate.example(0.01 * Double($0), nil, held: held) } }
    let short = TunerUpdate.tone(440, from: 0, count: 10) + pause(10..<30) + TunerUpdate.tone(440, from: 30, count: 10)
    #expect(Self.notes(short).map(\.frames) == [20])
    let long = TunerUpdate.tone(440, from: 0, count: 10) + pause(10..<40) + TunerUpdate.tone(440, from: 40, count: 10)
    #expect(Self.notes(long).map(\.frames) == [10, 10])
    #expect(Self.notes(TunerUpdate.tone(440, from: 0, count: 4)).isEmpty, "too few frames are no note")
    let missed =
      TunerUpdate.tone(440, from: 0, count: 10) + [.example(0.1, nil)] + TunerUpdate.tone(440, from: 11, count: 10)
    #expect(Self.notes(missed).map(\.frames) == [20], "a frame that is missed ends nothing, also where nothing is held")
    let strings = TunerUpdate.tone(110, from: 0, count: 6, instrument: Instrument(.guitar))
    #expect(Self.notes(strings).first?.stringNumber == 2)
  }

  /// As when the reference is learned from it.
  @Test func aChangedTuningBeginsAnotherNote() throws {
    let higher = try Tuning(reference: 445)
    let notes = Self.notes(
      TunerUpdate.tone(445, from: 0, count: 10) + TunerUpdate.tone(445, from: 10, count: 10, tuning: higher))
    #expect(notes.map(\.frames) == [10, 10])
    #expect(notes.map { ($0.cents * 10).rounded() / 10 } == [19.6, 0])
  }

  @Test func aPluckThatSettlesOnItsNeighbourIsOneNote() throws {
    var smoother = try NeedleSmoother(tuning: .standard)
    let updates = (0..<100).map { frame -> TunerUpdate in
      let time = 0.01 * Double(frame)
      let frequency = NeedleSmootherTests.a4(49 + 8 * exp(-time / 0.04))
      let example = TunerUpdate.example(time, frequency)
      return TunerUpdate(
        time: time, frame: example.frame, reading: example.reading,
        needle: smoother.update(frequency: frequency, confidence: 1, time: time), tuning: .standard, isLearning: false,
        droppedFrames: 0, overruns: 0)
    }
    #expect(updates.first?.needle?.reading.noteText == "A#4")
    let notes = Self.notes(updates)
    let note = try #require(notes.first)
    #expect(notes.count == 1 && note.name == "A4" && note.begin == 0 && note.frames == 100)
    #expect(abs(note.cents - 49) < 0.1)
  }

  @Test func aNoteThatEndsIsReported() {
    var notes = PlayedNotes()
    let ended = (TunerUpdate.tone(440, from: 0, count: 10) + [.example(0.1, nil), .example(0.4, nil)])
      .compactMap { notes.add($0) }
    #expect(ended.count == 1 && ended == notes.notes)
    let more = notes.finish()
    #expect(more == nil)
  }

  /// However long a note is, what is kept of it is bounded, and its median is that of all.
  @Test func aLongNoteKeepsItsMedian() throws {
    var notes = PlayedNotes()
    let count = 4 * PlayedNotes.maximumValueCount
    for index in 0..<count {
      let cents = 20 * Double(index) / Double(count)
      _ = notes.add(.example(0.01 * Double(index), 440 * Tuning.ratio(cents: cents)))
    }
    let ended = notes.finish()
    let note = try #require(ended)
    #expect(note.frames == count && abs(note.cents - 10) < 0.01 && abs(note.spread - 5) < 0.01)
  }

  @Test func theMedianWeighsNotesByTheirFrames() throws {
    #expect(PlayedNotes().medianCents == nil)
    var notes = PlayedNotes()
    let updates =
      TunerUpdate.tone(82.6, from: 0, count: 100) + TunerUpdate.tone(442, from: 100, count: 50)
      + TunerUpdate.tone(440.1, from: 200, count: 200) + TunerUpdate.tone(3_000, from: 430, count: 40)
    for update in updates { _ = notes.add(update) }
    _ = notes.finish()
    #expect(notes.notes.count == 4)
    #expect(abs(try #require(notes.medianCents) - Tuning.cents(440.1 / 440)) < 1e-9)
  }
}

import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NeedleSmootherTests {
  /// A frame of a tone that is `cents` above A4.
  static func a4(_ cents: Double) -> Double { 440 * pow(2, cents / 1_200) }

  /// A smoother behind a reference: the macros of the tests take no call that changes a value.
  final class Shown {
    private var smoother: NeedleSmoother

    init(_ instrument: Instrument = .chromatic, options: NeedleOptions = NeedleOptions()) throws {
      smoother = try NeedleSmoother(tuning: .standard, instrument: instrument, options: options)
    }

    func update(frequency: Double?, confidence: Double, time: Double) -> NeedleSmoother.Needle? {
      smoother.update(frequency: frequency, confidence: confidence, time: time)
    }
  }

  static func smoother(_ change: (inout NeedleOptions) -> Void = { _ in }) throws -> Shown {
    var options = NeedleOptions()
    change(&options)
    return try Shown(options: options)
  }

  @Test func theFirstFrameIsShownAtOnce() throws {
    let smoother = try Self.smoother()
    let needle = try #require(smoother.update(frequency: Self.a4(7), confidence: 1, time: 5))
    #expect(needle.reading == Tuning.standard.reading(of: Self.a4(7)) && !needle.isHeld && needle.age == 0)
  }

  /// A step of the input is followed by 1 - exp(-t / T), whatever the distance of the frames.
  @Test(arguments: [0.005, 0.0116, 0.1]) func theNeedleFollowsAsALowPassDoes(hop: Double) throws {
    let smoother = try Self.smoother { $0.medianFrames = 1 }
    _ = smoother.update(frequency: Self.a4(0), confidence: 1, time: 0)
    for frame in 1...60 {
      let time = hop * Double(frame)
      let needle = try #require(smoother.update(frequency: Self.a4(20), confidence: 1, time: time))
      #expect(abs(needle.reading.cents - 20 * (1 - exp(-time / 0.1))) < 1e-9)
      #expect(abs(needle.reading.frequency - Self.a4(needle.reading.cents)) < 1e-9)
    }
  }

  @Test func theMedianTakesOutStrayFrames() throws {
    let smoother = try Self.smoother { $0.timeConstant = 0 }
    for frame in 0..<100 {
      let cents = frame % 4 == 3 ? 45.0 : 5
      let needle = try #require(smoother.update(frequency: Self.a4(cents), confidence: 1, time: 0.01 * Double(frame)))
      #expect(abs(needle.reading.cents - 5) < 1e-9)
    }
  }

  @Test func fewerFramesThanTheMedianHasAreAveragedInTheMiddle() throws {
    let smoother = try Self.smoother { $0.timeConstant = 0 }
    let shown = [0.0, 10, 4, 8].enumerated().compactMap {
      smoother.update(frequency: Self.a4($1), confidence: 1, time: 0.01 * Double($0))?.reading.cents
    }
    for (got, expected) in zip(shown, [0.0, 5, 4, 6]) { #expect(abs(got - expected) < 1e-9) }
    #expect(shown.count == 4)
  }

  @Test func octaveErrorsOfFewFramesLeaveNoTrace() throws {
    let smoother = try Self.smoother()
    for frame in 0..<50 {
      let isStray = [10, 11, 20, 31, 32].contains(frame)
      let needle = try #require(
        smoother.update(frequency: isStray ? 880 : 440, confidence: 1, time: 0.01 * Double(frame)))
      #expect(needle.reading.noteText == "A4" && abs(needle.reading.cents) < 1e-9)
    }
  }

  @Test func aNewNoteComesAfterItsFrames() throws {
    let smoother = try Self.smoother()
    for frame in 0..<10 { _ = smoother.update(frequency: 440, confidence: 1, time: 0.01 * Double(frame)) }
    let names = (10..<14).compactMap {
      smoother.update(frequency: 494, confidence: 1, time: 0.01 * Double($0))?.reading.noteText
    }
    #expect(names == ["A4", "A4", "B4", "B4"])
    let needle = try #require(smoother.update(frequency: 494, confidence: 1, time: 0.14))
    // It begins with its own needle, not on the way from the old note.
    #expect(abs(needle.reading.cents - Tuning.cents(494 / Note(midi: 71).equalFrequency())) < 1e-9)
    #expect(abs(needle.age - 0.02) < 1e-9)
  }

  @Test func aToneBetweenTwoNotesDoesNotFlicker() throws {
    let smoother = try Self.smoother { $0.timeConstant = 0 }
    var generator = SeededGenerator(seed: 14)
    let first = try #require(smoother.update(frequency: Self.a4(49), confidence: 1, time: -1)).reading.note
    for frame in 0..<1_000 {
      // 57.5 cents are 15 nearer to the next note.
      let cents = Double.random(in: 44...57.4, using: &generator)
      let needle = try #require(smoother.update(frequency: Self.a4(cents), confidence: 1, time: 0.01 * Double(frame)))
      #expect(needle.reading.note == first && needle.age > 0)
    }
    let other = try Self.smoother { $0.noteFrames = 1 }
    _ = other.update(frequency: Self.a4(0), confidence: 1, time: 0)
    #expect(other.update(frequency: Self.a4(57.4), confidence: 1, time: 1)?.reading.noteText == "A4")
    #expect(other.update(frequency: Self.a4(57.6), confidence: 1, time: 1.1)?.reading.noteText == "A#4")
  }

  /// A pluck begins sharp. Where it begins beyond the middle between two notes, the note is that on which it settles.
  @Test(arguments: [-49.0, -30, 0, 30, 49]) func aPluckIsTheNoteOnWhichItSettles(cents: Double) throws {
    for sharpness in [5.0, 12, 25, 60] {
      let smoother = try Self.smoother()
      var needle: NeedleSmoother.Needle?
      for frame in 0..<100 {
        let time = 0.011 * Double(frame)
        let now = cents + sharpness * exp(-time / 0.05)
        needle = smoother.update(frequency: Self.a4(now), confidence: 1, time: time)
      }
      let last = try #require(needle)
      #expect(last.reading.noteText == "A4" && abs(last.reading.cents - cents) < 0.1, "\(sharpness) cents sharp")
    }
  }

  @Test func vibratoAroundTheMiddleBetweenTwoNotesDoesNotFlicker() throws {
    let smoother = try Self.smoother()
    let names = (0..<300).compactMap { frame -> String? in
      let time = 0.011 * Double(frame)
      let cents = 50 + 7 * sin(2 * .pi * 4 * time)
      return smoother.update(frequency: Self.a4(cents), confidence: 1, time: time)?.reading.noteText
    }
    #expect(names.count == 300 && Set(names).count == 1)
  }

  @Test func theLastReadingIsHeldForATime() throws {
    let smoother = try Self.smoother()
    _ = smoother.update(frequency: Self.a4(3), confidence: 1, time: 0)
    let held = try #require(smoother.update(frequency: nil, confidence: 0, time: 0.5))
    #expect(held.isHeld && abs(held.reading.cents - 3) < 1e-9 && held.age == 0.5)
    // An uncertain or missing frequency is not a tone.
    #expect(smoother.update(frequency: 880, confidence: 0.49, time: 0.9)?.reading.noteText == "A4")
    #expect(smoother.update(frequency: .nan, confidence: 1, time: 1)?.isHeld == true)
    #expect(smoother.update(frequency: nil, confidence: 0, time: 1.01) == nil)
    // The next tone is shown at once.
    #expect(smoother.update(frequency: 494, confidence: 1, time: 1.02)?.reading.noteText == "B4")
    // Also when no frame came in between.
    #expect(smoother.update(frequency: 440, confidence: 1, time: 3)?.reading.noteText == "A4")
  }

  @Test func nothingIsHeldWithoutAHoldTimeButSteadiedAllTheSame() throws {
    let smoother = try Self.smoother {
      $0.holdTime = 0
      $0.medianFrames = 1
    }
    _ = smoother.update(frequency: Self.a4(0), confidence: 1, time: 0)
    let needle = try #require(smoother.update(frequency: Self.a4(20), confidence: 1, time: 0.1))
    #expect(abs(needle.reading.cents - 20 * (1 - exp(-1))) < 1e-9)
    #expect(smoother.update(frequency: nil, confidence: 0, time: 0.11) == nil)
  }

  @Test func timeThatGoesBackBeginsAnew() throws {
    let smoother = try Self.smoother()
    _ = smoother.update(frequency: 440, confidence: 1, time: 10)
    #expect(smoother.update(frequency: nil, confidence: 0, time: 9.9) == nil)
    #expect(smoother.update(frequency: 494, confidence: 1, time: 10)?.reading.noteText == "B4")
    for time in [Double.nan, .infinity] {
      #expect(smoother.update(frequency: 440, confidence: 1, time: time) == nil)
      #expect(smoother.update(frequency: 494, confidence: 1, time: 11)?.reading.cents.isFinite == true)
    }
  }

  @Test func stringsChangeAsNotesDo() throws {
    let smoother = try Shown(Instrument(.guitar))
    var shown: [Int?] = []
    // From A2 to D3 in steps of 50 cents; half way is 250.
    for frame in 0...10 {
      let frequency = 110 * pow(2, 50 * Double(frame) / 1_200)
      shown.append(
        smoother.update(frequency: frequency, confidence: 1, time: 0.01 * Double(frame))?.reading.stringIndex)
    }
    #expect(shown == [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2])
  }

  @Test func withoutOptionsEveryFrameIsShownAsItIs() throws {
    let smoother = try Shown(options: .raw)
    var generator = SeededGenerator(seed: 15)
    for frame in 0..<200 {
      let frequency = Double.random(in: 20...5_000, using: &generator)
      let needle = try #require(smoother.update(frequency: frequency, confidence: 0, time: Double(frame)))
      let plain = try #require(Tuning.standard.reading(of: frequency))
      #expect(needle.reading.note == plain.note && abs(needle.reading.cents - plain.cents) < 1e-9)
    }
    #expect(smoother.update(frequency: nil, confidence: 1, time: 200) == nil)
  }

  @Test func optionsAreChecked() {
    func message(_ change: (inout NeedleOptions) -> Void) -> String? {
      #expect(throws: AudioError.self) { try Self.smoother(change) }?.message
    }
    #expect(message { $0.minimumConfidence = 1.1 } == "minimum confidence: expected 0 to 1, got 1.1")
    #expect(message { $0.noteMargin = -1 } == "note margin: expected 0 to 100 cents, got -1")
    #expect(message { $0.noteFrames = 0 } == "note frames: expected 1 to 100, got 0")
    #expect(message { $0.medianFrames = 102 } == "median frames: expected 1 to 101, got 102")
    #expect(message { $0.timeConstant = .nan } == "time constant: expected 0 to 10 s, got nan")
    #expect(message { $0.holdTime = 61 } == "hold time: expected 0 to 60 s, got 61")
  }
}

import TestSupport
import Testing

@testable import RustleAudio

/// Whether several notes sound at once, of the whole and of the last second.
@Suite(.releasesNativeObjects) struct PolyphonyMeterTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  private static let rate = 48_000

  private static func note(_ hertz: Double = 440, seconds: Double) -> [Float] {
    TunerTests.tone(hertz, frames: 0..<Int(seconds * Double(rate)))
  }

  /// The triad of C major, of sines.
  private static func chord(seconds: Double) -> [Float] {
    let notes = [261.63, 329.63, 392.0].map {
      Sounds.tones([($0, 0.2)], frames: 0..<Int(seconds * Double(rate)))
    }
    return notes[0].indices.map { notes[0][$0] + notes[1][$0] + notes[2][$0] }
  }

  private static func add(_ samples: [Float], to meter: inout PolyphonyMeter) throws {
    for first in stride(from: 0, to: samples.count, by: 1_000) {
      try meter.process(samples[first..<min(first + 1_000, samples.count)].span)
    }
  }

  /// A chord is reported; a note, with noise as well, and a tune of one note after the other are not.
  @Test func aChordIsSeveralNotesAndOneNoteIsNot() throws {
    var generator = SeededGenerator(seed: 1)
    let note = Self.note(seconds: 0.5)
    let noisy = note.map { $0 + Float.random(in: -0.1...0.1, using: &generator) }
    let tune = [220.0, 277.18, 329.63, 440].flatMap { Self.note($0, seconds: 0.5) }
    for (samples, isPresent) in [
      (Self.chord(seconds: 0.5), true), (note, false), (noisy, false), (tune, false), ([], false),
      ([Float](repeating: 0, count: Self.rate), false), (Self.chord(seconds: 0.25), true),
    ] {
      var meter = try PolyphonyMeter(sampleRate: 48_000)
      try Self.add(samples, to: &meter)
      // Before the end a frame or two are not enough.
      let isPresentBefore = meter.isPresent
      if samples.count == Self.rate / 4 { #expect(!isPresentBefore) }
      try meter.finish()
      #expect(meter.isPresent == isPresent, "\(samples.count), \(meter.polyphonicFrames) of \(meter.tonalFrames)")
      let hasBeenPresent = meter.hasBeenPresent
      #expect(!hasBeenPresent || isPresent)
    }
  }

  /// What sounded before used to hide a chord for as long as that.
  @Test func theLastSecondCounts() throws {
    var meter = try PolyphonyMeter(sampleRate: 48_000)
    try Self.add(Self.note(seconds: 3), to: &meter)
    #expect(!meter.isPresentNow && !meter.hasBeenPresent)
    try Self.add(Self.chord(seconds: 1), to: &meter)
    #expect(meter.isPresentNow && meter.hasBeenPresent && !meter.isPresent)
    try Self.add(Self.note(seconds: 1.5), to: &meter)
    #expect(!meter.isPresentNow && meter.hasBeenPresent && !meter.isPresent)
    try meter.finish()
    #expect(meter.tonalFrames > 40)
    // The next sound has numbers of its own.
    try Self.add(Self.chord(seconds: 1), to: &meter)
    #expect(meter.isPresent && meter.tonalFrames < 12)
  }

  private func updates(
    _ tuner: Tuner, _ samples: [Float], at position: Int64 = 0, lost: Int64 = 0, inBuffersOf size: Int
  )
    async throws -> [TunerUpdate]
  {
    var updates: [TunerUpdate] = []
    for first in stride(from: 0, to: samples.count, by: size) {
      updates += try await tuner.process(
        PCMBuffer(
          format: format, wholeFrames: Array(samples[first..<min(first + size, samples.count)]),
          position: position + Int64(first), droppedFrames: first == 0 ? lost : 0))
    }
    return updates
  }

  @Test func aTunerReportsAChordBehindANote() async throws {
    let samples = Self.note(seconds: 2) + Self.chord(seconds: 1.5)
    let tuner = try Tuner(format: format)
    let all = try await updates(tuner, samples, inBuffersOf: 4_800)
    let first = try #require(all.first { $0.isPolyphonic })
    #expect((2.2...2.8).contains(first.time))
    #expect(all.filter { $0.time > first.time }.allSatisfy { $0.isPolyphonic })
    #expect(try await all == updates(Tuner(format: format), samples, inBuffersOf: samples.count))
    let notes = PlayedNotesTests.notes(all)
    #expect(notes.map(\.name) == ["A4", "C2"] && notes.map(\.isPolyphonic) == [false, true])
    #expect(await !tuner.isPolyphonic)
  }

  @Test func anotherSoundAndAGapBeginAgain() async throws {
    let tuner = try Tuner(format: format)
    let chord = Self.chord(seconds: 1)
    #expect(try await updates(tuner, chord, inBuffersOf: 4_800).last?.isPolyphonic == true)
    // Behind a gap the sound goes on.
    let lost = try await updates(tuner, Self.note(seconds: 0.2), at: 60_000, lost: 12_000, inBuffersOf: 4_800)
    #expect(lost.first?.isPolyphonic == false)
    #expect(await tuner.isPolyphonic)
    _ = try await tuner.finish()
    #expect(await tuner.isPolyphonic)
    let next = try await updates(tuner, Self.note(seconds: 1), inBuffersOf: 4_800)
    #expect(!next.isEmpty && next.allSatisfy { !$0.isPolyphonic })
    #expect(await !tuner.isPolyphonic)
    #expect(PlayedNotesTests.notes(next).map(\.isPolyphonic) == [false])
  }
}

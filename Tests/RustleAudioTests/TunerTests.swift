import Foundation
import RustleAudio
import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TunerTests {
  private let format: AudioFormat

  init() throws { format = try AudioFormat(sampleRate: 48_000, channels: 1) }

  /// A tone of the partials 1 to 4.
  static func tone(_ frequency: Double, frames: Range<Int>) -> [Float] {
    let partials = (1...4).map { k in
      Sounds.tones([(Double(k) * frequency, 0.2 / Double(k))], frames: frames)
    }
    return frames.indices.map { index in partials.reduce(0) { $0 + $1[index - frames.lowerBound] } }
  }

  private func buffer(_ samples: [Float], at position: Int64 = 0, lost: Int64 = 0) -> PCMBuffer {
    PCMBuffer(format: format, wholeFrames: samples, position: position, droppedFrames: lost)
  }

  @Test(arguments: [82.0, 110, 261.9, 440, 1_320]) func aToneIsNamedAndItsCentsAreReported(frequency: Double)
    async throws
  {
    let tuner = try Tuner(format: format)
    let updates = try await tuner.process(buffer(Self.tone(frequency, frames: 0..<24_000)))
    let last = try #require(updates.last)
    let truth = try #require(Tuning.standard.reading(of: frequency))
    let needle = try #require(last.needle)
    #expect(needle.reading.note == truth.note && !needle.isHeld)
    #expect(abs(needle.reading.cents - truth.cents) < 0.5)
    #expect(try #require(last.reading).note == truth.note)
    #expect(last.frame.confidence > 0.5 && last.stringIndex == nil && !last.isLearning && last.droppedFrames == 0)
    #expect(last.words() == needle.reading.words())
    let window = await tuner.frameLength
    #expect(updates.count == 1 + (24_000 - window) / 512)
    for (index, update) in updates.enumerated() {
      #expect(update.time == Double(512 * index + window / 2) / 48_000 && update.frame.time == update.time)
    }
  }

  /// However the sound is cut, the same is shown.
  @Test func piecesAndTheWholeGiveTheSame() async throws {
    let samples = Self.tone(196, frames: 0..<20_000)
    let whole = try await Tuner(format: format).process(buffer(samples))
    let tuner = try Tuner(format: format)
    var pieces: [TunerUpdate] = []
    for piece in Sounds.buffers(samples, format: format, frames: 777) { pieces += try await tuner.process(piece) }
    #expect(pieces == whole && !whole.isEmpty)
  }

  /// 150 ms are less than an analysis frame of the lowest note; they are measured in shorter ones at their end.
  @Test(arguments: [0.1, 0.15], [220.0, 440]) func aShortSoundIsMeasuredAtItsEnd(seconds: Double, frequency: Double)
    async throws
  {
    let tuner = try Tuner(format: format)
    let samples = Self.tone(frequency, frames: 0..<Int(seconds * 48_000))
    var updates: [TunerUpdate] = []
    for piece in Sounds.buffers(samples, format: format, frames: 1_000) { updates += try await tuner.process(piece) }
    #expect(updates.isEmpty)
    updates = try await tuner.finish()
    var notes = PlayedNotes()
    for update in updates { _ = notes.add(update) }
    let last = notes.finish()
    let note = try #require(last)
    let truth = try #require(Tuning.standard.reading(of: frequency))
    #expect(note.name == truth.noteText && abs(note.cents - truth.cents) < 0.5)
    #expect(note.begin > 0 && note.end < seconds)
    // The next sound is another.
    let again = try await tuner.finish()
    #expect(again.isEmpty)
    let long = try await tuner.process(buffer(Self.tone(frequency, frames: 0..<24_000)))
    let end = try await tuner.finish()
    #expect(!long.isEmpty && end.isEmpty)
  }

  @Test func silenceHasNoTone() async throws {
    let tuner = try Tuner(format: format)
    let updates = try await tuner.process(buffer([Float](repeating: 0, count: 24_000)))
    #expect(!updates.isEmpty)
    #expect(updates.allSatisfy { $0.needle == nil && $0.reading == nil && $0.words() == "no tone" })
    #expect(updates.allSatisfy { $0.frame.level == -.infinity && $0.frame.confidence == 0 })
  }

  @Test func anEndedToneIsHeldAndThenGone() async throws {
    let tuner = try Tuner(format: format)
    let samples = Self.tone(440, frames: 0..<24_000) + [Float](repeating: 0, count: 96_000)
    let updates = try await tuner.process(buffer(samples))
    let held = try #require(updates.first { $0.time > 1 })
    #expect(held.words().hasSuffix(" (held)") && held.reading == nil)
    #expect(try #require(held.needle).isHeld)
    #expect(try #require(updates.last).needle == nil)
  }

  @Test func anotherFormatIsRefusedAndDoesNotCount() async throws {
    let samples = Self.tone(440, frames: 0..<24_000)
    let tuner = try Tuner(format: format)
    let other = PCMBuffer(
      format: try AudioFormat(sampleRate: 44_100, channels: 1), wholeFrames: samples, position: 0)
    let error = await #expect(throws: AudioError.self) { try await tuner.process(other) }
    #expect(error?.code == .formatMismatch)
    let fresh = try await Tuner(format: format).process(buffer(samples))
    #expect(try await tuner.process(buffer(samples)) == fresh)
  }

  @Test func lostSoundIsReportedAndBeginsAnew() async throws {
    let tuner = try Tuner(format: format)
    let first = try await tuner.process(buffer(Self.tone(440, frames: 0..<20_000)))
    #expect(first.allSatisfy { $0.droppedFrames == 0 })
    let second = try await tuner.process(buffer(Self.tone(440, frames: 0..<20_000), at: 24_800, lost: 4_800))
    let window = await tuner.frameLength
    let begin = try #require(second.first)
    #expect(begin.droppedFrames == 4_800)
    #expect(begin.frame.sample == Int64(24_800 + window / 2), "no window reaches over the hole")
    #expect(second.map(\.frame.frequency) == first.prefix(second.count).map(\.frame.frequency))
    let third = try await tuner.process(buffer(Self.tone(440, frames: 0..<20_000), at: 0))
    #expect(try #require(third.first).time == first[0].time, "another recording begins anew")
    #expect(try #require(third.first).droppedFrames == 4_800)
  }

  @Test func channelsAreMixedOrChosen() async throws {
    let stereo = try AudioFormat(sampleRate: 48_000, channels: 2)
    let samples = Sounds.tones([(440, 0.4), (660, 0)], frames: 0..<24_000)
    let sound = PCMBuffer(format: stereo, wholeFrames: samples, position: 0)
    func last(_ channel: ChannelSelection) async throws -> TunerUpdate {
      let tuner = try Tuner(format: stereo, configuration: TunerConfiguration(channel: channel))
      return try #require(try await tuner.process(sound).last)
    }
    #expect(try await last(.channel(0)).needle?.reading.noteText == "A4")
    #expect(try await last(.channel(1)).needle == nil)
    let mix = try await last(.all)
    #expect(mix.needle?.reading.noteText == "A4")
    #expect(abs(try await last(.channel(0)).frame.level - mix.frame.level - 6.02) < 0.01)
    for channel in [-1, 2] {
      let error = #expect(throws: AudioError.self) {
        try Tuner(format: stereo, configuration: TunerConfiguration(channel: .channel(channel)))
      }
      #expect(error?.code == .validation)
    }
  }

  // MARK: settings

  @Test func whatIsSetHoldsFromTheNextBufferOn() async throws {
    let tuner = try Tuner(format: format)
    let samples = Self.tone(442, frames: 0..<96_000)
    let buffers = Sounds.buffers(samples, format: format, frames: 24_000)
    func cents(_ index: Int) async throws -> Double {
      try #require(try await tuner.process(buffers[index]).last?.needle).reading.cents
    }
    #expect(abs(try await cents(0) - 7.85) < 0.05)
    try await tuner.set(reference: 442)
    #expect(abs(try await cents(1)) < 0.05)
    try await tuner.set(clockCorrection: 500)
    #expect(abs(try await cents(2) - 0.866) < 0.05)
    try await tuner.set(needle: .raw)
    await tuner.set(tuning: .standard)
    #expect(abs(try await cents(3) - 7.85) < 0.05)
    #expect(await tuner.configuration == TunerConfiguration(needle: .raw))
  }

  @Test func whatIsOutOfRangeIsRefusedAndChangesNothing() async throws {
    let tuner = try Tuner(format: format)
    await #expect(throws: AudioError.self) { try await tuner.set(reference: 299) }
    await #expect(throws: AudioError.self) { try await tuner.set(clockCorrection: 501) }
    await #expect(throws: AudioError.self) { try await tuner.set(needle: NeedleOptions(medianFrames: 0)) }
    await #expect(throws: AudioError.self) { try await tuner.learnReference(goal: .init(readings: 2)) }
    #expect(await tuner.configuration == TunerConfiguration())
    #expect(await !tuner.isLearning)
  }

  /// A change applies to the current tuning, not to an earlier copy of it.
  @Test func aChangeKeepsWhatWasSetInBetween() async throws {
    let tuner = try Tuner(format: AudioFormat(sampleRate: 48_000, channels: 1))
    try await tuner.set(reference: 442)
    let changed = try await tuner.update { $0 = $0.with(temperament: Temperament(.young)) }
    #expect(changed.reference == 442 && changed.temperament == Temperament(.young))
    let before = await tuner.configuration.tuning
    #expect(before == changed)
    await #expect(throws: AudioError.self) {
      try await tuner.update { tuning throws(AudioError) in tuning = try tuning.with(reference: 700) }
    }
    let after = await tuner.configuration.tuning
    #expect(after == before)
  }

  @Test func theRangeFollowsTheInstrument() async throws {
    #expect(Instrument.chromatic.pitchRange == 25...4_500)
    let guitar = Instrument(.guitar).pitchRange
    #expect(abs(guitar.lowerBound - 54.94) < 0.01 && abs(guitar.upperBound - 1_318.5) < 0.1)
    let tuner = try Tuner(format: format)
    let samples = Self.tone(112, frames: 0..<48_000)
    let buffers = Sounds.buffers(samples, format: format, frames: 24_000)
    let before = try await tuner.process(buffers[0])
    let window = await tuner.frameLength
    try await tuner.set(instrument: Instrument(.guitar))
    #expect(await tuner.frameLength < window)
    let range = await tuner.range
    #expect(range.lowerBound >= guitar.lowerBound && range.upperBound == guitar.upperBound)
    let after = try await tuner.process(buffers[1])
    #expect(try #require(before.last).stringIndex == nil)
    let last = try #require(after.last)
    #expect(last.stringIndex == 1 && last.needle?.reading.noteText == "A2")
    let first = try #require(after.first)
    #expect(first.frame.sample == Int64(24_000 + (await tuner.frameLength) / 2), "times go on")
  }

  @Test func stringsAtTheEndsOfWhatIsHeardHaveARange() throws {
    for midi in [-120, 0, 127, 255] {
      let instrument = try Instrument(name: "One", strings: [InstrumentString(Note(midi: midi))])
      let range = instrument.pitchRange
      #expect(range.lowerBound >= 10 && range.upperBound <= 20_000 && range.lowerBound < range.upperBound)
    }
  }

  @Test func aHighRateRaisesTheLowerEnd() async throws {
    let format = try AudioFormat(sampleRate: 384_000, channels: 1)
    let tuner = try Tuner(format: format)
    #expect(await tuner.frameLength == 32_768)
    #expect(await tuner.range.lowerBound == 2.25 * 384_000 / 32_768)
    let low = try AudioFormat(sampleRate: 192_000, channels: 1)
    #expect(await (try Tuner(format: low)).range.lowerBound == 25)
  }

  @Test func stringsBeyondTheRateAreRefusedAndChangeNothing() async throws {
    let format = try AudioFormat(sampleRate: 8_000, channels: 1)
    let tuner = try Tuner(format: format)
    let high = try Instrument(name: "High", notes: "C10")
    let error = await #expect(throws: AudioError.self) { try await tuner.set(instrument: high) }
    #expect(error?.code == .validation)
    #expect(await tuner.configuration == TunerConfiguration())
    let samples = Sounds.tones([(440, 0.3)], frames: 0..<8_000, sampleRate: 8_000)
    let last = try await tuner.process(PCMBuffer(format: format, wholeFrames: samples, position: 0)).last
    #expect(last?.needle?.reading.noteText == "A4")
  }

  // MARK: what is learned

  @Test func theReferenceIsLearnedFromANote() async throws {
    let tuner = try Tuner(format: format)
    // E4 of a piano at 443 Hz.
    let frequency = 443 * pow(2, -5.0 / 12)
    let buffers = Sounds.buffers(Self.tone(frequency, frames: 0..<192_000), format: format, frames: 24_000)
    try await tuner.learnReference()
    #expect(await tuner.isLearning)
    #expect(await tuner.learning == nil)
    let first = try #require(try await tuner.process(buffers[0]).last)
    #expect(first.isLearning && first.tuning.reference == 440)
    #expect(try #require(await tuner.learning).used > 2)
    var last = first
    for buffer in buffers.dropFirst() { last = try #require(try await tuner.process(buffer).last) }
    #expect(!last.isLearning)
    let learned = try #require(await tuner.learned)
    #expect(abs(learned.reference - 443) < 0.05 && learned.isEnough)
    #expect(await tuner.configuration.tuning.reference == learned.reference)
    #expect(last.tuning.reference == learned.reference)
    #expect(abs(try #require(last.needle).reading.cents) < 0.2)
  }

  @Test func learningEndsWithoutAResult() async throws {
    let tuner = try Tuner(format: format)
    try await tuner.learnReference(note: .a4)
    try await tuner.process(buffer(Self.tone(441, frames: 0..<12_000)))
    await tuner.stopLearning()
    #expect(await !tuner.isLearning)
    #expect(await tuner.learned == nil)
    #expect(await tuner.learning == nil)
    #expect(await tuner.configuration.tuning == .standard)
  }

  @Test func withoutNotesThereIsNoStretch() async throws {
    let tuner = try Tuner(format: format)
    #expect(try await tuner.stretchAsMeasured() == nil)
    #expect(await tuner.inharmonicities.isEmpty)
    #expect(await tuner.configuration.tuning.stretch == nil)
  }

  /// Notes of a stiff string, whose partials are at k f0 sqrt(1 + B k²).
  @Test func theStretchIsMadeFromWhatWasMeasured() async throws {
    let stiffness = 6e-4
    let tuner = try Tuner(format: format)
    var position: Int64 = 0
    for fundamental in [220.0, 440] {
      let partials = (1...8).map { k in
        (StretchCurve.partial(k, fundamental: fundamental, inharmonicity: stiffness), 0.3 / Double(k))
      }
      let parts = partials.map { Sounds.tones([($0.0, $0.1)], frames: 0..<48_000) }
      let samples = (0..<48_000).map { index in parts.reduce(0) { $0 + $1[index] } }
      try await tuner.process(buffer(samples, at: position))
      position += 48_000
    }
    let points = await tuner.inharmonicities
    #expect(points.map(\.note.midi) == [57, 69])
    for point in points { #expect(abs(point.inharmonicity - stiffness) < 0.05 * stiffness) }
    let curve = try #require(try await tuner.stretchAsMeasured())
    #expect(curve.points == points)
    #expect(await tuner.configuration.tuning.stretch == curve)
    await tuner.forgetInharmonicities()
    #expect(await tuner.inharmonicities.isEmpty)
  }

  @Test func configurationSaysWhatIsNotTheDefault() throws {
    #expect("\(TunerConfiguration())" == "A4 = 440 Hz, Equal temperament")
    let tuning = try Tuning(reference: 442.5, temperament: Temperament(.werckmeisterIII), transposition: -2)
    let curve = try StretchCurve(points: [StretchCurve.Point(note: .a4, inharmonicity: 1e-3)])
    #expect(
      "\(TunerConfiguration(tuning: tuning.with(stretch: curve), instrument: Instrument(.guitar)))"
        == "A4 = 442.5 Hz, \(tuning.temperament.name) on C, Guitar, written \u{2212}2 semitones, stretched")
  }
}

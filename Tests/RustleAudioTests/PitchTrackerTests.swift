import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct PitchTrackerTests {
  private static let rate = 44_100.0

  private func sine(_ frequency: Double, seconds: Double = 0.5, amplitude: Double = 0.5) -> [Float] {
    Sounds.tones([(frequency, amplitude)], frames: 0..<Int(seconds * Self.rate), sampleRate: Self.rate)
  }

  /// Partials of equal strength.
  private func stack(_ frequency: Double, partials: Int, seconds: Double = 0.5) -> [Float] {
    (0..<Int(seconds * Self.rate)).map { frame in
      let phase = 2 * Double.pi * (frequency * Double(frame) / Self.rate)
      return Float((1...partials).reduce(0) { $0 + sin(Double($1) * phase + Double($1)) } / Double(2 * partials))
    }
  }

  private func cents(_ frequency: Double, from truth: Double) -> Double { abs(1_200 * log2(frequency / truth)) }

  private func refusal(_ configuration: PitchConfiguration) -> AudioError? {
    #expect(throws: AudioError.self) { _ = try PitchTracker(configuration) }
  }

  @Test(arguments: [110.0, 440, 1_760])
  func sineIsFoundWithinAHundredthOfACent(frequency: Double) throws {
    let frames = try PitchTracker.contour(
      of: sine(frequency).span, configuration: PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096))
    #expect(frames.count == 1 + (22_050 - 4_096) / 512)
    for frame in frames {
      #expect(cents(try #require(frame.frequency), from: frequency) < 0.01)
      #expect(frame.isVoiced && frame.confidence > 0.9)
      #expect(frame.deviation < 0.1)
      #expect(abs(frame.level - 20 * log10(0.5) + 3.0103) < 0.1)
      #expect(frame.harmonicity > 40)
    }
  }

  @Test(arguments: [PitchMethod.harmonic, .yin, .mpm, .hps])
  func stackIsFoundByEachMethod(method: PitchMethod) throws {
    let frames = try PitchTracker.contour(
      of: stack(220, partials: 6).span,
      configuration: PitchConfiguration(sampleRate: Self.rate, range: 60...1_000, method: method, frameLength: 4_096))
    for frame in frames { #expect(cents(try #require(frame.frequency), from: 220) < 20) }
  }

  @Test func peakIsTheStrongestPartial() throws {
    let samples = zip(sine(200, amplitude: 0.1), sine(600, amplitude: 0.5)).map { $0 + $1 }
    let configuration = PitchConfiguration(sampleRate: Self.rate, method: .peak, frameLength: 4_096)
    let frame = try #require(try PitchTracker.contour(of: samples.span, configuration: configuration).first)
    #expect(cents(try #require(frame.frequency), from: 600) < 5)
  }

  @Test(arguments: [1, 7, 511, 4_096, 10_000])
  func piecesOfAnyLengthGiveTheFramesOfTheWhole(piece: Int) throws {
    let samples = stack(330, partials: 4, seconds: 0.25)
    let configuration = PitchConfiguration(sampleRate: Self.rate, range: 80...2_000, hop: 300)
    let whole = try PitchTracker.contour(of: samples.span, configuration: configuration)
    var tracker = try PitchTracker(configuration)
    var frames: [PitchFrame] = []
    for start in stride(from: 0, to: samples.count, by: piece) {
      try tracker.process(samples.span.extracting(start..<min(samples.count, start + piece)), into: &frames)
    }
    let complete = frames.count
    try tracker.finish(into: &frames)
    #expect(frames == whole && !whole.isEmpty && frames.count > complete)
  }

  /// More frames than one call of the native side writes, and windows that do not touch.
  @Test(arguments: [16, 5_000])
  func hopsOfAnyLengthGiveTheFramesOfTheWhole(hop: Int) throws {
    let samples = sine(500, seconds: 0.5)
    let configuration = PitchConfiguration(sampleRate: Self.rate, method: .yin, frameLength: 4_096, hop: hop)
    var tracker = try PitchTracker(configuration)
    var frames: [PitchFrame] = []
    try tracker.process(samples.span, into: &frames)
    #expect(frames.count == 1 + (samples.count - 4_096) / hop)
    #expect(frames == (try PitchTracker.contour(of: samples.span, configuration: configuration)))
  }

  @Test func timesAreThoseOfTheWindowsMiddles() throws {
    let configuration = PitchConfiguration(sampleRate: Self.rate, frameLength: 2_048, hop: 441)
    let frames = try PitchTracker.contour(of: sine(440).span, configuration: configuration)
    for (index, frame) in frames.enumerated() {
      #expect(frame.sample == Int64(1_024 + 441 * index))
      #expect(frame.time == Double(frame.sample) / Self.rate)
    }
  }

  @Test func resetBeginsAnotherSignal() throws {
    let configuration = PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096)
    var tracker = try PitchTracker(configuration)
    var frames: [PitchFrame] = []
    try tracker.process(sine(300, seconds: 0.2).span, into: &frames)
    tracker.reset()
    frames = []
    let samples = sine(700, seconds: 0.2)
    try tracker.process(samples.span, into: &frames)
    #expect(frames == (try PitchTracker.contour(of: samples.span, configuration: configuration)))
  }

  @Test func silenceAndSamplesThatAreNoNumbersHaveNoPitch() throws {
    for value in [Float(0), .nan, .infinity] {
      let samples = [Float](repeating: value, count: 8_192)
      let frames = try PitchTracker.contour(
        of: samples.span, configuration: PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096))
      #expect(frames.count == 9)
      for frame in frames {
        #expect(frame.frequency == nil && !frame.isVoiced && frame.confidence == 0)
        #expect(frame.harmonicity == -.infinity && frame.level == -.infinity)
      }
    }
  }

  @Test func signalThatIsShorterThanTheWindowHasNoFrames() throws {
    let configuration = PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096)
    #expect(
      try PitchTracker.contour(of: [Float](repeating: 1, count: 4_095).span, configuration: configuration).isEmpty)
    #expect(try PitchTracker.contour(of: [Float]().span, configuration: configuration, decoding: .viterbi).isEmpty)
  }

  /// More frames of the end than one call of the native side writes.
  @Test func framesOfTheEndAreShorter() throws {
    let samples = sine(500, seconds: 0.1)
    let configuration = PitchConfiguration(sampleRate: Self.rate, hop: 4)
    var tracker = try PitchTracker(configuration)
    #expect(tracker.frameLength == 4_096 && tracker.shortestFrameLength == 1_024)
    var frames: [PitchFrame] = []
    try tracker.process(samples.span, into: &frames)
    let complete = frames.count
    try tracker.finish(into: &frames)
    #expect(frames.count == 1 + (samples.count - 1_024) / 4 && frames.count > complete + 64)
    for frame in frames { #expect(cents(try #require(frame.frequency), from: 500) < 0.1) }
    // The next sample is the first of another signal.
    var again: [PitchFrame] = []
    try tracker.process(samples.span, into: &again)
    try tracker.finish(into: &again)
    #expect(again == frames)
  }

  @Test func aVoiceHasAConfigurationOfItsOwn() throws {
    let configuration = PitchConfiguration.voice(sampleRate: Self.rate)
    #expect(configuration.range == 60...600 && configuration.hop == 441)
    let error = try #require(refusal(.voice(sampleRate: .nan)))
    #expect(error.message == "sample rate: expected 1000 to 768000 Hz, got NaN")
  }

  @Test func chordIsSeveralNotesAndNotSure() throws {
    let notes = [261.63, 329.63, 392.0].map { sine($0, seconds: 0.2, amplitude: 0.2) }
    let samples = notes[0].indices.map { notes[0][$0] + notes[1][$0] + notes[2][$0] }
    var configuration = PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096)
    let frames = try PitchTracker.contour(of: samples.span, configuration: configuration)
    #expect(frames.count == 10 && frames.allSatisfy { $0.isPolyphonic && $0.confidence < 0.2 })
    let one = try PitchTracker.contour(of: sine(261.63).span, configuration: configuration)
    #expect(one.allSatisfy { !$0.isPolyphonic && $0.confidence > 0.9 })
    configuration.expectsOneNote = true
    let roots = try PitchTracker.contour(of: samples.span, configuration: configuration)
    #expect(roots.allSatisfy { !$0.isPolyphonic && $0.confidence > 0.9 })
  }

  @Test func frameLengthIsChosenFromTheRangeAndRaisesItsEnd() throws {
    let chosen = try PitchTracker(PitchConfiguration(sampleRate: Self.rate, range: 60...1_000))
    #expect(chosen.frameLength == 2_048 && chosen.range == 60...1_000)
    let raised = try PitchTracker(PitchConfiguration(sampleRate: Self.rate, range: 25...30_000, frameLength: 2_048))
    #expect(raised.frameLength == 2_048)
    #expect(abs(raised.range.lowerBound - 2.25 * Self.rate / 2_048) < 1e-9)
    #expect(abs(raised.range.upperBound - 0.45 * Self.rate) < 1e-9)
  }

  @Test func pathThroughTheFramesFollowsATone() throws {
    let configuration = PitchConfiguration(sampleRate: Self.rate, frameLength: 4_096)
    let samples = stack(150, partials: 5)
    let frames = try PitchTracker.contour(of: samples.span, configuration: configuration, decoding: .viterbi)
    #expect(frames.count == 1 + (samples.count - 4_096) / 512)
    for frame in frames { #expect(cents(try #require(frame.frequency), from: 150) < 0.1) }
  }

  @Test func argumentsOutOfBoundsAreNamed() throws {
    let fine = PitchConfiguration(sampleRate: Self.rate)
    let refused: [(WritableKeyPath<PitchConfiguration, Double>, Double, String)] = [
      (\.sampleRate, 999, "sample rate: expected 1000 to 768000 Hz, got 999"),
      (\.sampleRate, .nan, "sample rate: expected 1000 to 768000 Hz, got NaN"),
    ]
    for (path, value, text) in refused {
      var wrong = fine
      wrong[keyPath: path] = value
      let error = try #require(refusal(wrong))
      #expect(error.code == .validation && error.message == text)
    }
    for length in [-4_096, 0, 255, 3_000, 65_536, .max] {
      var wrong = fine
      wrong.frameLength = length
      let error = try #require(refusal(wrong))
      #expect(
        error.code == .validation
          && error.message.hasPrefix("pitch frame length: expected a power of two of samples from 256"))
    }
    for hop in [-1, 0, 1_048_577, .max] {
      var wrong = fine
      wrong.hop = hop
      let error = try #require(refusal(wrong))
      #expect(error.code == .validation && error.message.hasPrefix("hop: expected 1 to 1048576 samples, got "))
    }
    for range in [0...100, -1...100, 1...2, 100...(.infinity), 20_000...21_000] as [ClosedRange<Double>] {
      var wrong = fine
      wrong.range = range
      let error = try #require(refusal(wrong))
      #expect(error.code == .validation && error.message.hasPrefix("pitch range: expected "))
      #expect(throws: AudioError.self) { try PitchTracker.contour(of: [Float]().span, configuration: wrong) }
    }
  }

  @Test func voicedFollowsTheConfidenceThatIsAskedFor() {
    let frame = PitchFrame(sample: 0, time: 0, frequency: 440, confidence: 0.4)
    #expect(!frame.isVoiced && frame.isVoiced(from: 0.4))
    #expect(!PitchFrame(sample: 0, time: 0, frequency: nil, confidence: 1).isVoiced)
  }

  @Test func stretchesEndWithTheVoiceAndAtLeaps() {
    let pitches: [Double?] = [100, 101, nil, nil, 102, 150, 151, 75.5, nil]
    let frames = pitches.enumerated().map { index, pitch in
      PitchFrame(sample: Int64(index), time: Double(index), frequency: pitch, confidence: pitch == nil ? 0 : 0.9)
    }
    let stretches = frames.voicedStretches()
    #expect(stretches.map { $0.map(\.frequency) } == [[100, 101], [102], [150, 151], [75.5]])
    #expect(stretches.map { $0.map(\.time) } == [[0, 1], [4], [5, 6], [7]])
    #expect(frames.voicedStretches(from: 0.95).isEmpty)
  }
}

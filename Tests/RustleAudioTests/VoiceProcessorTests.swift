import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct VoiceProcessorTests {
  private static let rate = 44_100.0

  private func vowel(seconds: Double = 0.5) -> [Float] {
    Voices.vowel(f0: 120, formants: Voices.a, seconds: seconds, sampleRate: Self.rate)
  }

  private func refusal(
    sampleRate: Double = rate, _ configuration: VoiceConfiguration = VoiceConfiguration()
  ) -> AudioError? {
    #expect(throws: AudioError.self) {
      _ = try VoiceProcessor(sampleRate: sampleRate, configuration: configuration)
    }
  }

  @Test func vowelIsMeasured() throws {
    let (frames, summary) = try VoiceProcessor.analyze(vowel().span, sampleRate: Self.rate)
    for frame in frames {
      #expect(try frame.isVoiced && abs(#require(frame.pitch) - 120) < 0.1)
      #expect(try #require(frame.harmonicsToNoise) > 30)
      for (number, truth) in zip(1...3, Voices.a) {
        #expect(abs(try #require(frame.formants.formant(number)).frequency - truth.frequency) < 0.1 * truth.frequency)
      }
      #expect(frame.droppedFrames == 0 && frame.formants.formant(0) == nil && frame.formants.count <= 5)
      #expect((100.0...3_000).contains(try #require(frame.centroid)))
    }
    #expect(summary.frames == frames.count && summary.voicedFrames == frames.count && frames.count > 10)
    #expect(abs(try #require(summary.medianPitch) - 120) < 0.1)
    #expect(abs(try #require(summary.meanPitch) - 120) < 0.1)
    #expect(try #require(summary.pitchDeviation) < 0.1)
    #expect(try #require(summary.meanHarmonicsToNoise) > 30 && summary.meanConfidence > 0.8)
    #expect(summary.perturbation.jitter < 0.002 && summary.perturbation.shimmer < 0.01)
    #expect(summary.perturbation.periods > 30 && abs(summary.perturbation.meanPeriod - 1 / 120) < 1e-5)
  }

  @Test(arguments: [1, 7, 511, 4_096, 30_000])
  func piecesOfAnyLengthGiveTheFramesOfTheWhole(piece: Int) throws {
    let samples = vowel(seconds: 0.2)
    let configuration = VoiceConfiguration(hop: 300)
    let whole = try VoiceProcessor.analyze(samples.span, sampleRate: Self.rate, configuration: configuration)
    var processor = try VoiceProcessor(sampleRate: Self.rate, configuration: configuration)
    var frames: [VoiceFrame] = []
    for start in stride(from: 0, to: samples.count, by: piece) {
      try processor.process(samples.span.extracting(start..<min(samples.count, start + piece)), into: &frames)
    }
    #expect(frames == whole.frames && !whole.frames.isEmpty)
    #expect(try processor.summary() == whole.summary)
  }

  /// More frames than one call of the native side writes, and fewer than one in a window.
  @Test(arguments: [16, 20_000])
  func hopsOfAnyLengthGiveTheirFrames(hop: Int) throws {
    let samples = vowel(seconds: hop > 1_000 ? 2 : 0.5)
    let configuration = VoiceConfiguration(
      hop: hop, formants: nil, measuresHarmonicity: false, measuresCentroid: false)
    var processor = try VoiceProcessor(sampleRate: Self.rate, configuration: configuration)
    var frames: [VoiceFrame] = []
    try processor.process(samples.span, into: &frames)
    #expect(processor.hop == hop && frames.count == 1 + (samples.count - processor.frameLength) / hop)
    for (index, frame) in frames.enumerated() {
      #expect(frame.sample == Int64(processor.frameLength / 2 + hop * index))
      #expect(frame.time == Double(frame.sample) / Self.rate)
      #expect(frame.harmonicsToNoise == nil && frame.centroid == nil && frame.formants.isEmpty)
    }
    #expect(try processor.summary().meanHarmonicsToNoise == nil)
  }

  @Test func resetBeginsAnotherSignal() throws {
    let samples = vowel(seconds: 0.2)
    var processor = try VoiceProcessor(sampleRate: Self.rate)
    var frames: [VoiceFrame] = []
    try processor.process(Voices.noise(count: 20_000).span, into: &frames)
    processor.reset()
    frames = []
    try processor.process(samples.span, into: &frames)
    let whole = try VoiceProcessor.analyze(samples.span, sampleRate: Self.rate)
    #expect(frames == whole.frames && !frames.isEmpty)
    #expect(try processor.summary() == whole.summary)
  }

  @Test func silenceHasNoVoice() throws {
    let (frames, summary) = try VoiceProcessor.analyze(
      [Float](repeating: 0, count: 22_050).span, sampleRate: Self.rate)
    for frame in frames {
      #expect(frame.pitch == nil && !frame.isVoiced && frame.confidence == 0 && frame.level == -.infinity)
      #expect(frame.harmonicsToNoise == nil && frame.centroid == nil && frame.formants.isEmpty)
    }
    #expect(summary.frames == frames.count && summary.voicedFrames == 0 && !frames.isEmpty)
    #expect(summary.medianPitch == nil && summary.meanPitch == nil && summary.pitchDeviation == nil)
    #expect(summary.meanHarmonicsToNoise == nil && summary.meanConfidence == 0)
    #expect(summary.perturbation.periods == 0 && summary.perturbation.jitter == 0)
  }

  @Test func argumentsOutOfBoundsAreNamed() throws {
    for rate in [7_999, 192_001, .nan, 0] {
      let error = try #require(refusal(sampleRate: rate))
      #expect(error.code == .validation && error.message.hasPrefix("sample rate: expected 8000 to 192000 Hz, got "))
    }
    for range in [39...400, 80...2_001, 80...80, 0...100] as [ClosedRange<Double>] {
      let error = try #require(refusal(VoiceConfiguration(range: range)))
      #expect(error.code == .validation && error.message.hasPrefix("voice range: expected two frequencies from 40"))
    }
    for hop in [-1, 0, 1_048_577, .max] {
      let error = try #require(refusal(VoiceConfiguration(hop: hop)))
      #expect(error.code == .validation && error.message.hasPrefix("hop: expected 1 to 1048576 samples, got "))
    }
    let formants: [(FormantConfiguration, String)] = [
      (FormantConfiguration(ceiling: 2_999), "formant ceiling: expected 3000 to 8000 Hz, got 2999 Hz"),
      (FormantConfiguration(order: 0), "prediction order: expected 4 to 32, got 0"),
      (FormantConfiguration(order: 33), "prediction order: expected 4 to 32, got 33"),
      (FormantConfiguration(length: 0), "formant window: expected 0.01 to 0.1 s, got 0 s"),
      (FormantConfiguration(length: 0.2), "formant window: expected 0.01 to 0.1 s, got 0.2 s"),
    ]
    for (wrong, text) in formants {
      let error = try #require(refusal(VoiceConfiguration(formants: wrong)))
      #expect(error.code == .validation && error.message == text)
    }
  }
}

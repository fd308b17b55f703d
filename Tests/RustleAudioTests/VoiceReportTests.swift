import RustleAudio
import TestSupport
import Testing

/// What a whole recording of a voice shows.
@Suite(.releasesNativeObjects) struct VoiceReportTests {
  @Test func formantsAreTheMediansOfTheVoicedFrames() {
    func frame(_ found: [Double], voiced: Bool = true) -> VoiceFrame {
      VoiceFrame(
        sample: 0, time: 0, pitch: 100, confidence: 1, isVoiced: voiced,
        formants: Formants(found.map { Formant(frequency: $0, bandwidth: $0 / 10) }, confidence: 1))
    }
    let frames = [
      frame([500, 1_500, 2_500]), frame([600, 1_600]), frame([700, 1_700]), frame([100, 200, 300, 400], voiced: false),
    ]
    // One of three has the third.
    #expect(
      VoiceReport.medians(of: frames) == [
        Formant(frequency: 600, bandwidth: 60), Formant(frequency: 1_600, bandwidth: 160),
      ])
    #expect(VoiceReport.medians(of: Array(frames[..<2])).map(\.frequency) == [550, 1_550, 2_500])
    #expect(VoiceReport.medians(of: []).isEmpty)
  }

  @Test func aSoundShorterThanAFrameIsMeasuredAsAWhole() throws {
    let rate = 16_000.0
    // Pulses of 100 Hz, 30 ms: three periods, and no frame.
    let samples = (0..<480).map { index -> Float in index % 160 == 80 ? 0.5 : index % 160 == 81 ? -0.25 : 0 }
    let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: rate)
    try #require(summary.frames == 0)
    let report = try VoiceReport(samples, sampleRate: rate, frames: frames, summary: summary)
    #expect(report.seconds == 0.03 && report.voicedShare == nil)
    let pitch = try detectPitch(in: samples.span, sampleRate: rate, range: 60...1_100)
    #expect(report.pitchOfWhole == pitch && report.medianPitch == pitch.frequency)
    #expect(report.confidence == (pitch.isVoiced ? pitch.confidence : nil))
    #expect(pitch.isVoiced || report.formants.isEmpty)
    #expect(report.formant(1) == report.formants.first && report.formant(0) == nil && report.formant(9) == nil)
  }

  @Test func whatASoundLacksIsNil() throws {
    let rate = 16_000.0
    func measures(of samples: [Float]) throws -> VoiceReport.Measures {
      let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: rate)
      return try VoiceReport(samples, sampleRate: rate, frames: frames, summary: summary).measures
    }
    let silence = try measures(of: [Float](repeating: 0, count: 8_000))
    #expect(silence.perturbation.periods == 0 && silence.spectrum.centroid == 0)
    #expect(
      [silence.h1MinusH2, silence.meanPeriod, silence.centroid, silence.rolloff, silence.tilt]
        == Array(repeating: nil, count: 5))
    // Half a second of pulses of 100 Hz has every measure.
    let pulses = (0..<8_000).map { index -> Float in index % 160 == 80 ? 0.5 : index % 160 == 81 ? -0.25 : 0 }
    let found = try measures(of: pulses)
    try #require(found.perturbation.periods >= 5)
    #expect(found.jitter == found.perturbation.jitter && found.shimmerAPQ5 == found.perturbation.shimmerAPQ5)
    #expect(found.meanPeriod == found.perturbation.meanPeriod && found.tilt == found.spectrum.tilt)
    // Of n pulses, a measure over more periods than they have is nil.
    for count in 1...7 {
      let few = try measures(
        of: (0..<count * 160 + 160).map { index -> Float in
          index % 160 == 80 ? 0.5 : index % 160 == 81 ? -0.25 : 0
        })
      let periods = few.perturbation.periods
      #expect((few.jitter == nil) == (periods < 2) && (few.shimmerDecibels == nil) == (periods < 2))
      #expect((few.jitterRAP == nil) == (periods < 3) && (few.shimmerAPQ3 == nil) == (periods < 3))
      #expect((few.jitterPPQ5 == nil) == (periods < 5))
    }
  }
}

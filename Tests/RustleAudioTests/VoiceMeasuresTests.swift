import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct VoiceMeasuresTests {
  private static let rate = 44_100.0

  private func vowel(f0: Double = 120, seconds: Double = 0.5, sampleRate: Double = rate) -> [Float] {
    Voices.vowel(f0: f0, formants: Voices.a, seconds: seconds, sampleRate: sampleRate)
  }

  @Test(arguments: [16_000.0, 22_050, 44_100, 48_000, 96_000], FormantMethod.allCases)
  func formantsOfAVowelAreFoundAtAnyRate(rate: Double, method: FormantMethod) throws {
    let samples = vowel(sampleRate: rate)
    let formants = try extractFormants(
      in: samples.span, sampleRate: rate, configuration: FormantConfiguration(ceiling: 5_000, method: method))
    for (number, truth) in zip(1...3, Voices.a) {
      let found = try #require(formants.formant(number))
      #expect(abs(found.frequency - truth.frequency) < 0.05 * truth.frequency)
      #expect(found.bandwidth > 0 && found.bandwidth <= 700)
    }
    #expect(formants.f1 == formants[0].frequency && formants.f2 == formants[1].frequency)
    #expect(formants.f3 == formants[2].frequency)
    #expect(formants.confidence > 0.5 && formants.confidence <= 1)
  }

  @Test func spectrumOfASineIsThatLine() throws {
    let sine = Sounds.tones([(1_000, 0.5)], frames: 0..<22_050, sampleRate: Self.rate)
    let features = try analyzeSpectrum(in: sine.span, sampleRate: Self.rate)
    #expect(abs(features.centroid - 1_000) < 1)
    #expect(abs(features.rolloff - 1_000) < 50)
  }

  @Test func spectrumOfWhiteNoiseIsFlat() throws {
    let noise = Voices.noise(count: 200_000)
    let features = try analyzeSpectrum(in: noise.span, sampleRate: Self.rate)
    #expect(abs(features.centroid - Self.rate / 4) < 150)
    #expect(abs(features.rolloff - 0.95 * Self.rate / 2) < 150)
    #expect(abs(features.tilt) < 0.3)
  }

  /// Noise of a known power beside a tone: the ratio is that of their powers.
  @Test(arguments: [5.0, 15, 25])
  func harmonicsToNoiseIsTheRatioOfThePowers(decibels: Double) throws {
    let tone = vowel(f0: 200, seconds: 2)
    let noise = Voices.noise(count: tone.count)
    let power = Sounds.power(of: tone) - Sounds.power(of: noise)
    let gain = Float(pow(10, (power - decibels) / 20))
    let sum = zip(tone, noise).map { $0 + gain * $1 }
    let found = try calculateHNR(in: sum.span, sampleRate: Self.rate)
    #expect(abs(found.hnr - decibels) < 1 && found.isVoiced)
    #expect(abs(try #require(found.f0) - 200) < 1)
  }

  @Test func silenceHasNoHarmonics() throws {
    let silence = [Float](repeating: 0, count: 20_000)
    let ratio = try calculateHNR(in: silence.span, sampleRate: Self.rate)
    #expect(ratio.hnr == -.infinity && ratio.f0 == nil && !ratio.isVoiced)
    let levels = try calculateH1H2(in: silence.span, sampleRate: Self.rate)
    #expect(levels.h1MinusH2 == 0 && levels.h1AmplitudeDb == -.infinity && levels.f0 == nil)
    let spectrum = try analyzeSpectrum(in: silence.span, sampleRate: Self.rate)
    #expect(spectrum.centroid == 0 && spectrum.rolloff == 0 && spectrum.tilt == 0)
    let formants = try extractFormants(in: silence.span, sampleRate: Self.rate)
    #expect(formants.isEmpty)
    let steadiness = try measureVoicePerturbation(in: silence.span, sampleRate: Self.rate)
    #expect(steadiness.periods == 0)
  }

  @Test(arguments: [nil, 200.0])
  func levelsOfTheFirstTwoHarmonicsAreTheirOwn(f0: Double?) throws {
    let both = Sounds.tones([(200, 0.5), (400, 0.25)], frames: 0..<44_100, sampleRate: Self.rate)
    let sum = stride(from: 0, to: both.count, by: 2).map { both[$0] + both[$0 + 1] }
    let found = try calculateH1H2(in: sum.span, sampleRate: Self.rate, f0: f0)
    #expect(abs(found.h1MinusH2 - 6.0206) < 0.02)
    #expect(abs(found.h1AmplitudeDb + 6.0206) < 0.02 && abs(found.h2AmplitudeDb + 12.0412) < 0.02)
    #expect(abs(try #require(found.f0) - 200) < 0.05)
  }

  /// Pulses whose distance grows and shrinks in turn by a part of the period: jitter is twice that part.
  @Test func jitterOfPeriodsThatDifferInTurnIsTheirDifference() throws {
    let period = 400.0
    var samples = [Float](repeating: 0, count: 60_000)
    var time = 100.0
    var number = 0
    while time < 59_000 {
      // A pulse at a time between samples, 1 ms wide.
      for n in Int(time) - 100...Int(time) + 100 {
        let distance = (Double(n) - time) / 20
        samples[n] += Float(0.5 * exp(-distance * distance))
      }
      time += period * (number.isMultiple(of: 2) ? 1.005 : 0.995)
      number += 1
    }
    let found = try measureVoicePerturbation(in: samples.span, sampleRate: Self.rate)
    #expect(abs(found.jitter - 0.01) < 0.0005)
    #expect(found.shimmer < 0.005 && found.periods > 100)
    #expect(abs(found.meanPeriod - period / Self.rate) < 1e-5)
  }

  @Test(arguments: [2_048, 4_096, 16_384, 100_000])
  func pitchOfAPieceIsFound(count: Int) throws {
    let samples = Array(vowel(f0: 150, seconds: 2.5)[..<count])
    let found = try detectPitch(in: samples.span, sampleRate: Self.rate)
    #expect(abs(try #require(found.frequency) - 150) < 0.2)
    #expect(found.isVoiced && found.confidence > 0.5 && found.voicedProbability > 0.5)
  }

  @Test func shortPieceHasAPitchAboveWhatItHolds() throws {
    let tone = Sounds.tones([(350, 0.5)], frames: 0..<1_000, sampleRate: Self.rate)
    let found = try detectPitch(in: tone.span, sampleRate: Self.rate)
    #expect(abs(try #require(found.frequency) - 350) < 1)
    // 256 samples hold 2.25 periods of 388 Hz and no less.
    for count in [0, 1, 255, 256] {
      let piece = Array(tone[..<count])
      let short = try detectPitch(in: piece.span, sampleRate: Self.rate, range: 80...380)
      #expect(short.frequency == nil && !short.isVoiced && short.confidence == 0)
    }
  }

  @Test func noiseHasNoPitch() throws {
    let noise = Voices.noise(count: 44_100)
    let found = try detectPitch(in: noise.span, sampleRate: Self.rate)
    #expect(found.frequency == nil && !found.isVoiced && found.voicedProbability < 0.5)
  }

  private func isRefused(_ text: String, _ error: AudioError?) -> Bool {
    error?.code == .validation && error?.message.hasPrefix(text) == true
  }

  @Test func ratesAndRangesOutOfBoundsAreNamed() {
    let samples = [Float](repeating: 0, count: 100)
    let formants = #expect(throws: AudioError.self) { try extractFormants(in: samples.span, sampleRate: 7_000) }
    #expect(isRefused("sample rate: ", formants))
    let spectrum = #expect(throws: AudioError.self) { try analyzeSpectrum(in: samples.span, sampleRate: .nan) }
    #expect(isRefused("sample rate: ", spectrum))
    let ratio = #expect(throws: AudioError.self) {
      try calculateHNR(in: samples.span, sampleRate: 44_100, range: 10...500)
    }
    #expect(isRefused("voice range: ", ratio))
    let steadiness = #expect(throws: AudioError.self) {
      try measureVoicePerturbation(in: samples.span, sampleRate: 44_100, range: 75...5_000)
    }
    #expect(isRefused("voice range: ", steadiness))
    let pitch = #expect(throws: AudioError.self) {
      try detectPitch(in: samples.span, sampleRate: 44_100, range: 0...400)
    }
    #expect(isRefused("pitch range: ", pitch))
  }

  @Test func formantsAndFundamentalsOutOfBoundsAreNamed() {
    let samples = [Float](repeating: 0, count: 100)
    for f0 in [0, -1, 20_000, Double.nan] {
      let levels = #expect(throws: AudioError.self) {
        try calculateH1H2(in: samples.span, sampleRate: 44_100, f0: f0)
      }
      #expect(isRefused("fundamental frequency: expected more than 0", levels))
    }
    let formants = #expect(throws: AudioError.self) {
      try extractFormants(
        in: samples.span, sampleRate: 44_100, configuration: FormantConfiguration(ceiling: 9_000))
    }
    #expect(isRefused("formant ceiling: ", formants))
  }
}

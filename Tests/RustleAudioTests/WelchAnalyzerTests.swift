import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct WelchAnalyzerTests {
  @Test func sineOf1kHzAt48kHzIsFoundWithinAMillihertz() throws {
    var analyzer = try WelchAnalyzer(size: 4_096, sampleRate: 48_000)
    analyzer.add(sine(1_000, sampleRate: 48_000, count: 48_000, amplitude: 0.5))
    let peak = try #require(analyzer.spectrum().peaks(limit: 3).first)
    #expect(abs(peak.frequency - 1_000) < 1e-3)
    #expect(abs(peak.amplitude - 0.5) < 1e-5)
    #expect(abs(peak.decibels + 6.0206) < 1e-3)
  }

  @Test func spectrumDoesNotDependOnHowTheSignalIsCut() throws {
    let signal = noise(seed: 1, count: 10_000)
    var whole = try WelchAnalyzer(size: 256, overlap: 0.75, sampleRate: 8_000)
    whole.add(signal)
    var pieces = try WelchAnalyzer(size: 256, overlap: 0.75, sampleRate: 8_000)
    var position = 0
    for length in sequence(first: 1, next: { ($0 * 7 + 3) % 611 }) {
      let end = min(position + length, signal.count)
      pieces.add(signal.span.extracting(position..<end))
      position = end
      if end == signal.count { break }
    }
    let expected = try whole.spectrum()
    #expect(try pieces.spectrum() == expected)
    #expect(expected.frames == (10_000 - 256) / 64 + 1)
  }

  @Test func amplitudesAreTheRootOfTheMeanPower() throws {
    let signal = noise(seed: 2, count: 512 + 256)
    var analyzer = try WelchAnalyzer(size: 512, window: .hamming, sampleRate: 8_000)
    analyzer.add(signal)
    let fft = try FFT(size: 512, window: .hamming, normalization: .amplitude)
    let first = try fft.powerSpectrum(of: Array(signal[0..<512]))
    let second = try fft.powerSpectrum(of: Array(signal[256..<768]))
    let spectrum = try analyzer.spectrum()
    #expect(spectrum.frames == 2)
    for bin in 0..<257 {
      let expected = ((Double(first[bin]) + Double(second[bin])) / 2).squareRoot()
      #expect(abs(Double(spectrum.amplitudes[bin]) - expected) < 1e-7)
    }
  }

  @Test func shortSignalIsPaddedWithZeros() throws {
    let signal = noise(seed: 3, count: 100)
    var analyzer = try WelchAnalyzer(size: 256, sampleRate: 8_000)
    analyzer.add(signal)
    let spectrum = try analyzer.spectrum()
    let fft = try FFT(size: 256, normalization: .amplitude)
    let expected = try fft.powerSpectrum(of: signal + [Float](repeating: 0, count: 156))
    #expect(spectrum.frames == 1)
    #expect(spectrum.amplitudes == expected.map { Float(Double($0).squareRoot()) })
    // Asking does not change what comes after.
    analyzer.add([Float](repeating: 0, count: 156))
    #expect(try analyzer.spectrum() == spectrum)
  }

  @Test func endThatFillsNoFrameIsLeftOut() throws {
    var analyzer = try WelchAnalyzer(size: 256, overlap: 0, sampleRate: 8_000)
    analyzer.add(noise(seed: 4, count: 512))
    let before = try analyzer.spectrum()
    analyzer.add([Float](repeating: 1, count: 255))
    #expect(try analyzer.spectrum() == before)
    analyzer.add([1])
    #expect(try analyzer.spectrum().frames == 3)
  }

  @Test func noSamplesAreRefused() throws {
    var analyzer = try WelchAnalyzer(size: 256, sampleRate: 8_000)
    analyzer.add([])
    let error = #expect(throws: FFTError.self) { try analyzer.spectrum() }
    #expect(error?.message == "signal: expected at least 1 sample, got 0")
  }

  @Test func argumentsOutOfRangeAreRefused() {
    for overlap in [-0.1, 1, 2, .nan, .infinity] {
      let error = #expect(throws: FFTError.self) {
        try WelchAnalyzer(size: 256, overlap: overlap, sampleRate: 8_000)
      }
      #expect(error?.argument == "overlap")
    }
    for rate in [0, -8_000, .nan, .infinity] {
      let error = #expect(throws: FFTError.self) { try WelchAnalyzer(size: 256, sampleRate: rate) }
      #expect(error?.argument == "sampleRate")
    }
    let error = #expect(throws: FFTError.self) { try WelchAnalyzer(size: 100, sampleRate: 8_000) }
    #expect(error?.argument == "size")
  }

  @Test func largestOverlapMovesOneSampleAtATime() throws {
    var analyzer = try WelchAnalyzer(size: 64, overlap: 0.999_999, sampleRate: 8_000)
    analyzer.add(noise(seed: 5, count: 70))
    #expect(try analyzer.spectrum().frames == 7)
  }

  @Test(arguments: [
    (8_192, 8_192, 8_192), (8_192, 8_191, 4_096), (8_192, 100, 64), (64, 0, 64), (1_024, Int.max, 1_024),
  ])
  func frameIsNoLongerThanItsSignal(size: Int, count: Int, expected: Int) {
    #expect(WelchAnalyzer.size(size, forSamples: count) == expected)
  }
}

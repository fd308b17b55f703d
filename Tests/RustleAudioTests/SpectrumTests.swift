import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct SpectrumTests {
  private func spectrum(
    of parts: [(frequency: Double, amplitude: Double)], window: WindowFunction = .hann, offset: Float = 0
  ) throws -> Spectrum {
    var signal = [Float](repeating: offset, count: 32_768)
    for (index, part) in parts.enumerated() {
      let tone = sine(
        part.frequency, sampleRate: 16_000, count: signal.count, amplitude: part.amplitude, phase: Double(index))
      for sample in signal.indices { signal[sample] += tone[sample] }
    }
    var analyzer = try WelchAnalyzer(size: 2_048, window: window, sampleRate: 16_000)
    analyzer.add(signal)
    return try analyzer.spectrum()
  }

  @Test func tonesComeByFallingAmplitude() throws {
    let spectrum = try spectrum(of: [(440, 0.05), (1_234.5, 0.5), (5_000.25, 0.1)])
    let peaks = spectrum.peaks(limit: 10, threshold: -60)
    #expect(peaks.map { ($0.frequency * 100).rounded() / 100 } == [1_234.5, 5_000.25, 440])
    #expect(zip(peaks, [0.5, 0.1, 0.05]).allSatisfy { abs($0.amplitude - $1) < 1e-4 })
    #expect(spectrum.peaks(limit: 2, threshold: -60) == Array(peaks.prefix(2)))
  }

  @Test func refusalOfPeaksWasDiscardedInsteadOfLogged() async throws {
    LogRecorder.install()
    let odd = Spectrum(sampleRate: 16_000, size: 64, window: .hann, frames: 1, amplitudes: [1, 0, 1])
    #expect(odd.peaks().isEmpty)
    await LogRecorder.line(from: "error none: spectrum: expected N/2 + 1 bins", to: "got 3")
  }

  @Test func thresholdIsALevel() throws {
    let spectrum = try spectrum(of: [(1_000, 1), (3_000, 0.01)])
    #expect(spectrum.peaks(threshold: -39).count == 1)
    #expect(spectrum.peaks(threshold: -41).count == 2)
    #expect(spectrum.peaks(threshold: .nan).isEmpty)
    #expect(spectrum.peaks(threshold: .infinity).isEmpty)
  }

  @Test func limitIsKept() throws {
    let spectrum = try spectrum(of: [(1_000, 1), (3_000, 0.5), (5_000, 0.25)])
    for limit in [Int.min, -1, 0] { #expect(spectrum.peaks(limit: limit).isEmpty) }
    #expect(spectrum.peaks(limit: 2).count == 2)
    #expect(spectrum.peaks(limit: .max, threshold: -60).count == 3)
  }

  @Test func sideLobesAndAConstantPartAreNoTones() throws {
    for window in WindowFunction.allCases {
      let spectrum = try spectrum(of: [(1_003.9, 0.5)], window: window, offset: 0.25)
      // The rectangular window leaks the constant part to everywhere, so that the tone's neighbours are not its own.
      let threshold = window == .rectangular ? -40.0 : -90
      #expect(spectrum.peaks(threshold: threshold).count == 1, "\(window)")
    }
  }

  @Test func levelsAndFrequenciesBelongToTheBins() throws {
    let spectrum = try spectrum(of: [(1_000, 1)])
    #expect(spectrum.binWidth == 7.8125)
    #expect(spectrum.frequencies.count == spectrum.amplitudes.count)
    #expect(spectrum.frequencies.last == 8_000)
    #expect(abs(spectrum.decibels[128]) < 1e-4)
    #expect(spectrum.decibels.allSatisfy { $0 >= FFT.decibelFloor })
  }

  @Test func peakIsCodable() throws {
    let peak = try #require(try spectrum(of: [(1_000, 1)]).peaks().first)
    let decoded = try JSONDecoder().decode(SpectralPeak.self, from: JSONEncoder().encode(peak))
    #expect(decoded == peak)
  }
}

import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct FFTTests {
  @Test func magnitudesAreThoseOfNumpyForEverySizeAndWindow() throws {
    for testCase in try VectorCase.all(in: "fft.txt") {
      let fft = try FFT(
        size: testCase.integers("size")[0], window: testCase.window(), symmetry: testCase.symmetry())
      let magnitudes = try fft.magnitudes(of: testCase.signal())
      let chosen = try testCase.integers("bins").map { magnitudes[$0] }
      let error = relativeL2(chosen, try testCase.numbers("magnitudes"))
      #expect(error < 2e-7, "\(testCase.name)")
    }
  }

  @Test func windowsAreThoseOfScipy() throws {
    for testCase in try VectorCase.all(in: "windows.txt") {
      let count = try testCase.integers("length")[0]
      let coefficients = try testCase.window().coefficients(count: count, symmetry: testCase.symmetry())
      for (actual, expected) in zip(coefficients, try testCase.numbers("coefficients")) {
        #expect(abs(Double(actual) - expected) < 6e-8, "\(testCase.name)")
      }
      #expect(coefficients.count == count)
    }
    #expect(try WindowFunction.hann.coefficients(count: 0) == [])
    #expect(try WindowFunction.hann.coefficients(count: -1) == [])
  }

  @Test func formsAgreeWithEachOther() throws {
    for scale in FFT.Normalization.allCases {
      let fft = try FFT(size: 512, window: .blackman, normalization: scale)
      let signal = noise(seed: 3, count: 512)
      let magnitudes = try fft.magnitudes(of: signal)
      let power = try fft.powerSpectrum(of: signal)
      let decibels = try fft.decibels(of: signal)
      let bins = try fft.complexSpectrum(of: signal)
      #expect(bins.count == 2 * magnitudes.count)
      for bin in magnitudes.indices {
        let square = bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1]
        #expect(abs(square - power[bin]) <= 1e-6 * square)
        #expect(abs(magnitudes[bin] * magnitudes[bin] - square) <= 1e-6 * square)
        #expect(abs(decibels[bin] - 10 * log10(square)) < 1e-4)
      }
    }
  }

  @Test func fullScaleSineReadsOneWithEveryWindow() throws {
    for window in WindowFunction.allCases {
      let fft = try FFT(size: 1_024, window: window, normalization: .amplitude)
      let amplitudes = try fft.magnitudes(of: sine(100, sampleRate: 1_024, count: 1_024, phase: 0.3))
      #expect(abs(amplitudes[100] - 1) < 1e-6)
    }
  }

  @Test func spansOfTheCallersOwnAreReadAndWritten() throws {
    let fft = try FFT(size: 256)
    let signal = noise(seed: 4, count: 1_000)
    var output = [Float](repeating: -1, count: 128)
    var span = output.mutableSpan
    try fft.magnitudes(of: signal.span.extracting(500..<756), into: &span)
    let expected = try fft.magnitudes(of: Array(signal[500..<756]))
    #expect(output == Array(expected.dropLast()), "N/2 elements leave out the last bin")
  }

  @Test func silenceIsZeroAndAtTheFloor() throws {
    let fft = try FFT(size: 64)
    let silence = [Float](repeating: 0, count: 64)
    #expect(try fft.magnitudes(of: silence).allSatisfy { $0 == 0 })
    #expect(try fft.decibels(of: silence).allSatisfy { $0 == FFT.decibelFloor })
  }

  @Test func badSampleMakesEveryBinBad() throws {
    let fft = try FFT(size: 256)
    for bad in [Float.nan, .infinity, -.infinity] {
      var signal = noise(seed: 5, count: 256)
      signal[77] = bad
      #expect(try fft.magnitudes(of: signal).allSatisfy { !$0.isFinite })
      #expect(try fft.decibels(of: signal).allSatisfy { !$0.isFinite })
    }
  }

  @Test func sizeOutOfRangeIsRefused() {
    for size in [Int.min, -64, 0, 1, 32, 63, 100, 65_535, 131_072, .max] {
      #expect {
        try FFT(size: size)
      } throws: { error in
        guard let error = error as? FFTError else { return false }
        return error.code == .validation && error.argument == "size" && error.got == "\(size)"
      }
    }
  }

  @Test func wrongLengthsAreRefusedAndNothingIsWritten() throws {
    let fft = try FFT(size: 256)
    let signal = noise(seed: 6, count: 256)
    for count in [0, 255, 257] {
      let error = #expect(throws: FFTError.self) { try fft.magnitudes(of: noise(seed: 1, count: count)) }
      #expect(error?.message == "input: expected 256 samples, got \(count)")
    }
    for count in [0, 127, 130, 258] {
      var output = [Float](repeating: 7, count: count)
      let error = #expect(throws: FFTError.self) {
        var span = output.mutableSpan
        try fft.magnitudes(of: signal.span, into: &span)
      }
      #expect(error?.message == "output: expected 129 or 128 elements, got \(count)")
      #expect(output.allSatisfy { $0 == 7 })
    }
    var output = [Float](repeating: 7, count: 256)
    let error = #expect(throws: FFTError.self) {
      var span = output.mutableSpan
      try fft.complexSpectrum(of: signal.span, into: &span)
    }
    #expect(error?.message == "output: expected 258 elements, got 256")
  }

  @Test func frequenciesAreThoseOfTheBins() throws {
    let fft = try FFT(size: 64)
    let frequencies = fft.frequencies(sampleRate: 48_000)
    #expect(frequencies.count == fft.binCount)
    #expect(frequencies.prefix(3) == [0, 750, 1_500])
    #expect(frequencies.last == 24_000)
  }

  @Test func planIsSharedByTasks() async throws {
    let fft = try FFT(size: 1_024)
    let signals = (0..<64).map { noise(seed: UInt32($0), count: 1_024) }
    let expected = try signals.map { try fft.magnitudes(of: $0) }
    let actual = try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
      for (index, signal) in signals.enumerated() {
        group.addTask { (index, try fft.magnitudes(of: signal)) }
      }
      return try await group.reduce(into: [[Float]](repeating: [], count: 64)) { $0[$1.0] = $1.1 }
    }
    #expect(actual == expected)
  }

  @Test func windowNamesAreAllKnown() {
    for name in WindowFunction.names { #expect(WindowFunction(name: name) != nil) }
    #expect(WindowFunction(name: "hanning") == .hann)
    #expect(WindowFunction(name: "none") == .rectangular)
    #expect(WindowFunction(name: "kaiser") == nil)
  }
}

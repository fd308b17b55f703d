import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct InverseFFTTests {
  @Test func samplesAreThoseOfNumpy() throws {
    for testCase in try VectorCase.all(in: "inverse.txt") {
      let inverse = try InverseFFT(size: testCase.integers("size")[0])
      let samples = try inverse.samples(of: testCase.signal())
      let chosen = try testCase.integers("positions").map { samples[$0] }
      #expect(relativeL2(chosen, try testCase.numbers("samples")) < 2e-7, "\(testCase.name)")
    }
  }

  @Test func roundTripGivesTheWindowedSamplesBack() throws {
    let signal = noise(seed: 71, count: 512)
    let window = try WindowFunction.hann.coefficients(count: 512)
    let bins = try FFT(size: 512).complexSpectrum(of: signal)
    let back = try InverseFFT(size: 512).samples(of: bins)
    #expect(relativeL2(back, zip(signal, window).map { Double($0) * Double($1) }) < 2e-7)
  }

  @Test func wrongLengthsAreRefused() throws {
    let inverse = try InverseFFT(size: 64)
    let bins = #expect(throws: FFTError.self) { try inverse.samples(of: [Float](repeating: 0, count: 64)) }
    #expect(bins?.message == "bins: expected 66 elements, got 64")
    let output = #expect(throws: FFTError.self) {
      var samples = [Float](repeating: 0, count: 63)
      var span = samples.mutableSpan
      try inverse.samples(of: [Float](repeating: 0, count: 66).span, into: &span)
    }
    #expect(output?.argument == "output")
    #expect(throws: FFTError.self) { try InverseFFT(size: 63) }
  }

  @Test func pathIsNamedAndForced() throws {
    let preferred = try FFT.InstructionSet.preferred()
    #expect(try FFT(size: 256).instructionSet == preferred)
    let signal = noise(seed: 72, count: 256)
    let expected = try FFT(size: 256).magnitudes(of: signal).map(Double.init)
    for instructionSet in FFT.InstructionSet.allCases {
      do throws(FFTError) {
        let fft = try FFT(size: 256, instructionSet: instructionSet)
        #expect(fft.instructionSet == instructionSet)
        let magnitudes = try fft.magnitudes(of: signal)
        #expect(relativeL2(magnitudes, expected) < 2e-7)
        _ = try InverseFFT(size: 256, instructionSet: instructionSet)
      } catch {
        // An instruction set that this machine does not have; every machine has this one, and the one that it prefers.
        #expect(instructionSet != .plain && instructionSet != preferred)
        #expect(error.message == "instructionSet: expected one that this machine has, got \(instructionSet.rawValue)")
      }
    }
  }

  @Test func workspacesGiveTheSameNumbers() throws {
    let signal = noise(seed: 4, count: 2_000)
    let stft = try STFT(size: 256, hop: 64, output: .complexSpectrum)
    var workspace = stft.makeWorkspace()
    var rows = [Float](repeating: 0, count: stft.frameCount(of: signal.count) * stft.valuesPerFrame)
    var output = rows.mutableSpan
    #expect(try stft.frames(of: signal.span, into: &output, using: &workspace) == stft.frameCount(of: signal.count))
    #expect(try rows == stft.frames(of: signal))

    let inverse = try InverseFFT(size: 256)
    var other = inverse.makeWorkspace()
    var samples = [Float](repeating: 0, count: 256)
    var span = samples.mutableSpan
    let bins = Array(rows[(10 * 258)..<(11 * 258)])
    for _ in 0..<2 { try inverse.samples(of: bins.span, into: &span, using: &other) }
    #expect(try samples == inverse.samples(of: bins))

    var small = try InverseFFT(size: 64).makeWorkspace()
    let error = #expect(throws: FFTError.self) {
      var span = samples.mutableSpan
      try inverse.samples(of: bins.span, into: &span, using: &small)
    }
    #expect(error?.argument == "workspace")
  }

  @Test func workspaceOfASmallerTransformIsRefused() throws {
    let large = try FFT(size: 1_024)
    var small = try FFT(size: 64).makeWorkspace()
    let input = [Float](repeating: 0, count: 1_024)
    var magnitudes = [Float](repeating: -1, count: 513)
    var output = magnitudes.mutableSpan
    do {
      try large.write(.magnitudes, of: input.span, into: &output, using: &small)
      Issue.record("a workspace that is too small was taken")
    } catch {
      #expect(error.argument == "workspace")
    }
    #expect(magnitudes == [Float](repeating: -1, count: 513))
  }
}

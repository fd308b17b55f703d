import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerBandTests {
  @Test func qualityOfAnOctaveIsTheSquareRootOfTwo() {
    // 2 sinh(ln 2 / 2) = sqrt 2 - 1 / sqrt 2 = 1 / sqrt 2.
    #expect(abs(EqualizerBand.q(forBandwidth: 1) - 2.0.squareRoot()) < 1e-15)
    // The widest, sinh(5 ln 2 / 2) = (32 - 1) / (2 sqrt 32).
    #expect(abs(EqualizerBand.q(forBandwidth: 5) - 32.0.squareRoot() / 31) < 1e-15)
  }

  @Test(arguments: [0.05, 0.3, 1, 2.5, 5]) func widthsComeBackFromQualities(octaves: Double) {
    let again = EqualizerBand.bandwidth(forQ: EqualizerBand.q(forBandwidth: octaves))
    #expect(abs(again / octaves - 1) < 1e-12)
  }

  @Test func peakingBandHasTheQualityOfItsWidth() {
    let band = EqualizerBand.peaking(frequency: 1_000, gain: -3, octaves: 2)
    #expect(band == EqualizerBand(frequency: 1_000, gain: -3, q: EqualizerBand.q(forBandwidth: 2)))
    #expect(band.kind == .peaking)
  }

  @Test func fieldsAreWrittenWithTheirUnits() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(EqualizerBand(.highShelf, frequency: 9_000.5, gain: -1.5, q: 0.7))
    #expect(
      String(decoding: json, as: UTF8.self) == #"{"frequency_hz":9000.5,"gain_db":-1.5,"kind":"highShelf","q":0.7}"#)
  }

  @Test func defaultQualityIsOneOctaveOrTheSteepestShelf() {
    #expect(EqualizerBand(frequency: 1_000, gain: 3) == .peaking(frequency: 1_000, gain: 3, octaves: 1))
    for kind in EqualizerBand.Kind.allCases.dropFirst() {
      #expect(EqualizerBand(kind, frequency: 1_000, gain: 3).q == 0.5.squareRoot())
    }
  }
}

import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerResponseTests {
  /// The analog peaking filter of the cookbook that EqualizerBand.q(forBandwidth:) cites, in dB.
  private func analogPeak(_ band: EqualizerBand, at frequency: Double) -> Double {
    let a = pow(10, band.gain / 40)
    let w = frequency / band.frequency
    func square(_ factor: Double) -> Double { pow(1 - w * w, 2) + pow(w / band.q * factor, 2) }
    return 10 * log10(square(a) / square(1 / a))
  }

  @Test(arguments: [8, 128, 1_024, 4_096, 10_240], [-12.0, 6, 12])
  func bandFollowsTheAnalogCurve(center: Double, gain: Double) throws {
    let band = EqualizerBand.peaking(frequency: center, gain: gain, octaves: 1)
    let frequencies = EqualizerResponse.audibleFrequencies(count: 100, sampleRate: 48_000) + [center]
    let response = try EqualizerSettings(left: [band]).response(at: frequencies, sampleRate: 48_000)
    for (frequency, level) in zip(frequencies, response.left) {
      #expect(abs(level - analogPeak(band, at: frequency)) < 0.25, "at \(frequency) Hz")
    }
    #expect(abs((response.left.last ?? 0) - gain) < 0.001)
    #expect(response.right.allSatisfy { $0 == 0 })
    #expect(response.frequencies == frequencies)
  }

  @Test func widthIsBetweenTheFrequenciesOfHalfTheGain() throws {
    let settings = EqualizerSettings(left: [.peaking(frequency: 500, gain: 6, octaves: 2)], preamp: -4)
    let response = try settings.response(at: [250, 500, 1_000], sampleRate: 48_000)
    for (level, expected) in zip(response.left, [-1.0, 2, -1]) { #expect(abs(level - expected) < 0.02) }
    #expect(response.right.allSatisfy { abs($0 + 4) < 1e-9 })
  }

  @Test func shelvesAndPassesHaveTheirSides() throws {
    func levels(_ kind: EqualizerBand.Kind) throws -> [Double] {
      let band = EqualizerBand(kind, frequency: 1_000, gain: 6, q: 0.5.squareRoot())
      return try EqualizerSettings(left: [band]).response(at: [20, 1_000, 8_000], sampleRate: 48_000).left
    }
    for (kind, expected) in [
      (EqualizerBand.Kind.lowShelf, [6.0, 3, 0]), (.highShelf, [0, 3, 6]), (.lowPass, [0, -3.01, -36.1]),
      (.highPass, [-67.96, -3.01, 0]),
    ] {
      for (level, wanted) in zip(try levels(kind), expected) {
        #expect(abs(level - wanted) < 0.3, "\(kind): \(level) dB, expected \(wanted) dB")
      }
    }
  }

  @Test func automaticPreampTakesTheHighestPointAway() throws {
    func preamp(_ settings: EqualizerSettings) throws -> Double { try settings.automaticPreamp(sampleRate: 48_000) }
    let peak = EqualizerBand.peaking(frequency: 1_000, gain: 6, octaves: 1)
    #expect(abs(try preamp(EqualizerSettings(right: [peak])) + 6) < 0.01)
    #expect(abs(try preamp(EqualizerSettings(left: [peak, peak], right: [peak], preamp: 3)) + 12) < 0.01)
    let cut = EqualizerBand.peaking(frequency: 1_000, gain: -6, octaves: 1)
    for settings in [EqualizerSettings.flat, EqualizerSettings(left: [cut])] {
      #expect("\(try preamp(settings))" == "0.0", "no -0")
    }
    let most = EqualizerBand.peaking(frequency: 1_000, gain: 24, octaves: 1)
    #expect(abs(try preamp(EqualizerSettings(left: [most, most])) + 48) < 0.01)
    #expect(try preamp(EqualizerSettings(left: Array(repeating: most, count: 5))) == -96)
  }

  @Test func solvedCurveGoesThroughTheGains() throws {
    let gains = (0..<28).map { Double(($0 * 5) % 13) - 6 }
    var wanted = try EqualizerSettings.graphic(gains: gains)
    wanted.preamp = -2
    let (settings, distance) = try wanted.solved(sampleRate: 48_000)
    let response = try settings.response(at: EqualizerSettings.centerFrequencies, sampleRate: 48_000)
    for (level, gain) in zip(response.left + response.right, gains) {
      #expect(abs(level - (gain - 2)) <= distance + 1e-6)
    }
    #expect(distance < 0.1, "\(distance) dB are left")
    #expect(settings.left.map(\.q) == wanted.left.map(\.q))
    #expect(settings.preamp == -2)
    #expect(settings != wanted)
  }

  @Test func solvedReportsWhatIsOutOfReach() throws {
    let gains = (0..<28).map { $0.isMultiple(of: 2) ? 24.0 : -24 }
    let (_, distance) = try EqualizerSettings.graphic(gains: gains, octaves: 5).solved(sampleRate: 48_000)
    #expect(distance > 1)
    let (flat, none) = try EqualizerSettings.flat.solved(sampleRate: 48_000)
    #expect(flat == .flat && none == 0)
  }

  @Test func badSettingsAreRefusedByEach() {
    let bad = EqualizerSettings(left: [EqualizerBand(frequency: 30_000, gain: 0, q: 1)])
    for refused in [
      { _ = try bad.response(at: [100], sampleRate: 48_000) }, { _ = try bad.automaticPreamp(sampleRate: 48_000) },
      { _ = try bad.solved(sampleRate: 48_000) }, { _ = try EqualizerSettings.flat.response(at: [], sampleRate: 0) },
    ] as [() throws -> Void] {
      let error = #expect(throws: AudioError.self) { try refused() }
      #expect(error?.code == .validation)
    }
  }

  @Test func audibleFrequenciesAreEvenAndBelowHalfTheRate() {
    let frequencies = EqualizerResponse.audibleFrequencies(count: 3, sampleRate: 8_000)
    #expect(frequencies.first == 20)
    #expect(abs(frequencies[1] - (20 * 3_992.0).squareRoot()) < 1e-9)
    #expect(abs(frequencies[2] - 3_992) < 1e-9)
    #expect(EqualizerResponse.audibleFrequencies(count: 1, sampleRate: 8_000) == [20])
    #expect(EqualizerResponse.audibleFrequencies(count: -1, sampleRate: 8_000).isEmpty)
  }
}

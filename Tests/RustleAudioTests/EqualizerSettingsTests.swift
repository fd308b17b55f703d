import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerSettingsTests {
  static func message(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: AudioError.self) { try body() }
    #expect(error?.code == .validation)
    return error?.message
  }

  static let good = EqualizerBand(frequency: 1_000, gain: 3, q: 1)

  @Test func gainsAreThoseOfTheLeftAndThenOfTheRight() throws {
    let gains = (0..<28).map { Double($0) - 14 }
    let settings = try EqualizerSettings.graphic(gains: gains)
    #expect(settings.left.map(\.gain) + settings.right.map(\.gain) == gains)
    #expect(settings.left.map(\.frequency) == EqualizerSettings.centerFrequencies)
    #expect(settings.right.map(\.frequency) == EqualizerSettings.centerFrequencies)
    #expect(
      (settings.left + settings.right).allSatisfy { $0.kind == .peaking && $0.q == EqualizerBand.q(forBandwidth: 1) })
    #expect(settings.preamp == 0)
  }

  @Test func centersAreTheBriefs() {
    let brief: [Double] = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_072, 4_096, 5_120, 10_240, 16_384]
    #expect(EqualizerSettings.centerFrequencies == brief)
  }

  @Test func otherCentersAndWidthsAreTaken() throws {
    let settings = try EqualizerSettings.graphic(gains: [1, 2, 3, 4], octaves: 5, centers: [100, 1_000])
    #expect(settings.left.map(\.gain) == [1, 2])
    #expect(settings.right.map(\.frequency) == [100, 1_000])
    #expect(settings.left[0].q == EqualizerBand.q(forBandwidth: 5))
  }

  @Test(arguments: [0, 14, 27, 29]) func anotherNumberOfGainsIsRefused(count: Int) {
    let message = Self.message { _ = try EqualizerSettings.graphic(gains: [Double](repeating: 0, count: count)) }
    #expect(message == "gains: expected 28 numbers, two for each of 14 bands, got \(count)")
  }

  @Test func graphicRefusesWhatIsOutOfRange() {
    var gains = [Double](repeating: 0, count: 28)
    gains[16] = 24.5
    #expect(
      Self.message { _ = try EqualizerSettings.graphic(gains: gains) }
        == "right band 3: gain: expected -24 to 24 dB, got 24.5")
    gains[16] = 0
    for octaves in [0.049, 5.001, .nan] {
      #expect(
        Self.message { _ = try EqualizerSettings.graphic(gains: gains, octaves: octaves) }
          == "octaves: expected 0.05 to 5, got \(octaves)")
    }
  }

  @Test func endsOfTheRangesAreInRange() throws {
    for octaves in [0.05, 5] {
      for gain in [-24.0, 24] {
        var settings = try EqualizerSettings.graphic(gains: [gain, gain], octaves: octaves, centers: [1_000])
        settings.preamp = gain
        try settings.check(sampleRate: 48_000)
      }
    }
    try EqualizerSettings(left: Array(repeating: Self.good, count: 64)).check(sampleRate: nil)
    try EqualizerSettings.flat.check(sampleRate: 1)
  }

  @Test(
    arguments: [
      (EqualizerBand(frequency: 1_000, gain: 30, q: 1), "gain: expected -24 to 24 dB, got 30"),
      (EqualizerBand(frequency: 1_000, gain: .nan, q: 1), "gain: expected -24 to 24 dB, got nan"),
      (
        EqualizerBand(frequency: 0, gain: 3, q: 1),
        "frequency: expected at least 0.048 and below 24000 Hz, half the sample rate, got 0"
      ),
      (
        EqualizerBand(frequency: 24_000, gain: 3, q: 1),
        "frequency: expected at least 0.048 and below 24000 Hz, half the sample rate, got 24000"
      ),
      (
        EqualizerBand(frequency: .nan, gain: 3, q: 1),
        "frequency: expected at least 0.048 and below 24000 Hz, half the sample rate, got nan"
      ),
      (
        EqualizerBand(frequency: 1_000, gain: 3, q: 0.1),
        "q: expected 0.1822 to 28.85, which is 5 to 0.05 octaves, got 0.1"
      ),
      (
        EqualizerBand(frequency: 1_000, gain: 3, q: 40),
        "q: expected 0.1822 to 28.85, which is 5 to 0.05 octaves, got 40"
      ),
    ])
  func firstFaultIsNamed(bad: EqualizerBand, expected: String) {
    let settings = EqualizerSettings(left: [Self.good, Self.good, bad], right: [bad])
    #expect(Self.message { try settings.check(sampleRate: 48_000) } == "left band 3: " + expected)
  }

  @Test func withoutASampleRateFrequenciesHaveNoUpperEnd() throws {
    var band = Self.good
    band.frequency = 90_000
    let settings = EqualizerSettings(right: [band])
    try settings.check(sampleRate: nil)
    try settings.check(sampleRate: 192_000)
    #expect(throws: AudioError.self) { try settings.check(sampleRate: 48_000) }
    band.frequency = .infinity
    let message = Self.message { try EqualizerSettings(right: [band]).check(sampleRate: nil) }
    #expect(message == "right band 1: frequency: expected above 0 Hz, got inf")
  }

  @Test func preampSampleRateAndNumberOfBandsAreChecked() {
    #expect(
      Self.message { try EqualizerSettings(preamp: -97).check(sampleRate: nil) }
        == "preamp: expected -96 to 24 dB, got -97")
    #expect(
      Self.message { try EqualizerSettings.flat.check(sampleRate: 0) }
        == "sampleRate: expected 1 to 1000000 Hz, got 0")
    let many = EqualizerSettings(right: Array(repeating: Self.good, count: 65))
    #expect(Self.message { try many.check(sampleRate: nil) } == "right: expected at most 64 bands, got 65")
  }

  @Test func bandsWithoutSoundAreLeftOut() throws {
    let settings = try EqualizerSettings.graphic(gains: [Double](repeating: 1, count: 28))
    let limited = settings.limited(toSampleRate: 32_768)
    // 16384 Hz is half of the rate.
    #expect(limited.left.map(\.frequency) == Array(EqualizerSettings.centerFrequencies.dropLast()))
    try limited.check(sampleRate: 32_768)
    #expect(settings.limited(toSampleRate: 44_100) == settings)
    // NaN is kept, for the check to report.
    let bad = EqualizerSettings(left: [EqualizerBand(frequency: .nan, gain: 0, q: 1)])
    #expect(bad.limited(toSampleRate: 48_000).left.count == 1)
  }

  // MARK: the short form of a band

  @Test(arguments: [
    ("1000:+3:1.4", EqualizerBand(.peaking, frequency: 1_000, gain: 3, q: 1.4), Equalizer.Channel.both),
    ("1000:-3", .peaking(frequency: 1_000, gain: -3, octaves: 1), .both),
    ("ls:105:6:0.7", EqualizerBand(.lowShelf, frequency: 105, gain: 6, q: 0.7), .both),
    ("R:HS:8e3:-2", EqualizerBand(.highShelf, frequency: 8_000, gain: -2, q: 0.5.squareRoot()), .right),
    ("lp:l:12000:1", EqualizerBand(.lowPass, frequency: 12_000, gain: 0, q: 1), .left),
    ("hp:40", EqualizerBand(.highPass, frequency: 40, gain: 0, q: 0.5.squareRoot()), .both),
    ("pk:40:1", .peaking(frequency: 40, gain: 1, octaves: 1), .both),
  ])
  func aBandIsRead(text: String, band: EqualizerBand, channel: Equalizer.Channel) throws {
    let read = try EqualizerSettings(band: text)
    #expect(read.left == (channel == .right ? [] : [band]))
    #expect(read.right == (channel == .left ? [] : [band]))
  }

  @Test(arguments: [
    "", "1000", "1000:3:1:2", "x:1000:3", "ls:hs:100:3", "L:R:100:3", "lp:100:1:2", "hp:", "100:nan", ":3", "100::1",
  ])
  func whatIsNoBandIsRefused(text: String) {
    let refusal = #expect(throws: AudioError.self) { try EqualizerSettings(band: text) }
    #expect(refusal?.message == "expected \(EqualizerSettings.bandForm), got '\(text)'")
  }

  @Test func valuesOutOfRangeAreNamed() {
    let error = #expect(throws: AudioError.self) { try EqualizerSettings(band: "R:100:30") }
    #expect(error?.message == "'R:100:30': gain: expected -24 to 24 dB, got 30")
  }

  @Test func aRequestLeavesOutAndCountsBandsThatTheRateDoesNotHave() throws {
    var request = EqualizerRequest(
      settings: EqualizerSettings(left: [EqualizerBand(frequency: 5_000, gain: 3, q: 1)]), preamp: .decibels(-2))
    request.add(
      EqualizerSettings(left: [
        EqualizerBand(frequency: 100, gain: 6, q: 1), EqualizerBand(frequency: 4_500, gain: 0, q: 1),
      ]))
    let prepared = try request.prepared(sampleRate: 8_000)
    #expect(prepared.settings.left.map(\.frequency) == [100] && prepared.settings.preamp == -2)
    #expect(prepared.omittedBandCount == 1 && prepared.distance == 0, "a band without a gain changes nothing")
    #expect(prepared.notes == ["1 band at or above half the sample rate, 4000 Hz, is left out"])
    #expect(try request.prepared(sampleRate: 48_000).notes == [])
    // One band for both channels is one.
    let both = EqualizerSettings(
      left: [EqualizerBand(frequency: 5_000, gain: 3, q: 1)], right: [EqualizerBand(frequency: 5_000, gain: 3, q: 1)])
    #expect(try EqualizerRequest(settings: both).prepared(sampleRate: 8_000).omittedBandCount == 1)
    request.preamp = .automatic
    let automatic = try request.prepared(sampleRate: 8_000).settings.preamp
    #expect(abs(automatic + 6) < 0.01)
  }

  @Test func gainsOutOfReachAreNoted() throws {
    var gains = [Double](repeating: 0, count: 28)
    for band in gains.indices { gains[band] = band.isMultiple(of: 2) ? 24 : -24 }
    let request = EqualizerRequest(settings: try .graphic(gains: gains, octaves: 5), isSolved: true)
    let prepared = try request.prepared(sampleRate: 48_000)
    #expect(prepared.distance > 1)
    let miss = String(format: "%.1f", prepared.distance)
    #expect(prepared.notes == ["the bands cannot reach these gains: the response differs by up to \(miss) dB"])
  }

  @Test func gainsAreReadFromAText() throws {
    let one = "-6 0,0 0 0 0 0 0 0 0 0 0 0  1.5"
    let gains = [-6.0] + Array(repeating: 0, count: 12) + [1.5]
    #expect(try EqualizerSettings.gains(of: one) == gains + gains)
    let both = (-14..<14).map { "\($0)" }.joined(separator: ",")
    #expect(try EqualizerSettings.gains(of: both) == (-14..<14).map(Double.init))
    for (text, got) in [
      ("1,x", "gains from -24 to 24 dB, got 'x'"), ("24.5", "gains from -24 to 24 dB, got '24.5'"),
      ("nan", "gains from -24 to 24 dB, got 'nan'"),
      ("", "14 gains for both channels, or 28, left and then right, got 0"),
      ("1,2,3", "14 gains for both channels, or 28, left and then right, got 3"),
    ] {
      let refusal = #expect(throws: AudioError.self) { try EqualizerSettings.gains(of: text) }
      #expect(refusal?.message == "expected \(got)")
    }
  }

  @Test func aGainMovesWithinARangeAndIsNotPulledBack() {
    let bands = [
      EqualizerBand(frequency: 100, gain: 15, q: 1), EqualizerBand(.highPass, frequency: 30, gain: 0, q: 0.7),
    ]
    var settings = EqualizerSettings(left: bands, right: [bands[0]], preamp: -3)
    settings.moveGain(ofBand: 0, by: 1, within: -12...12)
    #expect(settings.left[0].gain == 15 && settings.right[0].gain == 15)
    settings.moveGain(ofBand: 0, by: -1, within: -12...12, on: .left)
    #expect(settings.left[0].gain == 14 && settings.right[0].gain == 15)
    settings.moveGain(ofBand: 0, by: -100, on: .right)
    #expect(settings.left[0].gain == 14 && settings.right[0].gain == -24)
    // A filter without a gain, and a band that there is not.
    let before = settings
    settings.moveGain(ofBand: 1, by: 1)
    settings.moveGain(ofBand: 2, by: 1)
    #expect(settings == before)
    settings.flatten()
    #expect((settings.left + settings.right).allSatisfy { $0.gain == 0 } && settings.preamp == -3)
  }
}

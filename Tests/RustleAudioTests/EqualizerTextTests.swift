import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerTextTests {
  static func band(_ kind: EqualizerBand.Kind, _ frequency: Double, _ gain: Double, _ q: Double) -> EqualizerBand {
    EqualizerBand(kind, frequency: frequency, gain: gain, q: q)
  }

  static func peak(_ frequency: Double, _ gain: Double, _ q: Double) -> EqualizerBand {
    band(.peaking, frequency, gain, q)
  }

  /// The one band of a line on both channels.
  static func single(_ line: String) throws -> EqualizerBand {
    let settings = try EqualizerText.parse(line)
    #expect(settings.left == settings.right)
    try #require(settings.left.count == 1)
    return settings.left[0]
  }

  static func message(_ text: String) -> String? {
    let error = #expect(throws: AudioError.self) { try EqualizerText.parse(text) }
    #expect(error?.code == .validation)
    return error?.message
  }

  @Test func textsAsAutoEQWritesThem() throws {
    let text = """
      Preamp: -5.73 dB
      Filter 1: ON LSC Fc 105 Hz Gain 5.9 dB Q 0.70
      Filter 2: ON PK Fc 187 Hz Gain -3.4 dB Q 0.53
      Filter 3: ON PK Fc 8765 Hz Gain 2.25 dB Q 2.11
      Filter 4: ON HSC Fc 10000 Hz Gain -1.2 dB Q 0.70

      """
    let bands = [
      Self.band(.lowShelf, 105, 5.9, 0.7), Self.peak(187, -3.4, 0.53), Self.peak(8_765, 2.25, 2.11),
      Self.band(.highShelf, 10_000, -1.2, 0.7),
    ]
    #expect(try EqualizerText.parse(text) == EqualizerSettings(left: bands, right: bands, preamp: -5.73))
  }

  @Test func textsAsPipeWireReadsThem() throws {
    let text = """
      Preamp: -7.1 dB
      Filter 1: ON PK Fc 24 Hz Gain 7.0 dB Q 1.200
      Filter 2: OFF PK Fc 90 Hz Gain 6.5 dB Q 3.000
      Filter 3: ON PK Fc 1500 Hz Gain -2.25 dB Q 2.700
      """
    let bands = [Self.peak(24, 7, 1.2), Self.peak(1_500, -2.25, 2.7)]
    #expect(try EqualizerText.parse(text) == EqualizerSettings(left: bands, right: bands, preamp: -7.1))
  }

  @Test func textsAsEqualizerAPOHasThem() throws {
    let text = """
      \u{FEFF}# Living room, two loudspeakers\r
      \r
      Preamp: -4 dB\r
      Preamp: -2,5 dB\r
      Channel: L\r
      \tFilter  1: ON  PEQ      Fc    63,5 Hz  Gain  -5,0 dB  Q  4,00   # a mode of the room\r
      Filter: ON Modal Fc 41.2 Hz Gain -8 dB Q 9.5 T60 target 300 ms\r
      channel: r\r
      filter 3: on pk fc 71hz gain-3.5db bw oct 0.5\r
      ; the tweeters\r
      Channel: all\r
      Filter 4: ON HP Fc 20 Hz\r
      Filter 5: ON LPQ Fc 18000 Hz Q 0.6\r
      Filter 6: ON None\r
      """
    let both = [Self.band(.highPass, 20, 0, 0.5.squareRoot()), Self.band(.lowPass, 18_000, 0, 0.6)]
    let expected = EqualizerSettings(
      left: [Self.peak(63.5, -5, 4), Self.peak(41.2, -8, 9.5)] + both,
      right: [.peaking(frequency: 71, gain: -3.5, octaves: 0.5)] + both, preamp: -6.5)
    #expect(try EqualizerText.parse(text) == expected)
  }

  @Test func textsAsRoomEQWizardWritesThem() throws {
    let text = """
      Filter Settings file

      Room EQ V5.20
      Dated: 02.03.2024 20:15:00

      Notes: left: behind the sofa

      Equaliser: Generic
      Sofa 3
      Filter  1: ON  PK       Fc   1.250 Hz  Gain  -3,5 dB  Q  5,00
      Filter  2: ON  PK       Fc  12,50 Hz  Gain   1,5 dB  Q  2,000
      Filter  3: ON  None
      """
    let bands = [Self.peak(1_250, -3.5, 5), Self.peak(12.5, 1.5, 2)]
    #expect(try EqualizerText.parse(text) == EqualizerSettings(left: bands, right: bands))
    // The heading ends with the first filter, and hides no other command.
    #expect(
      Self.message(text + "\nSofa 4")
        == "line 13: expected Preamp, Channel or Filter and a colon, got \"Sofa 4\"")
    #expect(
      Self.message("Filter Settings file\nInclude: more.txt")
        == "line 2: expected Preamp, Channel or Filter, got \"Include\"")
  }

  @Test(
    arguments: [
      ("1000", 1_000), ("1.000", 1_000), ("1,000", 1_000), ("1,000.5", 1_000.5), ("1.000,5", 1_000.5),
      ("1 000", 1_000), ("1\u{A0}000,5", 1_000.5), ("12\u{202F}500", 12_500), ("63.5", 63.5), ("63,50", 63.5),
      ("31.2500", 31.25), ("0.125", 0.125), ("1234.567", 1_234.567), ("1e3", 1_000), ("+2.5E+2", 250),
    ] as [(String, Double)])
  func frequenciesAreReadInAllTheirSpellings(text: String, value: Double) throws {
    let line = "Filter: ON PK Fc \(text) Hz Gain 1 dB Q 1"
    guard !text.contains(" ") else {
      // A plain space ends a number.
      #expect(Self.message(line) == "line 1: Fc: expected Hz, got \"000 Hz Gain 1 dB Q 1\"")
      return
    }
    #expect(try Self.single(line) == Self.peak(value, 1, 1))
  }

  @Test func otherNumbersHaveNoThousands() throws {
    #expect(
      try Self.single("Filter: ON PK Fc 100 Hz Gain \u{2212}1,250 dB Q 1.125") == Self.peak(100, -1.25, 1.125))
  }

  @Test func shelvesTakeAQualityASlopeOrNeither() throws {
    for (code, kind) in [("LSC", EqualizerBand.Kind.lowShelf), ("LSQ", .lowShelf), ("HSC", .highShelf)] {
      #expect(try Self.single("Filter: ON \(code) Fc 100 Hz Gain 6 dB Q 0.8") == Self.band(kind, 100, 6, 0.8))
    }
    // The steepest slope, S = 1, has a quality of 1 / sqrt 2 at every gain.
    let steepest = try Self.single("Filter: ON LSC 12 dB Fc 100 Hz Gain 9 dB")
    #expect(steepest.frequency == 100 && abs(steepest.q - 0.5.squareRoot()) < 1e-15)
    // S = 1/2: 1 / Q^2 = A + 1 / A + 2.
    let a = pow(10, 9.0 / 40)
    let half = try Self.single("Filter: ON HSC 6dB Fc 100 Hz Gain 9 dB")
    #expect(abs(half.q - 1 / (a + 1 / a + 2).squareRoot()) < 1e-15)
    // EqualizerAPO's default of S = 0.9, at the middle.
    let usual = try Self.single("Filter: ON LS Fc 100 Hz Gain 9 dB")
    #expect(usual.frequency == 100)
    #expect(abs(1 / (usual.q * usual.q) - ((a + 1 / a) * (1 / 0.9 - 1) + 2)) < 1e-12)
  }

  @Test(arguments: [12.0, 6]) func cornersOfShelvesAreTurnedIntoTheirMiddles(slope: Double) throws {
    let low = try Self.single("Filter: ON LS \(slope) dB Fc 100 Hz Gain -12 dB")
    let high = try Self.single("Filter: ON HS \(slope) dB Fc 100 Hz Gain -12 dB")
    // Half of the gain lies between the corner and the middle, at 40 dB a decade for 12 dB an octave.
    let decades = 6 / (40 * slope / 12)
    #expect(abs(low.frequency - 100 * pow(10, decades)) < 1e-9)
    #expect(abs(high.frequency - 100 / pow(10, decades)) < 1e-9)
    // The same shelf by its quality.
    let again = try Self.single("Filter: ON LS Fc 100 Hz Gain -12 dB Q \(low.q)")
    #expect(abs(again.frequency / low.frequency - 1) < 1e-12)
    #expect(again.q == low.q)
  }

  @Test func passFiltersNeedNeitherGainNorQuality() throws {
    let usual = 0.5.squareRoot()
    #expect(try Self.single("Filter: ON LP Fc 100 Hz") == Self.band(.lowPass, 100, 0, usual))
    #expect(try Self.single("Filter: ON HPQ Fc 100 Hz Q 2") == Self.band(.highPass, 100, 0, 2))
    #expect(
      try Self.single("Filter: ON HP Fc 100 Hz BW Oct 2")
        == Self.band(.highPass, 100, 0, EqualizerBand.q(forBandwidth: 2)))
  }

  @Test(
    arguments: [
      ("", "text: expected a Preamp or a Filter line at least, got none"),
      ("# nothing\n\n; here", "text: expected a Preamp or a Filter line at least, got none"),
      ("Preamp: 0 dB\nInclude: other.txt", "line 2: expected Preamp, Channel or Filter, got \"Include\""),
      ("Convolution: room.wav", "line 1: expected Preamp, Channel or Filter, got \"Convolution\""),
      ("\r\nGraphicEQ: 25 0; 40 -1", "line 2: expected Preamp, Channel or Filter, got \"GraphicEQ\""),
      ("Hello\u{1B}[2J", "line 1: expected Preamp, Channel or Filter and a colon, got \"Hello\\u{1B}[2J\""),
      ("Filter one: ON None", "line 1: expected Preamp, Channel or Filter, got \"Filter one\""),
      (
        "Filter 1: ON NO Fc 50 Hz",
        "line 1: Filter: expected PK, LSC, HSC, LP, HP or one of their kin, got NO (a notch)"
      ),
      (
        "Filter 1: ON AP Fc 50 Hz Q 1",
        "line 1: Filter: expected PK, LSC, HSC, LP, HP or one of their kin, got AP (an all-pass)"
      ),
      (
        "Filter 1: ON BP Fc 5 Hz",
        "line 1: Filter: expected PK, LSC, HSC, LP, HP or one of their kin, got BP (a band-pass)"
      ),
      ("Filter 1: MAYBE PK", "line 1: Filter: expected ON or OFF, got \"MAYBE\""),
      ("Filter 1:", "line 1: Filter: expected ON or OFF, got nothing"),
      ("Filter 1: ON", "line 1: Filter: expected a kind, got nothing"),
      ("Filter 1: ON PK Gain 1 dB Q 1", "line 1: Filter: expected Fc and a frequency in Hz, got none"),
      ("Filter 1: ON PK Fc 50 Hz Q 1", "line 1: Filter: expected Gain and a number of dB, got none"),
      ("Filter 1: ON PK Fc 50 Hz Gain 1 dB", "line 1: Filter: expected Q or BW Oct and a number, got none"),
      ("Filter 1: ON PK Fc 50 kHz Gain 1 dB Q 1", "line 1: Fc: expected Hz, got \"kHz Gain 1 dB Q 1\""),
      ("Filter 1: ON PK Fc nan Hz Gain 1 dB Q 1", "line 1: Fc: expected a number, got \"nan Hz Gain 1 dB Q 1\""),
      ("Filter 1: ON PK Fc 1.2.3 Hz Gain 1 dB Q 1", "line 1: Fc: expected a number, got \"1.2.3\""),
      ("Filter 1: ON PK Fc 1e999 Hz Gain 1 dB Q 1", "line 1: Fc: expected a number, got \"1e999\""),
      ("Filter 1: ON PK Fc -50 Hz Gain 1 dB Q 1", "line 1: Fc: expected above 0 Hz, got -50"),
      ("\n\nFilter 1: ON PK Fc 50 Hz Gain 30 dB Q 1", "line 3: Gain: expected -24 to 24 dB, got 30"),
      (
        "Filter 1: ON PK Fc 50 Hz Gain 1 dB Q 0.05",
        "line 1: Q: expected 0.1822 to 28.85, which is 5 to 0.05 octaves, got 0.05"
      ),
      ("Filter 1: ON PK Fc 50 Hz Gain 1 dB BW Oct 6", "line 1: BW Oct: expected 0.05 to 5, got 6"),
      ("Filter 1: ON PK Fc 50 Hz Gain 1 dB BW 6", "line 1: BW: expected Oct and a width, got \"6\""),
      (
        "Filter 1: ON PK Fc 50 Hz Gain 1 dB Q 1 Q 2",
        "line 1: Filter: expected Fc, Gain and Q or BW Oct, each once, got \"Q\""
      ),
      (
        "Filter 1: ON LSC Fc 50 Hz Gain 1 dB BW Oct 1",
        "line 1: Filter: expected Fc, Gain and Q, each once, got \"BW\""
      ),
      ("Filter 1: ON LSC 13 dB Fc 50 Hz Gain 1 dB", "line 1: slope: expected above 0 and at most 12 dB, got 13"),
      ("Channel: C", "line 1: Channel: expected L, R or all, got \"C\""),
      ("Channel:", "line 1: Channel: expected L, R or all, got nothing"),
      ("Preamp: -6", "line 1: Preamp: expected dB, got nothing"),
      ("Preamp: -6 dB and more", "line 1: expected the end of the line, got \"and more\""),
      ("Preamp: -60 dB\nPreamp: -60 dB", "line 2: Preamp: expected -96 to 24 dB, got -120"),
      (
        "Channel: L\nPreamp: -2 dB",
        "Preamp: expected the same for both channels, got -2 dB on the left and 0 dB on the right"
      ),
    ])
  func whatWouldBeLostIsAnErrorWithItsLine(text: String, expected: String) {
    #expect(Self.message(text) == expected)
  }

  @Test func channelsAreNamedOrNumbered() throws {
    for name in ["L R", "ALL", "1 2", "l 2"] {
      let settings = try EqualizerText.parse("Channel: R\nChannel: \(name)\nFilter: ON LP Fc 9 Hz")
      #expect(settings.left.count == 1 && settings.right.count == 1)
    }
    let left = try EqualizerText.parse("Channel: 1\nFilter: ON LP Fc 9 Hz")
    #expect(left.left.count == 1 && left.right.isEmpty)
  }

  @Test func lengthsAreBounded() throws {
    let line = "Filter: ON LP Fc 9 Hz\n"
    #expect(try EqualizerText.parse(String(repeating: line, count: 64)).right.count == 64)
    #expect(
      Self.message(String(repeating: line, count: 65))
        == "line 65: Filter: expected at most 64 filters a channel, got 65")
    let comment = String(repeating: "#", count: EqualizerText.maximumTextLength)
    #expect(Self.message(comment + "\n" + line) == "text: expected at most 1048576 bytes, got 1048599")
    #expect(try EqualizerText.parse(comment.dropLast(line.count + 1) + "\n" + line).left.count == 1)
  }

  @Test func equalChannelsAreWrittenOnce() {
    let bands = [
      Self.band(.lowShelf, 105, 5.5, 0.7), Self.peak(1_000.125, -3, 1.41), Self.band(.highPass, 20, 0, 0.5),
    ]
    let expected = """
      Preamp: -6.2 dB
      Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.7
      Filter 2: ON PK Fc 1000.1250 Hz Gain -3 dB Q 1.41
      Filter 3: ON HPQ Fc 20 Hz Q 0.5

      """
    #expect(EqualizerText.format(EqualizerSettings(left: bands, right: bands, preamp: -6.2)) == expected)
  }

  @Test func differentChannelsAreWrittenApart() {
    let settings = EqualizerSettings(
      left: [Self.band(.highShelf, 9_000, 2, 0.7)], right: [Self.band(.lowPass, 9_000, 0, 1)])
    let expected = """
      Preamp: 0 dB
      Channel: L
      Filter 1: ON HSC Fc 9000 Hz Gain 2 dB Q 0.7
      Channel: R
      Filter 1: ON LPQ Fc 9000 Hz Q 1

      """
    #expect(EqualizerText.format(settings) == expected)
    #expect(EqualizerText.format(.flat) == "Preamp: 0 dB\n")
  }
}

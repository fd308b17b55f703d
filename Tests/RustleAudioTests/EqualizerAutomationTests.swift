import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct EqualizerAutomationTests {
  private typealias Point = EqualizerAutomation.Point

  private static let settings = EqualizerSettings(
    left: [EqualizerBand(frequency: 1_000, gain: 3), EqualizerBand(.lowPass, frequency: 3_000, gain: 0)],
    right: [EqualizerBand(frequency: 1_000, gain: 3), EqualizerBand(.lowPass, frequency: 3_000, gain: 0)], preamp: -2)

  @Test func gainIsLinearBetweenThePointsAndConstantBeyond() {
    let automation = EqualizerAutomation(points: [
      Point(time: 3, band: 0, gain: -6), Point(time: 1, band: 0, gain: 0),
      Point(time: 2, band: 0, channel: .right, gain: 12),
      Point(time: 5, band: nil, gain: 0), Point(time: 5, band: nil, gain: -20), Point(time: 6, band: nil, gain: -40),
    ])
    let expected: [(Double, Double, Double, Double)] = [
      (0, 0, 0, 0), (1, 0, 0, 0), (1.5, -1.5, 6, 0), (2, -3, 12, 0), (2.5, -4.5, 3, 0), (4.9, -6, -6, 0),
      (5, -6, -6, -20), (5.5, -6, -6, -30), (99, -6, -6, -40),
    ]
    for (time, left, right, preamp) in expected {
      let settings = automation.settings(Self.settings, at: time)
      #expect(abs(settings.left[0].gain - left) < 1e-9 && abs(settings.right[0].gain - right) < 1e-9, "\(time)")
      #expect(abs(settings.preamp - preamp) < 1e-9, "\(time)")
      #expect(settings.left[1] == Self.settings.left[1])
    }
    #expect(EqualizerAutomation(points: []).settings(Self.settings, at: 1) == Self.settings)
  }

  @Test func filesAreRead() throws {
    let json = """
      [{"time_s": 0, "band": 1, "gain_db": 0}, {"time_s": 2.5, "band": "preamp", "gain_db": -6, "channel": "both"},
       {"time_s": 3, "band": 2, "gain_db": 1e0, "channel": "left"}]
      """
    let csv = "time_s,band,gain_db,channel\r\n0,1,0\n\n2.5, preamp ,-6,both\n3,2,1,left\n"
    let expected = [
      Point(time: 0, band: 0, gain: 0), Point(time: 2.5, band: nil, gain: -6),
      Point(time: 3, band: 1, channel: .left, gain: 1),
    ]
    for text in [json, csv] { #expect(try EqualizerAutomation(file: Data(text.utf8)).points == expected) }
    #expect(try EqualizerAutomation(file: Data("time_s,band,gain_db\n".utf8)).points.isEmpty)
  }

  @Test(arguments: [
    ("", "line 1: expected the columns time_s,band,gain_db, got an empty file"),
    ("time,band\n", "line 1: expected the columns time_s,band,gain_db and perhaps channel, got 'time,band'"),
    ("time_s,band,gain_db\n0,1\n", "line 2: expected 3 columns, got 2"),
    ("time_s,band,gain_db\n0,1,0,left\n", "line 2: expected 3 columns, got 4"),
    ("time_s,band,gain_db\n0,0,1\n", "line 2: expected a band from 1 on, or preamp, got '0'"),
    ("time_s,band,gain_db\nx,1,1\n", "line 2: expected a time in seconds, got 'x'"),
    ("time_s,band,gain_db\n0,1,loud\n", "line 2: expected a gain in dB, got 'loud'"),
    ("time_s,band,gain_db,channel\n0,1,1,up\n", "line 2: expected left, right or both, got 'up'"),
    (#"[{"time_s": 0, "band": 0, "gain_db": 0}]"#, "1: band: expected a band from 1 on, or preamp, got '0'"),
    (#"[{"time_s": 0, "gain_db": 0}]"#, "1: band: expected a value, got none"),
  ])
  func faultsOfAFileNameTheirPlace(text: String, message: String) {
    let error = #expect(throws: AudioError.self) { try EqualizerAutomation(file: Data(text.utf8)) }
    #expect(error?.code == .validation && error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
  }

  @Test func pointsHaveToFitTheSettings() {
    func fault(_ point: EqualizerAutomation.Point, channels: Int = 2) -> String? {
      do throws(AudioError) {
        try EqualizerAutomation(points: [point]).check(for: Self.settings, channels: channels)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(fault(Point(time: 0, band: 0, gain: 24)) == nil)
    #expect(fault(Point(time: 0, band: nil, gain: -96)) == nil)
    #expect(fault(Point(time: -1, band: 0, gain: 0)) == "point 1: time: expected seconds, 0 or more, got -1")
    #expect(fault(Point(time: .nan, band: 0, gain: 0)) != nil)
    #expect(fault(Point(time: 0, band: 0, gain: 25)) == "point 1: gain: expected -24 to 24 dB, got 25")
    #expect(fault(Point(time: 0, band: nil, gain: 25)) == "point 1: gain: expected -96 to 24 dB, got 25")
    #expect(fault(Point(time: 0, band: 2, gain: 0)) == "point 1: band: expected 1 to 2, got 3")
    #expect(fault(Point(time: 0, band: 1, gain: 0)) != nil)
    let none = #expect(throws: AudioError.self) {
      try EqualizerAutomation(points: [Point(time: 0, band: 0, gain: 0)]).check(for: EqualizerSettings(), channels: 2)
    }
    #expect(none?.message == "point 1: expected the preamplification, as there are no bands, got band 1")
    #expect(fault(Point(time: 0, band: 0, channel: .right, gain: 0), channels: 1) != nil)
  }
}

import Foundation
import RustlePlot
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct SoundPictureTests {
  static let frequencies = (0...600).map { 10 * pow(2_400, Double($0) / 600) }

  /// Bells on a logarithmic axis: centre, height in dB, width in octaves.
  static func response(_ bells: [(center: Double, gain: Double, octaves: Double)]) -> [Double] {
    frequencies.map { frequency in
      bells.reduce(0) { sum, bell in
        let distance = log2(frequency / bell.center) / bell.octaves
        return sum + bell.gain / (1 + 4 * distance * distance)
      }
    }
  }

  static let left = response([(60, 7, 2), (900, -4, 1), (6_000, 5, 0.7)])
  static let right = response([(60, 4, 2), (2_500, -9, 0.5), (10_000, 3, 1.5)])

  /// A level that rises and falls, with silence in the middle.
  static func level(_ seconds: [Double], around level: Double) -> [Double] {
    seconds.map { time in
      let part = time / (seconds.last ?? 1)
      return part > 0.45 && part < 0.5 ? -.infinity : level + 12 * sin(part * 21) + 4 * sin(part * 190)
    }
  }

  static func image(_ plot: LineChart, named name: String) throws -> PNGImage {
    let folder = try ScratchFolder()
    let file = folder.url.appending(path: "\(name).png")
    try plot.writePNG(to: file.path)
    return try PNGImage(contentsOf: file)
  }

  @Test func aResponseIsDrawnInCharactersAroundZero() {
    let chart = TextChart(columns: 27, glyphs: .ascii)
    let flat = ResponsePicture.lines(
      [("Left", [20, 20_000], [0, 0]), ("Right", [20, 20_000], [0, 0])], in: chart, rows: 7)
    #expect(flat[0] == "   dB" && flat.count == 10)
    #expect(flat[1].hasPrefix("   +6 +") && flat[4] == "    0 +" + String(repeating: "*", count: 20))
    #expect(flat[7].hasPrefix("   -6 +"))
    let two = ResponsePicture.lines(
      [("Left", [20, 20_000], [9, 9]), ("Right", [20, 20_000], [-.infinity, 0])], in: chart, rows: 7)
    #expect(two[1].hasPrefix("  +12 +") && two.joined().contains("LLLL") && two.joined().contains("R"))
  }

  @Test func channelsAreDrawnOverTheRangeOfHearing() throws {
    let plot = ResponsePicture.plot(
      [("Left", Self.frequencies, Self.left), ("Right", Self.frequencies, Self.right)], title: "Living room")
    #expect(plot.x.range == 20...20_000)
    #expect(plot.y.range == -12...12)
    #expect(plot.y.ticks.map(\.value) == [-12, -9, -6, -3, 0, 3, 6, 9, 12])
    #expect(plot.y.label(6) == "+6" && plot.y.label(-6) == "\u{2212}6" && plot.y.label(0) == "0")
    #expect(plot.series.map(\.name) == ["Left", "Right"])
    #expect(plot.series[1].samples.map(\.y) == Self.right)
    #expect(plot.baseline == 0)
    let image = try Self.image(plot, named: "response")
    // Blue and amber.
    #expect(image.count(x: 100..<1_160, y: 90..<540) { Int($0 & 0xFF) - Int($0 >> 16) > 80 } > 1_000)
    #expect(image.count(x: 100..<1_160, y: 90..<540) { Int($0 >> 16) - Int($0 & 0xFF) > 120 } > 1_000)
  }

  @Test func equalChannelsAreOneCurve() {
    let plot = ResponsePicture.plot(
      [("Left", Self.frequencies, Self.left), ("Right", Self.frequencies, Self.left)], title: "t")
    #expect(plot.series.map(\.name) == ["Left, Right"])
  }

  @Test func flatAndMissingResponsesHaveARangeToo() {
    let flat = ResponsePicture.plot([("Left", Self.frequencies, Self.frequencies.map { _ in 0 })], title: "t")
    #expect(flat.y.range == -6...6)
    #expect(ResponsePicture.plot([], title: "t").y.range == -6...6)
    #expect(ResponsePicture.plot([("Left", [], [])], title: "t").series[0].samples.isEmpty)
    // What lies outside of the axis makes it no longer.
    let outside = ResponsePicture.plot([("Left", [10, 100, 24_000], [-50, 0, 50])], title: "t")
    #expect(outside.y.range == -6...6)
  }

  @Test func responsesThatFallWithoutEndAreCutOff() throws {
    let decibels = Self.frequencies.map { $0 < 1_000 ? 0 : -40 * log2($0 / 1_000) } + [-.infinity]
    let plot = ResponsePicture.plot([("Left", Self.frequencies + [20_000], decibels)], title: "t")
    #expect(plot.y.range == -66...6)
    #expect(plot.series[0].samples.allSatisfy { $0.y.isFinite })
    #expect(plot.series[0].samples.last?.y ?? 0 < -66)
  }

  @Test func levelsAreDrawnOverTheirTime() throws {
    let seconds = (0...480).map { Double($0) / 8 }
    let plot = LevelPicture.plot(
      [("LAF", seconds, Self.level(seconds, around: -30)), ("LCpeak", seconds, Self.level(seconds, around: -12))],
      title: "take1.wav", unit: "dBFS")
    #expect(plot.x.range == 0...60)
    #expect(plot.x.title == "Time (s)")
    #expect(plot.y.title == "Level (dBFS)")
    #expect(plot.y.range == -50...10)
    #expect(plot.series.map(\.name) == ["LAF", "LCpeak"])
    #expect(plot.series.allSatisfy { !$0.isFilled && $0.samples.count == 481 })
    // Silence lies below the axis, and is no gap.
    #expect(plot.series[0].samples.contains { $0.y < -50 })
    let image = try Self.image(plot, named: "level")
    #expect(image.count(x: 100..<1_160, y: 90..<540) { Int($0 & 0xFF) - Int($0 >> 16) > 80 } > 1_000)
  }

  @Test func longTimesAreLabelledAsOnAClock() {
    let seconds = (0...600).map { Double($0) * 9 }
    let plot = LevelPicture.plot([("LAS", seconds, Self.level(seconds, around: 55))], title: "t", unit: "dB(A)")
    #expect(plot.x.title == "Time (h:min:s)")
    #expect(plot.x.ticks.map { plot.x.label($0.value) }.prefix(3) == ["0:00:00", "0:10:00", "0:20:00"])
    #expect(plot.series[0].isFilled)
  }

  @Test func silenceAndNothingHaveARangeToo() {
    let silence = LevelPicture.plot([("L", [0, 1], [-.infinity, -.infinity])], title: "t", unit: "dB")
    #expect(silence.y.range == -90...0)
    #expect(silence.series[0].samples.count == 2)
    let nothing = LevelPicture.plot([], title: "t", unit: "dB")
    #expect(nothing.x.range == 0...1)
    let one = LevelPicture.plot([("L", [3], [-20.5])], title: "t", unit: "dB")
    #expect(one.x.range == 3...4)
    #expect(one.y.range == -30 ... -10)
    let gap = LevelPicture.plot([("L", [0, 1, 2], [-20, .nan, -20])], title: "t", unit: "dB")
    #expect(gap.series[0].samples.map(\.x) == [0, 2])
  }

  @Test func picturesAreWrittenAsFiles() throws {
    let folder = try ScratchFolder()
    let response = folder.url.appending(path: "response.png")
    try ResponsePicture.write([("Left", Self.frequencies, Self.left)], title: "t", subtitle: "s", to: response.path)
    #expect(try PNGImage(contentsOf: response).width == 1_200)
    let level = folder.url.appending(path: "level.png")
    try LevelPicture.write([("L", [0, 1], [-20, -30])], title: "t", subtitle: "s", unit: "dB", to: level.path)
    #expect(try PNGImage(contentsOf: level).height == 600)
    #expect(throws: PlotError.self) {
      try LevelPicture.write([], title: "t", unit: "dB", to: folder.url.appending(path: "no/level.png").path)
    }
  }
}

import Foundation
import RustleAudio
import RustlePlot

/// The frequency response of an equalizer as characters over a logarithmic axis. A pure function of its arguments.
struct ResponseView {
  /// The rows of the picture, an odd number: 0 dB has a row of its own when the range is even.
  private static let height = 13
  /// The least and the greatest span on each side of 0 dB, in dB.
  private static let spans = 6.0...96.0

  let response: EqualizerResponse
  let settings: EqualizerSettings
  let sampleRate: Double
  let profile: TerminalProfile

  private var glyphs: Glyphs { profile.glyphs }
  private var isSame: Bool { response.left == response.right }

  /// The lines, each with a line feed.
  func text() -> String {
    // The least multiple of 6 dB that contains the curves.
    let highest = (response.left + response.right).filter(\.isFinite).map(abs).max() ?? 0
    let span = min(max((highest / 6).rounded(.up) * 6, Self.spans.lowerBound), Self.spans.upperBound)
    var plot = LineChart(title: "", x: .frequency(ResponsePicture.frequencies), y: .gain(-span...span))
    plot.baseline = 0
    plot.series = (isSame ? [response.left] : [response.left, response.right]).map { gains in
      LineChart.Series(samples: zip(response.frequencies, gains).map { .init(x: $0, y: $1) })
    }
    let labels = stride(from: 0, to: Self.height, by: 3).map { row in
      (row, label(span * (1 - 2 * Double(row) / Double(Self.height - 1))))
    }
    let picture = profile.chart.curves(
      of: plot, rows: Self.height, marks: isSame ? ["*"] : ["L", "R"], shared: "B",
      labels: Dictionary(uniqueKeysWithValues: labels), units: ("Hz", "dB")
    ) { profile.paint($0, .cyan) }
    return (picture + summary).map { $0 + "\n" }.joined()
  }

  private func label(_ gain: Double) -> String {
    let text = Numbers.plain((abs(gain) * 10).rounded() / 10, digits: 12)
    return (gain > 0 ? "+" : gain < 0 ? String(glyphs.minus) : "") + text
  }

  private var summary: [String] {
    func channel(_ bands: [EqualizerBand], _ gains: [Double]) -> String {
      let count = bands.count == 1 ? "1 band" : "\(bands.count) bands"
      guard let index = gains.indices.max(by: { gains[$0] < gains[$1] }) else { return "\(count), nothing" }
      let frequency = String(format: "%.4g", response.frequencies[index])
      return "\(count), at most \(Numbers.signed(gains[index], glyphs)) dB, at \(frequency) Hz"
    }
    let head = "\(Numbers.plain(sampleRate, digits: 12)) Hz, preamp \(Numbers.signed(settings.preamp, glyphs)) dB"
    let left = channel(settings.left, response.left)
    if isSame { return [head, "* left and right: \(left)"] }
    return [head, "L left: \(left)", "R right: \(channel(settings.right, response.right)); B is both"]
  }
}

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

  /// The lines, each with a line feed.
  func text() -> String {
    let glyphs = profile.glyphs
    let chart = profile.chart
    let columns = chart.columns
    let xAxis = PlotAxis.frequency(ResponsePicture.frequencies, maximumLabels: max(4, columns / 5))
    let span = span
    let isSame = response.left == response.right
    let left = rows(of: response.left, axis: xAxis, columns: columns, span: span)
    let right = isSame ? left : rows(of: response.right, axis: xAxis, columns: columns, span: span)
    var lines = [chart.unit("dB")]
    for row in 0..<Self.height {
      let gain = span * (1 - 2 * Double(row) / Double(Self.height - 1))
      let isZero = row == (Self.height - 1) / 2
      let cells = (0..<columns).map { column -> Character in
        switch (left[column].contains(row), right[column].contains(row)) {
        case (true, true): isSame ? "*" : "B"
        case (true, false): "L"
        case (false, true): "R"
        case (false, false): isZero ? glyphs.horizontal : " "
        }
      }
      let label = row.isMultiple(of: 3) ? Self.label(gain, glyphs: glyphs) : nil
      lines.append(chart.margin(label) + profile.paint(String(cells).withoutSpacesAtEnd, .cyan))
    }
    lines += chart.axis(xAxis, unit: "Hz").map { profile.paint($0, .dim) }
    lines += summary(isSame: isSame, glyphs: glyphs)
    return lines.map { $0 + "\n" }.joined()
  }

  /// The least multiple of 6 dB that contains the curve.
  private var span: Double {
    let highest = (response.left + response.right).filter(\.isFinite).map(abs).max() ?? 0
    return min(max((highest / 6).rounded(.up) * 6, Self.spans.lowerBound), Self.spans.upperBound)
  }

  private static func label(_ gain: Double, glyphs: Glyphs) -> String {
    let text = Numbers.plain((abs(gain) * 10).rounded() / 10, digits: 12)
    return (gain > 0 ? "+" : gain < 0 ? String(glyphs.minus) : "") + text
  }

  /// The rows of a curve in each column, without gaps where it is steep; none where it is outside the picture.
  private func rows(of curve: [Double], axis: PlotAxis, columns: Int, span: Double) -> [Set<Int>] {
    let heights = (0..<columns).map { column -> Double? in
      gain(of: curve, at: axis.value(at: (Double(column) + 0.5) / Double(columns))).map {
        (1 - $0 / span) / 2 * Double(Self.height - 1)
      }
    }
    var rows: [Set<Int>] = []
    var previous: Int?
    for height in heights {
      guard let height else {
        rows.append([])
        previous = nil
        continue
      }
      let row = Int(min(max(height, -1), Double(Self.height)).rounded())
      let from = previous.map { $0 < row ? $0 + 1 : $0 > row ? $0 - 1 : row } ?? row
      rows.append(Set(min(from, row)...max(from, row)).intersection(0..<Self.height))
      previous = row
    }
    return rows
  }

  /// The linearly interpolated gain at a frequency; nil beyond the last point.
  private func gain(of curve: [Double], at frequency: Double) -> Double? {
    let frequencies = response.frequencies
    guard let next = frequencies.firstIndex(where: { $0 >= frequency }) else { return nil }
    guard next > 0, curve[next].isFinite, curve[next - 1].isFinite else { return curve[next] }
    let part = (frequency - frequencies[next - 1]) / (frequencies[next] - frequencies[next - 1])
    return curve[next - 1] + part * (curve[next] - curve[next - 1])
  }

  private func summary(isSame: Bool, glyphs: Glyphs) -> [String] {
    func peak(_ curve: [Double]) -> String {
      guard let index = curve.indices.max(by: { curve[$0] < curve[$1] }) else { return "nothing" }
      let frequency = String(format: "%.4g", response.frequencies[index])
      return "at most \(Numbers.signed(curve[index], glyphs)) dB, at \(frequency) Hz"
    }
    let preamp = Numbers.signed(settings.preamp, glyphs)
    let rate = Numbers.plain(sampleRate, digits: 12)
    let head = "\(rate) Hz, preamp \(preamp) dB"
    func count(_ bands: [EqualizerBand]) -> String { bands.count == 1 ? "1 band" : "\(bands.count) bands" }
    if isSame { return [head, "* left and right: \(count(settings.left)), \(peak(response.left))"] }
    return [
      head, "L left: \(count(settings.left)), \(peak(response.left))",
      "R right: \(count(settings.right)), \(peak(response.right)); B is both",
    ]
  }
}

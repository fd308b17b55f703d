/// A picture of gains over frequency, such as those of an equalizer. A pure function of its arguments.
public enum ResponsePicture {
  /// One channel: its name, frequencies in Hz that never fall, and as many gains in dB. Minus infinity lets nothing through.
  public typealias Curve = (name: String, frequencies: [Double], decibels: [Double])

  /// The frequencies of the axis, in Hz: from the lowest to the highest tone of hearing.
  public static let frequencyRange = 20.0...20_000
  /// The most decibels from the upper edge to the lower one: a filter that lets nothing through has no lower end.
  private static let maximumDecibels = 72.0

  /// Draws into a PNG file.
  ///
  /// - Parameters:
  ///   - curves: the channels.
  ///   - title: above the plot.
  ///   - subtitle: below the title, smaller.
  ///   - path: the file, which is replaced if it is there.
  /// - Throws: ``PlotError`` when the file cannot be written.
  public static func write(_ curves: [Curve], title: String, subtitle: String = "", to path: String) throws(PlotError) {
    try plot(curves, title: title, subtitle: subtitle).writePNG(to: path)
  }

  /// The plot. Channels with the same curve are drawn once, under both names.
  ///
  /// - Parameters: as of ``write(_:title:subtitle:to:)``.
  public static func plot(_ curves: [Curve], title: String, subtitle: String = "") -> LineChart {
    let range = gainRange(curves)
    var plot = LineChart(title: title, subtitle: subtitle, x: .frequency(frequencyRange), y: .gain(range))
    plot.baseline = 0
    plot.series = merged(curves).map { curve in
      let samples = zip(curve.frequencies, curve.decibels).compactMap { frequency, gain -> LineChart.Series.Sample? in
        // A gain of zero is drawn below the lower edge: leaving it out would join its neighbours.
        gain.isNaN ? nil : .init(x: frequency, y: max(gain, range.lowerBound - maximumDecibels))
      }
      return LineChart.Series(samples: samples, name: curve.name)
    }
    return plot
  }

  /// The most decibels on each side of 0 dB in characters, where a filter that lets nothing through has no lower end either.
  private static let maximumSpan = 96.0

  /// The curves in characters, 0 dB in the middle: a line with the unit, `rows` lines, and two below.
  ///
  /// - Parameters:
  ///   - curves: as of ``write(_:title:subtitle:to:)``.
  ///   - chart: the frame.
  ///   - rows: an odd number, 3 or more: 0 dB has a row of its own.
  ///   - marks: the character of each curve; a single curve, or the same one of all channels, has `*`.
  ///   - shared: the character where several curves meet.
  ///   - paint: adds the escape sequences of a terminal's colour to the curves.
  public static func lines(
    _ curves: [Curve], in chart: TextChart, rows: Int = 13, marks: [Character] = ["L", "R"], shared: Character = "B",
    paint: (String) -> String = { $0 }
  ) -> [String] {
    let curves = merged(curves)
    // The least multiple of 6 dB that contains the curves.
    let highest = curves.flatMap(\.decibels).filter(\.isFinite).map(abs).max() ?? 0
    let span = min(max((highest / 6).rounded(.up) * 6, 6), maximumSpan)
    var plot = LineChart(title: "", x: .frequency(frequencyRange), y: .gain(-span...span))
    plot.baseline = 0
    plot.series = curves.map { curve in
      LineChart.Series(samples: zip(curve.frequencies, curve.decibels).map { .init(x: $0, y: $1) })
    }
    var labels: [Int: String] = [:]
    for row in stride(from: 0, to: rows, by: 3) {
      let gain = span * (1 - 2 * Double(row) / Double(rows - 1))
      let sign = gain > 0 ? "+" : gain < 0 ? String(chart.glyphs.minus) : ""
      labels[row] = sign + UnitLabel.number((abs(gain) * 10).rounded() / 10)
    }
    return chart.curves(
      of: plot, rows: rows, marks: curves.count == 1 ? ["*"] : marks, shared: shared, labels: labels,
      units: ("Hz", "dB"), paint: paint)
  }

  /// From a multiple of 6 dB below the curves to one above, 0 dB inside.
  private static func gainRange(_ curves: [Curve]) -> ClosedRange<Double> {
    let gains = curves.flatMap { curve in
      zip(curve.frequencies, curve.decibels).filter { frequencyRange.contains($0.0) && $0.1.isFinite }.map(\.1)
    }
    let top = (((gains.max() ?? 0) + 1) / 6).rounded(.up) * 6
    let bottom = (((gains.min() ?? 0) - 1) / 6).rounded(.down) * 6
    let upper = max(top, 6)
    return max(min(bottom, -6), upper - maximumDecibels)...upper
  }

  private static func merged(_ curves: [Curve]) -> [Curve] {
    var all: [Curve] = []
    for curve in curves {
      if let same = all.firstIndex(where: { $0.frequencies == curve.frequencies && $0.decibels == curve.decibels }) {
        all[same].name += ", " + curve.name
      } else {
        all.append(curve)
      }
    }
    return all
  }
}

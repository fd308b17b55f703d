/// A picture of levels over time, such as those of a sound level meter. A pure function of its arguments.
public enum LevelPicture {
  /// One level: its name, times in seconds that never fall, and as many levels in dB. Minus infinity is silence, and what is no
  /// number is left out.
  public typealias Curve = (name: String, seconds: [Double], decibels: [Double])

  /// The most decibels from the upper edge to the lower one: silence has no lower end.
  private static let maximumDecibels = 90.0

  /// Draws into a PNG file.
  ///
  /// - Parameters:
  ///   - curves: the levels.
  ///   - title: above the plot.
  ///   - subtitle: below the title, smaller.
  ///   - unit: that of all of them, for example `dB(A)` or `LUFS`.
  ///   - path: the file, which is replaced if it is there.
  /// - Throws: ``PlotError`` when the file cannot be written.
  public static func write(
    _ curves: [Curve], title: String, subtitle: String = "", unit: String, to path: String
  ) throws(PlotError) {
    try plot(curves, title: title, subtitle: subtitle, unit: unit).writePNG(to: path)
  }

  /// The plot. A single curve is filled. The axis of levels is from a multiple of ten below the curves to one above, 20 to
  /// 90 dB.
  ///
  /// - Parameters: as of ``write(_:title:subtitle:unit:to:)``.
  public static func plot(_ curves: [Curve], title: String, subtitle: String = "", unit: String) -> LineChart {
    let range = levelRange(curves)
    let level = PlotAxis(title: "Level (\(unit))", scale: .linear, range: range, maximumLabelCount: 10)
    var plot = LineChart(title: title, subtitle: subtitle, x: .time(timeRange(curves)), y: level)
    plot.series = curves.map { curve in
      let samples = zip(curve.seconds, curve.decibels).compactMap { time, level -> LineChart.Series.Sample? in
        // Silence is drawn below the lower edge: leaving it out would join its neighbours.
        level.isNaN ? nil : .init(x: time, y: max(level, range.lowerBound - maximumDecibels))
      }
      return LineChart.Series(samples: samples, isFilled: curves.count == 1, name: curve.name)
    }
    return plot
  }

  /// From the first time to the last; a second if both are the same.
  private static func timeRange(_ curves: [Curve]) -> ClosedRange<Double> {
    let times = curves.flatMap { curve in curve.seconds.filter(\.isFinite) }
    guard let first = times.min(), let last = times.max() else { return 0...1 }
    return first...(last > first ? last : first + 1)
  }

  /// From a multiple of ten below all levels to one above, 20 to 90 dB.
  private static func levelRange(_ curves: [Curve]) -> ClosedRange<Double> {
    let levels = curves.flatMap { curve in curve.decibels.filter(\.isFinite) }
    guard let highest = levels.max(), let lowest = levels.min() else { return -maximumDecibels...0 }
    let top = ((highest + 1) / 10).rounded(.up) * 10
    let bottom = ((lowest - 1) / 10).rounded(.down) * 10
    return max(min(bottom, top - 20), top - maximumDecibels)...top
  }
}

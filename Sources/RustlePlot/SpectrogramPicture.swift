/// A picture of a spectrogram. A pure function of its arguments.
public enum SpectrogramPicture {
  /// The map, with time from 0 s.
  ///
  /// - Parameters:
  ///   - levels: in dBFS, column after column, each from 0 Hz up. Minus infinity is silence.
  ///   - bins: the levels of a column, 1 or more.
  ///   - binWidth: the distance of bins in Hz.
  ///   - hop: seconds between the middles of successive analysis frames; that of the first is at 0 s.
  ///   - framesPerColumn: analysis frames in a column, 1 or more.
  ///   - seconds: the end of the time axis.
  ///   - scale: of the frequency axis.
  ///   - lowest: the lowest frequency of a logarithmic axis in Hz, or the first bin where that is higher; a linear one begins at 0.
  ///   - highest: the highest frequency in Hz.
  ///   - decibels: from the darkest colour to the lightest.
  ///   - title: above the map.
  ///   - subtitle: below the title, smaller.
  public static func plot(
    _ levels: [Float], bins: Int, binWidth: Double, hop: Double, framesPerColumn: Int = 1, seconds: Double,
    scale: AxisScale = .linear, lowest: Double = 20, highest: Double, decibels: Double = 90, title: String,
    subtitle: String = ""
  ) -> HeatMap {
    let columns = levels.count / bins
    let grid = HeatGrid(
      columns: columns, rows: bins, x: -hop / 2...(Double(columns * framesPerColumn) - 0.5) * hop,
      y: -binWidth / 2...(Double(bins) - 0.5) * binWidth, values: levels)
    let bottom = scale == .linear ? 0 : min(max(lowest, binWidth), highest / 2)
    let frequency = PlotAxis(
      title: "Frequency (Hz)", scale: scale, range: bottom...highest, maximumLabels: 10, label: UnitLabel.hertz)
    let time = PlotAxis(title: "Time (s)", scale: .linear, range: 0...seconds, maximumLabels: 12)
    let loudest = levels.lazy.filter(\.isFinite).max().map(Double.init) ?? -.infinity
    return HeatMap(
      title: title, subtitle: subtitle, x: time, y: frequency, values: .level(upTo: loudest, decibels: decibels),
      grid: grid)
  }
}

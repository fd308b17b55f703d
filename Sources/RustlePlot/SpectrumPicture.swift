/// A picture of a spectrum over a logarithmic frequency axis. A pure function of its arguments.
public enum SpectrumPicture {
  /// The plot, from 20 Hz, or the first bin where that is higher, to the last bin, and 90 dB high.
  ///
  /// - Parameters:
  ///   - frequencies: in Hz, rising from 0.
  ///   - decibels: as many levels in dBFS. Minus infinity is silence.
  ///   - peaks: the frequencies and levels to mark, the most important first.
  ///   - title: above the plot.
  ///   - subtitle: below the title, smaller.
  public static func plot(
    frequencies: [Double], decibels: [Double], peaks: [(frequency: Double, decibels: Double)] = [], title: String,
    subtitle: String = ""
  ) -> LineChart {
    let top = max(frequencies.last ?? 0, 2)
    let bottom = min(max(20, frequencies.count > 1 ? frequencies[1] : 20), top / 2)
    let level = PlotAxis.level(upTo: decibels.filter(\.isFinite).max() ?? -.infinity, decibels: 90)
    var plot = LineChart(title: title, subtitle: subtitle, x: .frequency(bottom...top), y: level)
    let samples = zip(frequencies, decibels).map { frequency, decibels in
      // Silence is drawn below the lower edge: leaving it out would join its neighbours.
      LineChart.Series.Sample(x: frequency, y: decibels.isFinite ? decibels : level.range.lowerBound - 10)
    }
    plot.series = [LineChart.Series(samples: samples, isFilled: true)]
    plot.markers = peaks.map { peak in
      LineChart.Marker(
        x: peak.frequency, y: peak.decibels,
        label: "\(UnitLabel.frequency(peak.frequency))  \(UnitLabel.decibels(peak.decibels))")
    }
    return plot
  }
}

extension LineChart.Series {
  /// The highest sample in each of `count` columns of equal width along an axis. Where samples are further apart than columns,
  /// values between them are interpolated linearly; minus infinity beyond the last sample.
  ///
  /// - Parameters:
  ///   - count: 1 or more.
  ///   - axis: the horizontal axis.
  public func columns(_ count: Int, along axis: PlotAxis) -> [Double] {
    var next = 0
    return (0..<count).map { column in
      let low = axis.value(at: Double(column) / Double(count))
      let high = axis.value(at: Double(column + 1) / Double(count))
      while next < samples.count && samples[next].x < low { next += 1 }
      let isInside = { [samples] (index: Int) in samples[index].x < high || index == samples.count - 1 }
      if let highest = samples[next...].indices.prefix(while: isInside).map({ samples[$0].y }).max() { return highest }
      guard next > 0, next < samples.count else { return -.infinity }
      let (below, above) = (samples[next - 1].y, samples[next].y)
      return below.isFinite && above.isFinite ? interpolated(at: (low + high) / 2, before: next) : max(below, above)
    }
  }
}

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
      title: "Frequency (Hz)", scale: scale, range: bottom...highest, maximumLabelCount: 10, label: UnitLabel.hertz)
    let time = PlotAxis(title: "Time (s)", scale: .linear, range: 0...seconds, maximumLabelCount: 12)
    let loudest = levels.lazy.filter(\.isFinite).max().map(Double.init) ?? -.infinity
    return HeatMap(
      title: title, subtitle: subtitle, x: time, y: frequency, values: .level(upTo: loudest, decibels: decibels),
      grid: grid)
  }
}

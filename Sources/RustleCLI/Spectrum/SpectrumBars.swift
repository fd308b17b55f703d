import RustleAudio
import RustlePlot

/// A spectrum in block characters over a logarithmic frequency axis. A pure function of its arguments.
struct SpectrumBars {
  /// The rows of bars.
  static let height = 12

  /// Hertz, rising, as many as levels.
  let frequencies: [Double]
  /// Levels in dBFS; minus infinity is silence.
  let decibels: [Double]

  /// From 20 Hz, or the first bin where that is higher, to half the sample rate.
  var frequencyRange: ClosedRange<Double> {
    let top = max(frequencies.last ?? 0, 2)
    let bottom = max(20, frequencies.count > 1 ? frequencies[1] : 20)
    return min(bottom, top / 2)...top
  }

  /// 90 dB down from the next multiple of ten above the highest level. A spectrum below -120 dBFS, less than 24 bits can
  /// hold, is drawn as silence relative to full scale.
  var levelRange: ClosedRange<Double> {
    let highest = decibels.filter(\.isFinite).max() ?? -.infinity
    let top = highest > -120 ? (highest / 10).rounded(.up) * 10 : 0
    return top - 90...top
  }

  func lines(_ profile: TerminalProfile) -> [String] {
    let chart = profile.chart
    let x = PlotAxis.frequency(frequencyRange, maximumLabels: max(4, chart.columns / 5))
    let y = PlotAxis.level(levelRange, maximumLabels: Self.height / 2)
    let levels = Self.columns(chart.columns, frequencies: frequencies, decibels: decibels, axis: x)
    // A level stands where a bar of that level ends.
    let labels = chart.labels(y, rows: Self.height) { Self.height - Int(($0 * Double(Self.height)).rounded()) }
    let rows = (0..<Self.height).map { row in
      let bars = String(levels.map { chart.bar(y.fraction(of: $0), row: row, of: Self.height) })
      return chart.margin(labels[row]) + profile.paint(bars.withoutSpacesAtEnd, .cyan)
    }
    return [chart.unit("dBFS")] + rows + chart.axis(x, unit: "Hz").map { profile.paint($0, .dim) }
  }

  /// The highest level in each column's range of frequencies. Where bins are wider than columns, levels between bins are
  /// interpolated linearly.
  static func columns(_ count: Int, frequencies: [Double], decibels: [Double], axis: PlotAxis) -> [Double] {
    var bin = 0
    return (0..<count).map { column in
      let low = axis.value(at: Double(column) / Double(count))
      let high = axis.value(at: Double(column + 1) / Double(count))
      while bin < frequencies.count && frequencies[bin] < low { bin += 1 }
      var highest: Double?
      var next = bin
      while next < frequencies.count && frequencies[next] < high || next == frequencies.count - 1 {
        highest = max(highest ?? -.infinity, decibels[next])
        next += 1
      }
      if let highest { return highest }
      guard bin > 0, bin < frequencies.count else { return -.infinity }
      let fraction = ((low + high) / 2 - frequencies[bin - 1]) / (frequencies[bin] - frequencies[bin - 1])
      let (below, above) = (decibels[bin - 1], decibels[bin])
      guard below.isFinite, above.isFinite else { return max(below, above) }
      return below + min(max(fraction, 0), 1) * (above - below)
    }
  }
}

extension SpectrumBars {
  init(_ result: SpectrumResult) {
    self.init(frequencies: result.spectrum.frequencies, decibels: result.spectrum.decibels.map(Double.init))
  }
}

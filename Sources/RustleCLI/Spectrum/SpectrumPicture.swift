import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// Draws a result as a PNG file.
enum SpectrumPicture {
  static func write(_ result: SpectrumResult, to path: String) throws(PlotError) {
    try plot(result).writePNG(to: path)
  }

  /// The plot: the spectrum over a logarithmic axis, its peaks marked.
  static func plot(_ result: SpectrumResult) -> LinePlot {
    let spectrum = result.spectrum
    let levels = spectrum.decibels.map(Double.init)
    let frequencies = spectrum.frequencies
    let range = SpectrumBars.levelRange(levels)
    var plot = LinePlot(
      title: URL(filePath: result.name).lastPathComponent,
      subtitle: SpectrumReport.fileLine(result) + "; " + SpectrumReport.analysisLine(result),
      x: .frequency(SpectrumBars.frequencyRange(frequencies)), y: .level(range))
    let samples = zip(frequencies, levels).map { frequency, level in
      // Silence is drawn along the lower edge rather than left out, which would join its neighbours.
      LinePlot.Series.Sample(x: frequency, y: level.isFinite ? level : range.lowerBound - 10)
    }
    plot.series = [LinePlot.Series(samples: samples, isFilled: true)]
    plot.markers = result.peaks.map { peak in
      LinePlot.Marker(
        x: peak.frequency, y: peak.decibels,
        label: "\(UnitLabel.frequency(peak.frequency))  \(UnitLabel.decibels(peak.decibels))")
    }
    return plot
  }
}

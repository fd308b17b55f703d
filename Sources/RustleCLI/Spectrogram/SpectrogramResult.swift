import Foundation
import RustleAudio
import RustlePlot

/// The result of the spectrogram command, and its presentation.
struct SpectrogramResult {
  let subject: SoundSubject
  let seconds: Double
  let stft: STFT
  let columns: SpectrogramColumns
  /// Decibels from the darkest to the lightest colour.
  let range: Double
  /// The highest frequency drawn, in Hz.
  let maximumFrequency: Double
  var scale = AxisScale.linear
  /// The lowest frequency of a logarithmic axis, in Hz.
  var minimumFrequency = 20.0

  /// In seconds and hertz.
  private var hop: Double { Double(stft.hop) / subject.format.sampleRate }
  private var binWidth: Double { subject.format.sampleRate / Double(stft.size) }

  /// The descriptions of the file and of the analysis, each as a line.
  var lines: [String] {
    [
      subject.line + String(format: ", %.2f s", seconds),
      WindowChoice.line(size: stft.size, window: stft.window, frames: columns.frames)
        + String(format: ", one each %.4g ms, %.4g Hz a bin", hop * 1_000, binWidth),
    ]
  }

  var plot: HeatMap {
    SpectrogramPicture.map(
      columns.values, bins: columns.rows, binWidth: binWidth, hop: hop, framesPerColumn: columns.framesEach,
      seconds: seconds, scale: scale, lowest: minimumFrequency, highest: maximumFrequency, decibels: range,
      title: subject.title, subtitle: lines.joined(separator: "; "))
  }

  /// The spectrogram in characters of different shades, each line with a line feed.
  func text(_ profile: TerminalProfile) -> String {
    // The picture has two lines above, one for the unit, and three below.
    let rows = min(24, max(6, profile.rows - 8))
    let picture = profile.chart.shades(
      of: plot, rows: rows, units: ("s", "Hz", "dBFS"), usesColor: profile.usesColor)
    let text = [profile.paint(subject.name, .bold)] + lines + picture
    return text.map { $0 + "\n" }.joined()
  }
}

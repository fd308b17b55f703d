import Foundation
import RustleAudio
import RustlePlot

/// The result of the spectrogram command, and its presentation.
struct SpectrogramResult {
  let subject: SoundSubject
  /// The seconds of sound read.
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

  /// Seconds from one analysis frame to the next, and hertz from one bin to the next.
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

  /// The picture of a PNG file.
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
    let text = [profile.paint(subject.name, .bold)] + lines + Chart(profile: profile).shades(plot, rows: rows)
    return text.map { $0 + "\n" }.joined()
  }
}

extension Chart {
  /// A spectrogram: rows of shades over a time axis, and the legend of levels. Colours repeat the shades.
  func shades(_ map: HeatMap, rows: Int) -> [String] {
    let time = map.x.with(maximumLabels: max(3, columns / 10))
    let frequency = map.y.with(maximumLabels: max(3, rows / 3))
    let points = map.grid.points(width: columns, height: rows, x: time, y: frequency)
    let labels = labels(frequency, rows: rows) { rows - 1 - min(rows - 1, Int($0 * Double(rows))) }
    let picture = (0..<rows).map { row in
      let values = points[row * columns..<(row + 1) * columns].map { map.values.fraction(of: Double($0)) }
      return margin(labels[row]) + painted(values, map.colors)
    }
    let count = profile.glyphs.shades.count
    let middles = (0..<3 * count).map { (Double($0 / 3) + 0.5) / Double(count) }
    let range = map.values.range
    let ends = [range.lowerBound, range.upperBound].map { profile.glyphs.plain(UnitLabel.number($0)) }
    let legend =
      String(repeating: " ", count: Self.labelWidth) + "\(ends[0]) \(painted(middles, map.colors)) \(ends[1]) dBFS"
    return [unit("Hz")] + picture + axis(time, unit: "s").map { profile.paint($0, .dim) } + [legend]
  }

  /// One row: a shade for each value, without trailing spaces.
  private func painted(_ values: [Double], _ colors: ColorMap) -> String {
    let shades = profile.glyphs.shades
    let cells = values.map { value -> Character in
      // Minus infinity and NaN are blank.
      value > 0 ? shades[min(Int(value * Double(shades.count)), shades.count - 1)] : " "
    }
    let used = (cells.lastIndex { $0 != " " } ?? -1) + 1
    guard profile.usesColor else { return String(cells.prefix(used)) }
    var text = ""
    var current: Int?
    for (cell, value) in zip(cells, values).prefix(used) {
      let color = colors.terminalColor(of: value)
      if cell != " " && color != current {
        text += "\u{1B}[38;5;\(color)m"
        current = color
      }
      text.append(cell)
    }
    return current == nil ? text : text + "\u{1B}[0m"
  }
}

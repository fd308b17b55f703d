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
  let isLogarithmic: Bool
  /// Where a logarithmic axis begins, in Hz.
  var minimumFrequency = 20.0

  private var sampleRate: Double { subject.format.sampleRate }
  /// The width of a bin, in Hz.
  private var bin: Double { sampleRate / Double(stft.size) }

  /// The levels as cells: the middle of the first column's first frame is at 0 s, the middle of the first row at 0 Hz.
  var grid: HeatGrid {
    let step = Double(stft.hop) / sampleRate
    let frames = Double(columns.count * columns.framesEach)
    return HeatGrid(
      columns: columns.count, rows: columns.rows, x: -step / 2...(frames - 0.5) * step,
      y: -bin / 2...(Double(columns.rows) - 0.5) * bin, values: columns.values)
  }

  func time(maximumLabels: Int) -> PlotAxis {
    PlotAxis(title: "Time (s)", scale: .linear, range: 0...seconds, maximumLabels: maximumLabels)
  }

  /// Logarithmic from the minimum, or from the first bin where that is higher; linear from 0 Hz.
  func frequency(maximumLabels: Int) -> PlotAxis {
    if isLogarithmic {
      let bottom = min(max(minimumFrequency, bin), maximumFrequency / 2)
      return .frequency(bottom...maximumFrequency, maximumLabels: maximumLabels)
    }
    return PlotAxis(
      title: "Frequency (Hz)", scale: .linear, range: 0...maximumFrequency, maximumLabels: maximumLabels,
      label: UnitLabel.hertz)
  }

  /// The axis of levels, from the next multiple of ten above the highest level. A recording below -120 dBFS, less than 24
  /// bits can hold, is drawn as silence relative to full scale.
  func levels(maximumLabels: Int) -> PlotAxis {
    let highest = columns.values.lazy.filter(\.isFinite).max() ?? -.infinity
    let top = highest > -120 ? (Double(highest) / 10).rounded(.up) * 10 : 0
    return .level(top - range...top, maximumLabels: maximumLabels)
  }

  /// The descriptions of the file and of the analysis, each as a line.
  var lines: [String] {
    let hop = String(format: "%.4g ms", Double(stft.hop) / sampleRate * 1_000)
    return [
      subject.line + String(format: ", %.2f s", seconds),
      WindowChoice.line(size: stft.size, window: stft.window, frames: columns.frames)
        + ", one each \(hop), \(String(format: "%.4g Hz", bin)) a bin",
    ]
  }

  /// The picture of a PNG file.
  var plot: HeatMap {
    HeatMap(
      title: subject.title, subtitle: lines.joined(separator: "; "), x: time(maximumLabels: 12),
      y: frequency(maximumLabels: 10), values: levels(maximumLabels: 10), grid: grid)
  }
}

// MARK: in a terminal

extension SpectrogramResult {
  /// The most rows of the picture.
  private static let maximumRowCount = 24

  /// The spectrogram in characters of different shades, each line with a line feed. Colours repeat the shades.
  func text(_ profile: TerminalProfile) -> String {
    let chart = profile.chart
    let columns = chart.columns
    // The picture has two lines above, one for the unit, and three below.
    let rows = min(Self.maximumRowCount, max(6, profile.rows - 8))
    let time = time(maximumLabels: max(3, columns / 10))
    let frequency = frequency(maximumLabels: max(3, rows / 3))
    let levels = levels(maximumLabels: 3)
    let points = grid.points(width: columns, height: rows, x: time, y: frequency)
    let labels = chart.labels(frequency, rows: rows) { rows - 1 - min(rows - 1, Int($0 * Double(rows))) }
    var text = [profile.paint(subject.name, .bold)] + lines + [chart.unit("Hz")]
    for row in 0..<rows {
      let shades = points[row * columns..<(row + 1) * columns].map { levels.fraction(of: Double($0)) }
      text.append(chart.margin(labels[row]) + Self.painted(shades, profile))
    }
    // A column to the left of the picture's corner.
    text += chart.axis(time, unit: "s").map { profile.paint(String($0.dropFirst()), .dim) }
    text.append(legend(levels, profile))
    return text.map { $0 + "\n" }.joined()
  }

  /// One row: a shade for each value, without trailing spaces.
  private static func painted(_ values: [Double], _ profile: TerminalProfile) -> String {
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
      let color = cubeColor(ColorMap.dusk.color(of: value))
      if cell != " " && color != current {
        text += "\u{1B}[38;5;\(color)m"
        current = color
      }
      text.append(cell)
    }
    return current == nil ? text : text + "\u{1B}[0m"
  }

  /// The nearest of the 216 colours that terminals of 256 have at 16 ... 231: six steps of each of red, green and blue.
  private static func cubeColor(_ color: UInt32) -> Int {
    let steps = [16, 8, 0].map { shift in Int((Double(color >> UInt32(shift) & 0xFF) / 51).rounded()) }
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }

  /// The shades from the lowest level to the highest.
  private func legend(_ levels: PlotAxis, _ profile: TerminalProfile) -> String {
    let count = profile.glyphs.shades.count
    let middles = (0..<3 * count).map { (Double($0 / 3) + 0.5) / Double(count) }
    let ends = [levels.range.lowerBound, levels.range.upperBound].map { profile.glyphs.plain(UnitLabel.number($0)) }
    return String(repeating: " ", count: TextChart.labelWidth) + "\(ends[0]) " + Self.painted(middles, profile)
      + " \(ends[1]) dBFS"
  }
}

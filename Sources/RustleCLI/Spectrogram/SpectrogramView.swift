import Foundation
import RustlePlot

/// Draws a spectrogram with shades of characters. A pure function of what it is given.
struct SpectrogramView {
  /// The most rows of the picture.
  static let mostRows = 24
  /// Columns for the frequencies and the mark at the left.
  private static let labelWidth = 6

  let result: SpectrogramResult
  let profile: TerminalProfile

  /// The lines, each ended by a line feed. Colours repeat what the shades say.
  func text() -> String {
    let glyphs = Glyphs(for: profile)
    let painter = Painter(isEnabled: profile.usesColor)
    let columns = max(10, profile.columns - Self.labelWidth - 1)
    // Beside the picture there are two lines above, one for the unit, and three below.
    let rows = min(Self.mostRows, max(6, profile.rows - 8))
    let time = result.time(maximumLabels: max(3, columns / 10))
    let frequency = result.frequency(maximumLabels: max(3, rows / 3))
    let levels = result.levels(maximumLabels: 3)
    let points = result.grid.points(width: columns, height: rows, x: time, y: frequency)
    let labels = rowLabels(frequency, rows: rows)
    var lines = [painter(result.name, .bold)] + result.lines
    lines.append(painter("Hz".leftPadded(to: Self.labelWidth - 1), .dim))
    for row in 0..<rows {
      let mark = labels[row] == nil ? glyphs.vertical : glyphs.leftMark
      let label = (labels[row] ?? "").leftPadded(to: Self.labelWidth - 1)
      let shades = points[row * columns..<(row + 1) * columns].map { levels.fraction(of: Double($0)) }
      lines.append(painter("\(label) \(mark)", .dim) + painted(shades, glyphs))
    }
    lines += timeLines(time, columns: columns, glyphs: glyphs).map { painter($0, .dim) }
    lines.append(legend(levels, glyphs))
    return lines.map { $0 + "\n" }.joined()
  }

  /// One row: a shade for each value, spaces at the end left out.
  private func painted(_ values: [Double], _ glyphs: Glyphs) -> String {
    let cells = values.map { Self.shade($0, glyphs) }
    let used = (cells.lastIndex { $0 != " " } ?? -1) + 1
    guard profile.usesColor else { return String(cells.prefix(used)) }
    var text = ""
    var current: Int?
    for (cell, value) in zip(cells, values).prefix(used) {
      let color = Self.cubeColor(ColorMap.dusk.color(of: value))
      if cell != " " && color != current {
        text += "\u{1B}[38;5;\(color)m"
        current = color
      }
      text.append(cell)
    }
    return current == nil ? text : text + "\u{1B}[0m"
  }

  private static func shade(_ value: Double, _ glyphs: Glyphs) -> Character {
    // Minus infinity, which is below everything, and NaN, of which nothing is known.
    guard value > 0 else { return " " }
    return glyphs.shades[min(Int(value * Double(glyphs.shades.count)), glyphs.shades.count - 1)]
  }

  /// The nearest of the 216 colours that terminals of 256 have at 16 ... 231: six steps of each of red, green and blue.
  private static func cubeColor(_ color: UInt32) -> Int {
    let steps = [16, 8, 0].map { shift in Int((Double(color >> UInt32(shift) & 0xFF) / 51).rounded()) }
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }

  private func rowLabels(_ axis: Axis, rows: Int) -> [Int: String] {
    var labels: [Int: String] = [:]
    for tick in axis.ticks where tick.isMajor {
      let row = rows - 1 - min(rows - 1, Int(axis.fraction(of: tick.value) * Double(rows)))
      labels[row] = labels[row] ?? axis.label(tick.value)
    }
    return labels
  }

  /// The axis below the picture with its marks, and the labels centred under them as far as they fit.
  private func timeLines(_ axis: Axis, columns: Int, glyphs: Glyphs) -> [String] {
    var bottom = BottomAxis(axis, columns: columns, glyphs: glyphs)
    bottom.add(unit: "s")
    let margin = String(repeating: " ", count: Self.labelWidth - 1)
    let shown = String(bottom.labels.reversed().drop { $0 == " " }.reversed())
    return ["\(margin)\(glyphs.corner)" + String(bottom.line), "\(margin) " + shown]
  }

  /// The shades from the lowest level to the highest.
  private func legend(_ levels: Axis, _ glyphs: Glyphs) -> String {
    let count = glyphs.shades.count
    let middles = (0..<count).flatMap { shade in
      [Double](repeating: (Double(shade) + 0.5) / Double(count), count: 3)
    }
    let (low, high) = (plain(levels.range.lowerBound, glyphs), plain(levels.range.upperBound, glyphs))
    return String(repeating: " ", count: Self.labelWidth) + "\(low) " + painted(middles, glyphs) + " \(high) dBFS"
  }

  private func plain(_ level: Double, _ glyphs: Glyphs) -> String {
    UnitLabel.number(level).replacing("\u{2212}", with: String(glyphs.minus))
  }
}

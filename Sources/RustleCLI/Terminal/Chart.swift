import RustlePlot

/// A picture of characters: rows with labels at their left, and an axis below.
struct Chart {
  /// Columns of the labels, the space after them included; the line of the axis follows.
  static let labelWidth = 6

  let profile: TerminalProfile

  /// Columns of the picture itself.
  var columns: Int { max(10, profile.columns - Self.labelWidth - 1) }

  /// The unit above the labels.
  func unit(_ unit: String) -> String { profile.paint(unit.leftPadded(to: Self.labelWidth - 1), .dim) }

  /// The margin of a row: a label and its mark, or only the line of the axis.
  func margin(_ label: String?) -> String {
    let mark = label == nil ? profile.glyphs.vertical : profile.glyphs.leftMark
    return profile.paint("\((label ?? "").leftPadded(to: Self.labelWidth - 1)) \(mark)", .dim)
  }

  /// The horizontal axis with its marks, and the labels that fit centred under them, with the unit at the right if it fits.
  func axis(_ axis: PlotAxis, unit: String) -> [String] {
    let columns = columns
    var line = [Character](repeating: profile.glyphs.horizontal, count: columns)
    var labels = [Character](repeating: " ", count: columns)
    var nextFree = 0
    for tick in axis.ticks where tick.isMajor {
      let column = min(columns - 1, Int(axis.fraction(of: tick.value) * Double(columns)))
      let text = Array(axis.label(tick.value))
      let start = min(max(0, column - text.count / 2), columns - text.count)
      guard start >= nextFree else { continue }
      line[column] = profile.glyphs.bottomMark
      labels.replaceSubrange(start..<start + text.count, with: text)
      nextFree = start + text.count + 1
    }
    if columns - nextFree >= unit.count { labels.replaceSubrange(columns - unit.count..<columns, with: Array(unit)) }
    let margin = String(repeating: " ", count: Self.labelWidth)
    return [margin + String(profile.glyphs.corner) + String(line), margin + " " + String(labels).withoutSpacesAtEnd]
  }

  /// The labels of rows; `place` returns the row of a label's fraction. Of two labels in a row, the first.
  func labels(_ axis: PlotAxis, rows: Int, place: (Double) -> Int) -> [Int: String] {
    var labels: [Int: String] = [:]
    for tick in axis.ticks where tick.isMajor {
      let row = place(axis.fraction(of: tick.value))
      guard row < rows else { continue }
      labels[row] = labels[row] ?? axis.label(tick.value).replacing("\u{2212}", with: String(profile.glyphs.minus))
    }
    return labels
  }

  /// One character of a bar that fills `fraction` of all rows; row 0 is the highest.
  func bar(_ fraction: Double, row: Int, of rows: Int) -> Character {
    guard fraction.isFinite else { return " " }
    let eighths = Int((fraction * Double(rows * 8)).rounded()) - (rows - 1 - row) * 8
    return eighths <= 0 ? " " : profile.glyphs.bars[min(eighths, 8) - 1]
  }
}

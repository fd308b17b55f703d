import RustlePlot

/// The axis below a picture of characters: its marks, and the labels centred under them as far as they fit.
struct BottomAxis {
  private(set) var line: [Character]
  private(set) var labels: [Character]
  /// The column from which on there is no label.
  private(set) var nextFree = 0

  /// - Parameter columns: the picture's width in characters.
  init(_ axis: Axis, columns: Int, glyphs: Glyphs) {
    line = [Character](repeating: glyphs.horizontal, count: columns)
    labels = [Character](repeating: " ", count: columns)
    for tick in axis.ticks where tick.isMajor {
      let column = min(columns - 1, Int(axis.fraction(of: tick.value) * Double(columns)))
      let text = Array(axis.label(tick.value))
      let start = min(max(0, column - text.count / 2), columns - text.count)
      guard start >= nextFree else { continue }
      line[column] = glyphs.bottomMark
      labels.replaceSubrange(start..<start + text.count, with: text)
      nextFree = start + text.count + 1
    }
  }

  /// Writes a unit at the right end, where there is room for it.
  mutating func add(unit: String) {
    let columns = labels.count
    if columns - nextFree >= unit.count { labels.replaceSubrange(columns - unit.count..<columns, with: Array(unit)) }
  }
}

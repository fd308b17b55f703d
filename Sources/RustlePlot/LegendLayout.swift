/// Where the names of curves lie: in rows from left to right, each behind a piece of its line. In pixels.
struct LegendLayout: Equatable {
  /// The length of the piece of line.
  static let line = 24.0
  /// Between that and the name.
  static let gap = 7.0
  /// Between a name and the next line.
  static let spacing = 22.0

  /// The left end of each entry's line, from the left edge of the legend, and its row from above.
  let entries: [Entry]

  struct Entry: Equatable {
    let x: Double
    let row: Int
  }

  /// The number of rows; 0 for no names.
  var rows: Int { entries.last.map { $0.row + 1 } ?? 0 }

  /// - Parameters:
  ///   - widths: those of the names.
  ///   - width: the room; a name that is wider than that has a row of its own.
  init(widths: [Double], in width: Double) {
    var x = 0.0
    var row = 0
    entries = widths.map { name in
      let entry = Self.line + Self.gap + name
      if x > 0, x + entry > width { (x, row) = (0, row + 1) }
      defer { x += entry + Self.spacing }
      return Entry(x: x, row: row)
    }
  }
}

extension TextChart {
  /// The first curve of a plot as bars, with axes: a line with the unit, `rows` lines, and two below.
  ///
  /// - Parameters:
  ///   - plot: a spectrum, for example.
  ///   - rows: the height of the bars, 2 or more.
  ///   - units: of the horizontal and the vertical axis.
  ///   - paint: adds the escape sequences of a terminal's colour to the bars.
  public func bars(
    of plot: LineChart, rows: Int, units: (x: String, y: String), paint paintBars: (String) -> String = { $0 }
  ) -> [String] {
    let x = plot.x.with(maximumLabelCount: max(4, columns / 5))
    let y = plot.y.with(maximumLabelCount: max(2, rows / 2))
    let levels = plot.series.first?.columns(columns, along: x) ?? []
    // A level stands where a bar of that level ends.
    let labels = labels(y, rows: rows) { rows - Int(($0 * Double(rows)).rounded()) }
    let picture = (0..<rows).map { row in
      let bars = levels.map { bar(y.fraction(of: $0), row: row, of: rows) }
      return margin(labels[row]) + paintBars(Self.trimmed(bars))
    }
    return [unit(units.y)] + picture + axis(x, unit: units.x).map(paint)
  }

  /// The curves of a plot, each in a character of its own, with axes: a line with the unit, `rows` lines, and two below. The
  /// plot's baseline is a horizontal line.
  ///
  /// - Parameters:
  ///   - plot: a frequency response, for example.
  ///   - rows: the height of the picture, 2 or more: the middles of the first and the last row are the ends of the vertical axis.
  ///   - marks: the character of each curve.
  ///   - shared: the character where several curves meet.
  ///   - labels: the labels of rows; row 0 is the highest.
  ///   - units: of the horizontal and the vertical axis.
  ///   - paint: adds the escape sequences of a terminal's colour to the curves.
  public func curves(
    of plot: LineChart, rows: Int, marks: [Character], shared: Character, labels: [Int: String] = [:],
    units: (x: String, y: String), paint paintCurves: (String) -> String = { $0 }
  ) -> [String] {
    let x = plot.x.with(maximumLabelCount: max(4, columns / 5))
    let curves = zip(plot.series.map { $0.cells(x: x, y: plot.y, columns: columns, rows: rows) }, marks)
    let base = plot.baseline.map { Int(((1 - plot.y.fraction(of: $0)) * Double(rows - 1)).rounded()) }
    let picture = (0..<rows).map { row in
      let cells = (0..<columns).map { column -> Character in
        let here = curves.filter { $0.0[column]?.contains(row) ?? false }.map(\.1)
        return here.count > 1 ? shared : here.first ?? (row == base ? glyphs.horizontal : " ")
      }
      return margin(labels[row]) + paintCurves(Self.trimmed(cells))
    }
    return [unit(units.y)] + picture + axis(x, unit: units.x).map(paint)
  }

  /// Bars side by side over their names: `rows` lines, and one below with the unit. A bar takes at most eleven columns; of bars
  /// that do not fit, the first are left out, and so are names that do not.
  ///
  /// - Parameters:
  ///   - bars: the names, which may be empty, and the values, of which infinities have no bar.
  ///   - rows: the height of the bars, 2 or more.
  ///   - range: the values at the lower end of the lowest row and the upper end of the highest.
  ///   - unit: that of the values.
  ///   - paint: adds the escape sequences of a terminal's colour to the bars.
  public func bars(
    _ bars: [(name: String, value: Double)], rows: Int, range: ClosedRange<Double>, unit: String,
    paint paintBars: (String) -> String = { $0 }
  ) -> [String] {
    let shown = bars.suffix(columns)
    let width = max(1, min(shown.count > columns / 12 ? 5 : 12, columns / max(1, shown.count)))
    let filled = max(1, width - 1)
    let span = range.upperBound - range.lowerBound
    let picture = (0..<rows).map { row in
      let cells = shown.flatMap { _, value -> [Character] in
        let fraction = value.isFinite ? min(1, max(0, (value - range.lowerBound) / span)) : .nan
        return Array(repeating: bar(fraction, row: row, of: rows), count: filled)
          + Array(repeating: " ", count: width - filled)
      }
      let value = row == 0 ? range.upperBound : row == rows / 2 ? range.upperBound - span / 2 : nil
      let label = value.map { UnitLabel.number($0.rounded()).replacing("\u{2212}", with: String(glyphs.minus)) }
      return margin(label) + paintBars(Self.trimmed(cells))
    }
    var names = Array(Self.aligned(unit) + "  ")
    for (index, name) in shown.map(\.name).enumerated() {
      let start = Self.labelWidth + 1 + index * width
      guard !name.isEmpty, names.count <= start, start + name.count <= Self.labelWidth + 1 + columns else { continue }
      names += Array(repeating: " ", count: start - names.count) + Array(name + " ")
    }
    return picture + [paint(Self.trimmed(names))]
  }

  /// The cells without spaces at the end.
  private static func trimmed(_ cells: [Character]) -> String {
    String(cells.prefix((cells.lastIndex { $0 != " " } ?? -1) + 1))
  }

  /// A map in characters of different shades, with axes and a legend: a line with the unit, `rows` lines, and three below.
  ///
  /// - Parameters:
  ///   - map: a spectrogram, for example.
  ///   - rows: the height of the map, 1 or more.
  ///   - units: of the horizontal and the vertical axis, and of the values.
  ///   - usesColor: whether colours of a terminal repeat the shades.
  public func shades(
    of map: HeatMap, rows: Int, units: (x: String, y: String, values: String), usesColor: Bool = false
  ) -> [String] {
    let x = map.x.with(maximumLabelCount: max(3, columns / 10))
    let y = map.y.with(maximumLabelCount: max(3, rows / 3))
    let points = map.grid.points(width: columns, height: rows, x: x, y: y)
    let labels = labels(y, rows: rows) { rows - 1 - min(rows - 1, Int($0 * Double(rows))) }
    let picture = (0..<rows).map { row in
      let values = points[row * columns..<(row + 1) * columns].map { map.values.fraction(of: Double($0)) }
      return margin(labels[row]) + shaded(values, usesColor ? map.colors : nil)
    }
    let count = glyphs.shades.count
    let middles = (0..<3 * count).map { (Double($0 / 3) + 0.5) / Double(count) }
    let range = map.values.range
    let ends = [range.lowerBound, range.upperBound].map {
      UnitLabel.number($0).replacing("\u{2212}", with: String(glyphs.minus))
    }
    let legend = [ends[0], shaded(middles, usesColor ? map.colors : nil), ends[1], units.values].joined(separator: " ")
    let indent = String(repeating: " ", count: Self.labelWidth)
    return [unit(units.y)] + picture + axis(x, unit: units.x).map(paint) + [indent + legend]
  }

  /// One row: a shade for each value, without trailing spaces.
  private func shaded(_ values: [Double], _ colors: ColorMap?) -> String {
    let shades = glyphs.shades
    let cells = values.map { value -> Character in
      // Minus infinity and NaN are blank.
      value > 0 ? shades[min(Int(value * Double(shades.count)), shades.count - 1)] : " "
    }
    let used = (cells.lastIndex { $0 != " " } ?? -1) + 1
    guard let colors else { return String(cells.prefix(used)) }
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

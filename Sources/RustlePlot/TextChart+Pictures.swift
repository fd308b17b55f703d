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
    let x = plot.x.with(maximumLabels: max(4, columns / 5))
    let y = plot.y.with(maximumLabels: max(2, rows / 2))
    let levels = plot.series.first?.columns(columns, along: x) ?? []
    // A level stands where a bar of that level ends.
    let labels = labels(y, rows: rows) { rows - Int(($0 * Double(rows)).rounded()) }
    let picture = (0..<rows).map { row in
      let bars = levels.map { bar(y.fraction(of: $0), row: row, of: rows) }
      return margin(labels[row]) + paintBars(String(bars.prefix((bars.lastIndex { $0 != " " } ?? -1) + 1)))
    }
    return [unit(units.y)] + picture + axis(x, unit: units.x).map(paint)
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
    let x = map.x.with(maximumLabels: max(3, columns / 10))
    let y = map.y.with(maximumLabels: max(3, rows / 3))
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

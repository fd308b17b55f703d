/// Values over a plane, in cells of equal width and equal height.
public struct HeatGrid: Sendable {
  /// Cells from left to right.
  public let columns: Int
  /// Cells from below to above.
  public let rows: Int
  /// From the left edge of the first column to the right edge of the last one, in units of the horizontal axis.
  public let x: ClosedRange<Double>
  /// From the lower edge of the first row to the upper edge of the last one, in units of the vertical axis.
  public let y: ClosedRange<Double>
  /// The values, column after column, each from below to above.
  public let values: [Float]

  /// Creates a grid.
  ///
  /// - Parameters:
  ///   - columns: 1 or more.
  ///   - rows: 1 or more.
  ///   - x: what the columns span; not empty.
  ///   - y: what the rows span; not empty.
  ///   - values: `columns` times `rows`.
  /// - Precondition: the arguments are as above.
  public init(columns: Int, rows: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, values: [Float]) {
    precondition(columns > 0 && rows > 0, "a grid needs cells, got \(columns) x \(rows)")
    precondition(x.lowerBound < x.upperBound && y.lowerBound < y.upperBound, "a grid must not be empty")
    precondition(
      values.count == columns * rows, "expected \(columns * rows) values, one for each cell, got \(values.count)")
    self.columns = columns
    self.rows = rows
    self.x = x
    self.y = y
    self.values = values
  }

  /// The grid as `width` by `height` points between two axes, row after row from above to below. A point has the highest
  /// value of the cells that it touches, so that a short or a narrow event is never lost; minus infinity outside the grid.
  public func points(width: Int, height: Int, x xAxis: PlotAxis, y yAxis: PlotAxis) -> [Float] {
    let xCells = Self.cells(width, axis: xAxis, span: x, count: columns)
    let yCells = Self.cells(height, axis: yAxis, span: y, count: rows)
    var points = [Float](repeating: -.infinity, count: width * height)
    var column = [Float](repeating: -.infinity, count: rows)
    for (place, cells) in xCells.enumerated() {
      for row in 0..<rows { column[row] = -.infinity }
      for cell in cells {
        for row in 0..<rows { column[row] = max(column[row], values[cell * rows + row]) }
      }
      for (row, cells) in yCells.enumerated() {
        var highest = -Float.infinity
        for cell in cells { highest = max(highest, column[cell]) }
        points[(height - 1 - row) * width + place] = highest
      }
    }
    return points
  }

  /// For each of `places` along an axis the cells that it touches.
  private static func cells(
    _ places: Int, axis: PlotAxis, span: ClosedRange<Double>, count: Int
  ) -> [Range<Int>] {
    let width = (span.upperBound - span.lowerBound) / Double(count)
    return (0..<places).map { place in
      let low = (axis.value(at: Double(place) / Double(places)) - span.lowerBound) / width
      let high = (axis.value(at: Double(place + 1) / Double(places)) - span.lowerBound) / width
      guard high > 0, low < Double(count) else { return 0..<0 }
      // A place that ends where a cell begins does not touch it, except for rounding.
      let first = max(0, Int((low + 1e-9).rounded(.down)))
      let end = min(count, Int((high - 1e-9).rounded(.up)))
      return min(first, count - 1)..<max(end, min(first, count - 1) + 1)
    }
  }
}

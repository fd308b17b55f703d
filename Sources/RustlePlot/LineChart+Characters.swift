extension LineChart.Series {
  /// Returns the curve on a grid of characters, without gaps where it is steep. Between samples it is interpolated linearly.
  ///
  /// - Parameters:
  ///   - x: the axis of the columns.
  ///   - y: the axis of the rows: the middle of the lowest row is its lower end, that of row 0 its upper end.
  ///   - columns: 1 or more.
  ///   - rows: 2 or more.
  /// - Returns: for each column the rows that the curve takes, within `0..<rows`; nil where it is outside the grid, and beyond
  ///   the last sample.
  public func cells(x: PlotAxis, y: PlotAxis, columns: Int, rows: Int) -> [ClosedRange<Int>?] {
    var previous: Int?
    return (0..<columns).map { column in
      guard let value = value(at: x.value(at: (Double(column) + 0.5) / Double(columns))), !value.isNaN else {
        previous = nil
        return nil
      }
      let height = (1 - y.fraction(of: value)) * Double(rows - 1)
      // One row beyond either edge stands for all that are outside.
      let row = Int(min(max(height, -1), Double(rows)).rounded())
      let from = previous.map { $0 < row ? $0 + 1 : $0 > row ? $0 - 1 : row } ?? row
      previous = row
      let (top, bottom) = (max(0, min(from, row)), min(rows - 1, max(from, row)))
      return top <= bottom ? top...bottom : nil
    }
  }

  /// The linearly interpolated value; nil beyond the last sample.
  private func value(at x: Double) -> Double? {
    guard let next = samples.firstIndex(where: { $0.x >= x }) else { return nil }
    let after = samples[next].y
    guard next > 0, after.isFinite, samples[next - 1].y.isFinite else { return after }
    return interpolated(at: x, before: next)
  }

  /// The value at `x` on the line from the sample before `next`, which is above 0, to that sample; that of the nearer sample
  /// beyond them.
  func interpolated(at x: Double, before next: Int) -> Double {
    let (before, after) = (samples[next - 1], samples[next])
    return before.y + min(max((x - before.x) / (after.x - before.x), 0), 1) * (after.y - before.y)
  }
}

/// The frame of a chart in characters: labels at the left of its rows, and an axis below.
///
/// ```swift
/// let chart = TextChart(columns: 80)
/// let (x, y) = (PlotAxis.frequency(20...20_000), PlotAxis.level(-90...0))
/// let labels = chart.labels(y, rows: 12) { Int((1 - $0) * 12) }
/// for row in 0..<12 {
///   let bars = levels.map { chart.bar(y.fraction(of: $0), row: row, of: 12) }
///   print(chart.margin(labels[row]) + String(bars))
/// }
/// for line in chart.axis(x, unit: "Hz") { print(line) }
/// ```
public struct TextChart: Sendable {
  /// Columns of the labels, the space after them included; the line of the axis follows.
  public static let labelWidth = 6

  /// Columns of the picture itself, at least 10.
  public let columns: Int
  let glyphs: Glyphs
  let paint: @Sendable (String) -> String

  /// Creates a frame.
  ///
  /// - Parameters:
  ///   - columns: the columns of the whole chart.
  ///   - glyphs: the characters of lines and bars.
  ///   - paint: adds the escape sequences of a terminal's colour to the margin.
  public init(columns: Int, glyphs: Glyphs = .unicode, paint: @escaping @Sendable (String) -> String = { $0 }) {
    self.columns = max(10, columns - Self.labelWidth - 1)
    self.glyphs = glyphs
    self.paint = paint
  }

  /// The unit above the labels.
  public func unit(_ unit: String) -> String { paint(Self.aligned(unit)) }

  /// The margin of a row: a label and its mark, or only the line of the axis.
  public func margin(_ label: String?) -> String {
    paint("\(Self.aligned(label ?? "")) \(label == nil ? glyphs.vertical : glyphs.leftMark)")
  }

  static func aligned(_ label: String) -> String {
    String(repeating: " ", count: max(0, labelWidth - 1 - DisplayWidth.columns(of: label))) + label
  }

  /// The horizontal axis with its marks, and the labels that fit centred under them, with the unit at the right if it fits.
  public func axis(_ axis: PlotAxis, unit: String) -> [String] {
    var line = [Character](repeating: glyphs.horizontal, count: columns)
    var labels = [Character](repeating: " ", count: columns)
    var nextFree = 0
    for tick in axis.ticks where tick.isMajor {
      let column = min(columns - 1, Int(axis.fraction(of: tick.value) * Double(columns)))
      let text = Array(axis.label(tick.value))
      let start = min(max(0, column - text.count / 2), columns - text.count)
      guard start >= nextFree else { continue }
      line[column] = glyphs.bottomMark
      labels.replaceSubrange(start..<start + text.count, with: text)
      nextFree = start + text.count + 1
    }
    if columns - nextFree >= unit.count { labels.replaceSubrange(columns - unit.count..<columns, with: Array(unit)) }
    let margin = String(repeating: " ", count: Self.labelWidth)
    let end = (labels.lastIndex { $0 != " " } ?? -1) + 1
    return [margin + String(glyphs.corner) + String(line), margin + " " + String(labels.prefix(end))]
  }

  /// The labels of rows. Of two labels in a row, the first.
  ///
  /// - Parameters:
  ///   - axis: the vertical axis.
  ///   - rows: the number of rows.
  ///   - row: returns the row of a position on the axis, 0 to 1; row 0 is the highest. Labels of rows from `rows` on are left out.
  public func labels(_ axis: PlotAxis, rows: Int, row: (Double) -> Int) -> [Int: String] {
    var labels: [Int: String] = [:]
    for tick in axis.ticks where tick.isMajor {
      let index = row(axis.fraction(of: tick.value))
      guard index < rows, labels[index] == nil else { continue }
      labels[index] = axis.label(tick.value).replacing("\u{2212}", with: String(glyphs.minus))
    }
    return labels
  }

  /// One character of a bar; blank for a fraction that is not finite.
  ///
  /// - Parameters:
  ///   - fraction: the part of all rows that the bar fills.
  ///   - row: 0 is the highest.
  ///   - rows: the number of rows.
  public func bar(_ fraction: Double, row: Int, of rows: Int) -> Character {
    guard fraction.isFinite else { return " " }
    let eighths = Int((fraction * Double(rows * 8)).rounded()) - (rows - 1 - row) * 8
    return eighths <= 0 ? " " : glyphs.bars[min(eighths, 8) - 1]
  }
}

internal import Foundation

/// The characters of drawings in text: Unicode's, or plain ASCII.
public struct Glyphs: Equatable, Sendable {
  /// Eight heights of a bar, the lowest first.
  public let bars: [Character]
  /// Shades of an area from the faintest to the fullest.
  public let shades: [Character]
  /// A rise.
  public let up: Character
  /// A fall.
  public let down: Character
  /// Neither a rise nor a fall.
  public let unchanged: Character
  /// The mark of a cut text.
  public let ellipsis: Character
  /// A vertical line.
  public let vertical: Character
  /// A horizontal line.
  public let horizontal: Character
  /// A vertical line with a mark at its left.
  public let leftMark: Character
  /// A horizontal line with a mark below.
  public let bottomMark: Character
  /// The corner of two axes.
  public let corner: Character
  /// A minus sign.
  public let minus: Character
  /// Stands for a missing number.
  public let unknown: Character

  /// Block characters, arrows and box lines.
  public static let unicode = Self(
    bars: Array("▁▂▃▄▅▆▇█"), shades: Array("·░▒▓█"), up: "▲", down: "▼", unchanged: "·", ellipsis: "…", vertical: "│",
    horizontal: "─", leftMark: "┤", bottomMark: "┬", corner: "└", minus: "\u{2212}", unknown: "\u{2013}")
  /// For terminals without Unicode.
  public static let ascii = Self(
    bars: Array("_.:-=+*#"), shades: Array(".:-=+*#%@"), up: "^", down: "v", unchanged: "=", ellipsis: "~",
    vertical: "|", horizontal: "-", leftMark: "+", bottomMark: "+", corner: "+", minus: "-", unknown: "-")

  /// A line of bars (a sparkline), one for each value, scaled to the least and the greatest value. Equal values are drawn at half
  /// height.
  ///
  /// - Parameters:
  ///   - values: finite; the newest last.
  ///   - columns: 0 or more; the newest values that fit are shown, aligned right.
  /// - Returns: exactly `columns` characters.
  public func sparkline(_ values: [Double], columns: Int) -> String {
    let shown = values.suffix(columns)
    let (low, high) = (shown.min() ?? 0, shown.max() ?? 0)
    let top = Double(bars.count - 1)
    let line = shown.map { bars[Int((high > low ? ($0 - low) / (high - low) * top : 0.5 * top).rounded())] }
    return String(repeating: " ", count: columns - line.count) + String(line)
  }

  /// The bar of a level: full up to its power, a shade up to its peak, and a line at the highest peak so far.
  ///
  /// - Parameters:
  ///   - power: the mean square, in dBFS.
  ///   - peak: the highest sample, in dBFS.
  ///   - held: the highest peak so far, in dBFS.
  ///   - softest: the level at the left end, below 0 dBFS, which is at the right one.
  ///   - columns: the length, 1 or more.
  public func levelBar(power: Double, peak: Double, held: Double, from softest: Double, columns: Int) -> String {
    func column(_ level: Double) -> Int {
      level.isFinite ? min(columns, max(0, Int(Double(columns) * (1 - level / softest)))) : 0
    }
    var cells = (0..<columns).map { cell -> Character in
      cell < column(power) ? bars[7] : cell < column(peak) ? shades[1] : " "
    }
    if column(held) > 0 { cells[column(held) - 1] = vertical }
    return String(cells)
  }

  /// A gain in decibels in at most four characters: `+6`, `-1.5`, `0`.
  public func gain(_ decibels: Double) -> String {
    let tenths = (abs(decibels) * 10).rounded() / 10
    let isWhole = tenths >= 10 || tenths == tenths.rounded()
    let text = String(format: isWhole ? "%.0f" : "%.1f", tenths)
    return text == "0" ? text : (decibels < 0 ? String(minus) : "+") + text
  }

  /// A change after a mark for its direction, in per cent: `▲ +0.12 %`. A change of less than half a hundredth of a per cent has no
  /// direction and no sign; one that is not finite is a dash.
  ///
  /// - Parameter fraction: 0.01 for one per cent.
  public func markedChange(_ fraction: Double) -> String {
    "\(!Self.isVisible(change: fraction) ? unchanged : fraction > 0 ? up : down) \(change(fraction))"
  }

  /// A change with its sign in per cent: `+0.12 %`; see ``markedChange(_:)``.
  ///
  /// - Parameter fraction: 0.01 for one per cent.
  public func change(_ fraction: Double) -> String {
    guard fraction.isFinite else { return String(unknown) }
    guard Self.isVisible(change: fraction) else { return "0.00 %" }
    let percent = abs(fraction) * 100
    let digits = String(format: percent < 10_000 ? "%.2f" : "%.2g", percent)
    return "\(fraction > 0 ? "+" : String(minus))\(digits) %"
  }

  /// Whether a change is visible in two decimals of a per cent.
  ///
  /// - Parameter fraction: 0.01 for one per cent.
  public static func isVisible(change fraction: Double) -> Bool { abs(fraction) >= 0.000_05 }

  /// The scale above a needle: `-50`, `0` in the middle, and `+50`.
  ///
  /// - Parameters:
  ///   - end: the text of both ends without a sign.
  ///   - columns: an odd number with room for the three texts.
  public func scale(_ end: String, columns: Int) -> String {
    let gap = max(1, columns / 2 - end.count - 1)
    let spaces = String(repeating: " ", count: gap)
    return "\(minus)\(end)\(spaces)0\(spaces)+\(end)"
  }

  /// A needle before a line with a mark in the middle, in three parts: the line up to the needle, the needle, an arrow beyond either
  /// end, and the rest of the line.
  ///
  /// - Parameters:
  ///   - position: -1 at the left end, 1 at the right one; nil for the line alone, which is the first part.
  ///   - columns: an odd number, 3 or more: that of all parts together.
  public func needle(at position: Double?, columns: Int) -> (before: String, needle: String, after: String) {
    let middle = columns / 2
    var line = Array(repeating: horizontal, count: columns)
    (line[0], line[middle], line[columns - 1]) = (vertical, bottomMark, vertical)
    guard let position else { return (String(line), "", "") }
    let column = middle + Int((min(max(position, -1), 1) * Double(middle)).rounded())
    let needle: Character = position < -1 ? "<" : position > 1 ? ">" : bars[7]
    return (String(line[..<column]), String(needle), String(line[(column + 1)...]))
  }
}

/// Texts side by side, as many in a line as fit.
public enum TextCells {
  /// Parts of a text in lines of a width, with two spaces between two parts. A longer part has a line of its own.
  public static func wrapped(_ parts: [String], columns: Int) -> [String] {
    parts.reduce(into: []) { lines, part in
      guard let last = lines.last,
        DisplayWidth.columns(of: last) + 2 + DisplayWidth.columns(of: part) <= columns
      else { return lines.append(part) }
      lines[lines.count - 1] = "\(last)  \(part)"
    }
  }

  /// Names with numbers and units, aligned in columns with two spaces between two cells.
  ///
  /// - Parameters:
  ///   - cells: names, which are cut to seven characters, numbers of up to seven characters, and units.
  ///   - columns: the width of a line; a longer cell has a line of its own.
  ///   - ellipsis: the mark of a cut name.
  ///   - paint: adds the escape sequences of a terminal's colour to a name.
  public static func numbers(
    _ cells: [(name: String, number: String, unit: String)], columns: Int, ellipsis: Character,
    paint: (String) -> String = { $0 }
  ) -> [String] {
    let unitWidth = cells.map(\.unit.count).max() ?? 0
    let width = 7 + 7 + 1 + unitWidth
    let perLine = max(1, (columns + 2) / (width + 2))
    return stride(from: 0, to: cells.count, by: perLine).map { start in
      let row = cells[start..<min(cells.count, start + perLine)]
      let texts = row.enumerated().map { index, cell in
        let number = String(repeating: " ", count: max(0, 7 - cell.number.count)) + cell.number
        // The last unit may be shorter than the widest.
        let gap = index == row.count - 1 ? 0 : unitWidth - cell.unit.count
        return paint(DisplayWidth.fit(cell.name, to: 7, ellipsis: ellipsis)) + "\(number) \(cell.unit)"
          + String(repeating: " ", count: gap)
      }
      return texts.joined(separator: "  ")
    }
  }
}

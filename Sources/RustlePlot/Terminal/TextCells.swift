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

/// The width of a text in columns of a terminal, and cutting and padding to a width.
public enum DisplayWidth {
  /// The columns of a text without escape sequences.
  public static func columns(of text: String) -> Int {
    isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + columns(of: $1) }
  }

  /// Whether a text is of ASCII's printed characters alone, one column each: most cells are, and need no tables of Unicode.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  /// The columns of a text with escape sequences for colours (ECMA-48, SGR), which have none.
  public static func columns(ofPainted text: String) -> Int {
    columns(of: text.replacing(/\u{1B}\[[\d;]*m/, with: ""))
  }

  /// 2 for the wide blocks of Unicode's East Asian Width table (UAX 11) and for emoji, 0 for a character that starts with
  /// a combining mark or a control, else 1.
  public static func columns(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    let properties = first.properties
    switch properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text padded with spaces, or cut with an ellipsis, to exactly `width` columns.
  public static func fit(_ text: String, to width: Int, alignRight: Bool = false, ellipsis: Character) -> String {
    var fitted = text
    if columns(of: text) > width {
      fitted = ""
      var used = 0
      for character in text {
        let next = columns(of: character)
        if used + next > width - 1 { break }
        fitted.append(character)
        used += next
      }
      if width > 0 { fitted.append(ellipsis) }
    }
    let padding = String(repeating: " ", count: max(0, width - columns(of: fitted)))
    return alignRight ? padding + fitted : fitted + padding
  }
}

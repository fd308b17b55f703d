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

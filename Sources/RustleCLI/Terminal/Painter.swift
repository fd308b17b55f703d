/// Colours and emphasis by ANSI escape sequences (ECMA-48, SGR), or none.
struct Painter: Equatable, Sendable {
  /// The emphasis of a text. No information is in the colour alone.
  enum Ink: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
  }

  /// Whether escape sequences are written.
  let isEnabled: Bool

  /// The text in an ink, or unchanged.
  func callAsFunction(_ text: String, _ ink: Ink?) -> String {
    guard isEnabled, let ink, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }
}

/// A line and its width in columns.
typealias ScreenLine = (text: String, columns: Int)

extension TerminalProfile {
  /// The characters of the terminal.
  var glyphs: Glyphs { Glyphs(for: self) }

  /// The text in an ink where there are colours.
  func paint(_ text: String, _ ink: Painter.Ink?) -> String { Painter(isEnabled: usesColor)(text, ink) }

  /// A line in one ink, cut to the terminal's width where there is a terminal.
  func line(_ text: String, _ ink: Painter.Ink? = nil) -> ScreenLine {
    let text = glyphs.plain(text)
    let whole = DisplayWidth.columns(of: text)
    let columns = isLive ? min(whole, self.columns) : whole
    return (paint(DisplayWidth.fit(text, to: columns, ellipsis: glyphs.ellipsis), ink), columns)
  }

  /// A line of parts in an ink each, which fits the terminal.
  func line(_ parts: [(text: String, ink: Painter.Ink?)]) -> ScreenLine {
    (parts.map { paint($0.text, $0.ink) }.joined(), parts.reduce(0) { $0 + $1.text.count })
  }
}

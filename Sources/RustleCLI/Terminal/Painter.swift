import RustlePlot

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
  var glyphs: Glyphs { usesUnicode ? .unicode : .ascii }

  /// The frame of a chart as wide as the terminal.
  var chart: TextChart { TextChart(columns: columns, glyphs: glyphs) { paint($0, .dim) } }

  /// The text in an ink where there are colours.
  func paint(_ text: String, _ ink: Painter.Ink?) -> String { Painter(isEnabled: usesColor)(text, ink) }

  /// A line in one ink, cut to the terminal's width where there is a terminal.
  func line(_ text: String, _ ink: Painter.Ink? = nil) -> ScreenLine {
    let text = glyphs.plain(text)
    let whole = DisplayWidth.columns(of: text)
    let columns = isLive ? min(whole, self.columns) : whole
    return (paint(DisplayWidth.fit(text, to: columns, ellipsis: glyphs.ellipsis), ink), columns)
  }
}

extension Glyphs {
  /// The text without characters that the set lacks. Not for names from users.
  func plain(_ text: String) -> String {
    self == .unicode ? text : text.replacing("\u{B5}", with: "u").replacing("\u{2212}", with: String(minus))
  }
}

/// The capabilities of the output. A pure function of the environment, so that tests can state it.
package struct TerminalProfile: Equatable, Sendable {
  /// Whether it is a terminal that can be redrawn in place.
  package var isLive: Bool
  package var usesColor: Bool
  package var usesUnicode: Bool
  /// Columns, at least 20.
  package var columns: Int
  /// Rows, at least 5.
  package var rows: Int
  /// The terminal's columns, which may be fewer than `columns`.
  package var screenColumns: Int
  /// The largest number of lines of `columns` without scrolling, with the cursor below; at least 1.
  package var lineLimit: Int

  /// - Parameters:
  ///   - environment: the process's variables. `NO_COLOR` with any text but none disables colour (no-color.org) and wins
  ///     over `FORCE_COLOR`, which enables it anywhere unless it is `0`; `TERM=dumb` means no colour, no redrawing and
  ///     plain characters; a locale that names another character set than UTF-8 means plain characters; `COLUMNS` and
  ///     `LINES` stand in where there is no terminal to ask.
  ///   - isTerminal: whether the descriptor is a terminal.
  ///   - size: the size that the terminal reports; 0 if unknown.
  ///   - isASCIIAskedFor: whether `--ascii` is given.
  package init(
    environment: [String: String], isTerminal: Bool, size: (columns: Int, rows: Int), isASCIIAskedFor: Bool = false
  ) {
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    func positive(_ name: String) -> Int? { environment[name].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } }
    let isDumb = environment["TERM"] == "dumb"
    isLive = isTerminal && !isDumb
    let isColored = isSet("FORCE_COLOR") ? environment["FORCE_COLOR"] != "0" : isLive
    usesColor = !isSet("NO_COLOR") && isColored
    usesUnicode = !isASCIIAskedFor && !isDumb && Self.isUTF8(environment)
    screenColumns = size.columns > 0 ? size.columns : positive("COLUMNS") ?? 80
    columns = max(20, screenColumns)
    let screenRows = size.rows > 0 ? size.rows : positive("LINES") ?? 24
    rows = max(5, screenRows)
    // A line that is too long for the terminal wraps.
    lineLimit = max(1, (screenRows - 1) / ((columns + screenColumns - 1) / screenColumns))
  }

  /// Whether the locale is UTF-8, by the first of the three variables that is set (POSIX). Without any, as in containers,
  /// a terminal is taken to show UTF-8.
  private static func isUTF8(_ environment: [String: String]) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let locale = environment[name], !locale.isEmpty else { continue }
      let lowercased = locale.lowercased()
      return lowercased.contains("utf-8") || lowercased.contains("utf8")
    }
    return true
  }
}

/// The colour or emphasis of a text by an ANSI escape sequence (ECMA-48, SGR). No information is in the colour alone.
package enum Ink: String, Sendable {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
  case magenta = "35"
  case cyan = "36"
}

/// A line and its width in columns.
package typealias ScreenLine = (text: String, columns: Int)

extension TerminalProfile {
  package var glyphs: Glyphs { usesUnicode ? .unicode : .ascii }

  package var chart: TextChart { TextChart(columns: columns, glyphs: glyphs) { paint($0, .dim) } }

  package func paint(_ text: String, _ ink: Ink?) -> String {
    guard usesColor, let ink, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }

  /// A line in one ink without spaces at its end, cut to the terminal's width where there is a terminal.
  package func line(_ text: String, _ ink: Ink? = nil) -> ScreenLine {
    let text = glyphs.plain(text).withoutSpacesAtEnd
    let whole = DisplayWidth.columns(of: text)
    let columns = isLive ? min(whole, self.columns) : whole
    return (paint(DisplayWidth.fit(text, to: columns, ellipsis: glyphs.ellipsis), ink), columns)
  }

  /// Lines of parts, as many in a line as fit.
  package func wrapped(_ parts: [String], _ ink: Ink? = nil) -> [ScreenLine] {
    TextCells.wrapped(parts, columns: columns).map { line($0, ink) }
  }

  /// A line of parts in an ink each, which fits the terminal.
  package func line(_ parts: [(text: String, ink: Ink?)]) -> ScreenLine {
    (parts.map { paint($0.text, $0.ink) }.joined(), parts.reduce(0) { $0 + $1.text.count })
  }
}

extension Glyphs {
  /// The text without characters that the set lacks. Not for names from users.
  package func plain(_ text: String) -> String {
    self == .unicode ? text : text.replacing("\u{B5}", with: "u").replacing("\u{2212}", with: String(minus))
  }
}

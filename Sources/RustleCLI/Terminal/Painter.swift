/// Colours and emphasis by ANSI escape sequences (ECMA-48, SGR), or nothing at all.
struct Painter: Equatable, Sendable {
  /// What a piece of text stands out by. Nothing is told by colour alone.
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

  /// The text in an ink, or as it is.
  func callAsFunction(_ text: String, _ ink: Ink?) -> String {
    guard isEnabled, let ink, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }
}

/// The characters of drawings: Unicode's, or plain ones with `--ascii`.
struct Glyphs: Equatable, Sendable {
  /// Eight heights of a bar, the lowest first.
  let bars: [Character]
  /// Shades of an area from the faintest to the fullest.
  let shades: [Character]
  /// Up, down, and unchanged.
  let up: Character
  let down: Character
  let unchanged: Character
  /// Marks a cut text.
  let ellipsis: Character
  /// The lines of axes: `│`, `─`, `┤` (a mark at the left), `┬` (a mark below), `└` (the corner).
  let vertical: Character
  let horizontal: Character
  let leftMark: Character
  let bottomMark: Character
  let corner: Character
  /// A minus sign.
  let minus: Character
  /// Stands for a missing number.
  let unknown: Character

  static let unicode = Glyphs(
    bars: Array("▁▂▃▄▅▆▇█"), shades: Array("·░▒▓█"), up: "▲", down: "▼", unchanged: "·", ellipsis: "…", vertical: "│",
    horizontal: "─",
    leftMark: "┤", bottomMark: "┬", corner: "└", minus: "\u{2212}", unknown: "\u{2013}")
  static let ascii = Glyphs(
    bars: Array("_.:-=+*#"), shades: Array(".:-=+*#%@"), up: "^", down: "v", unchanged: "=", ellipsis: "~",
    vertical: "|", horizontal: "-",
    leftMark: "+", bottomMark: "+", corner: "+", minus: "-", unknown: "-")

  /// The text without characters that the set lacks. Not for names from users.
  func plain(_ text: String) -> String {
    self == .unicode ? text : text.replacing("\u{B5}", with: "u").replacing("\u{2212}", with: String(minus))
  }
}

extension Glyphs {
  /// The set for a profile.
  init(for profile: TerminalProfile) { self = profile.usesUnicode ? .unicode : .ascii }
}

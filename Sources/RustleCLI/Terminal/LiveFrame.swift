/// Turns successive pictures of lines into the bytes that redraw them in place, one string per picture so that each goes
/// out in one write.
struct LiveFrame: Sendable {
  /// Columns that each line of the picture on the screen takes.
  private var drawn: [Int] = []

  /// The terminal shows what is between these two at once (mode 2026); one that does not know them ignores them.
  static let beginSynchronized = "\u{1B}[?2026h"
  static let endSynchronized = "\u{1B}[?2026l"
  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"

  /// The bytes that put a picture in place of the one before. The cursor ends at the start of the line below it.
  ///
  /// - Parameters:
  ///   - lines: the picture; each line is paired with the columns that it takes on the screen.
  ///   - columns: the terminal's width: a terminal that became narrower since has wrapped the old lines.
  mutating func draw(_ lines: [(text: String, columns: Int)], columns: Int) -> String {
    let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    var bytes = Self.beginSynchronized
    if rows > 0 { bytes += "\u{1B}[\(rows)A" }
    bytes += "\r"
    for line in lines { bytes += "\(line.text)\u{1B}[K\r\n" }
    bytes += "\u{1B}[J" + Self.endSynchronized
    drawn = lines.map(\.columns)
    return bytes
  }

  /// Leaves the picture where it is: the next one is drawn below.
  mutating func forget() { drawn = [] }
}

/// The bytes that redraw successive pictures in place, one string per picture for a single write.
package struct LiveFrame: Sendable {
  private var drawn: [Int] = []

  /// Creates a frame before the first picture.
  package init() {}

  /// Synchronized output: the terminal shows the text between both at once (mode 2026), or ignores them.
  package static let beginSynchronized = "\u{1B}[?2026h"
  package static let endSynchronized = "\u{1B}[?2026l"
  package static let hideCursor = "\u{1B}[?25l"
  package static let showCursor = "\u{1B}[?25h"

  /// The bytes that replace the picture. The cursor ends at the start of the line below it. A terminal that became narrower since
  /// has wrapped the old lines.
  package mutating func draw(_ lines: [(text: String, columns: Int)], columns: Int) -> String {
    let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    var bytes = Self.beginSynchronized
    if rows > 0 { bytes += "\u{1B}[\(rows)A" }
    bytes += "\r"
    for line in lines { bytes += "\(line.text)\u{1B}[K\r\n" }
    bytes += "\u{1B}[J" + Self.endSynchronized
    drawn = lines.map(\.columns)
    return bytes
  }

  /// Leaves the picture; the next one is drawn below.
  package mutating func forget() { drawn = [] }
}

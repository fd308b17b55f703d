/// The place on a terminal that a live view draws on, and what it has drawn there.
struct LiveScreen: Sendable {
  /// Whether keys are read: without them they are not offered.
  let hasKeys: Bool
  /// Whether something changed since the last picture.
  var needsDrawing = true
  private let session: TerminalSession
  private let makeProfile: @Sendable () -> TerminalProfile
  private let write: @Sendable (String) throws -> Void
  private var frame = LiveFrame()

  /// Standard output, with the keys of standard input where that is a terminal too.
  static func standardOutput(isASCIIAskedFor: Bool) -> Self {
    let hasKeys = StandardStream.isTerminal(StandardStream.input)
    let write: @Sendable (String) throws -> Void = { try LineWriter.standardOutput.write($0) }
    return Self(
      hasKeys: hasKeys,
      session: TerminalSession(
        output: StandardStream.output, input: hasKeys ? StandardStream.input : nil, write: write),
      makeProfile: { .standardOutput(isASCIIAskedFor: isASCIIAskedFor) }, write: write)
  }

  /// - Parameters:
  ///   - makeProfile: asks the terminal what it can show, for every picture anew, since its size changes.
  ///   - write: writes to the terminal.
  init(
    hasKeys: Bool, session: TerminalSession, makeProfile: @escaping @Sendable () -> TerminalProfile,
    write: @escaping @Sendable (String) throws -> Void
  ) {
    self.hasKeys = hasKeys
    self.session = session
    self.makeProfile = makeProfile
    self.write = write
  }

  /// The keys as they are pressed; nil where none are read.
  func keys() -> AsyncStream<Key>? { hasKeys ? Keyboard.keys() : nil }

  /// What the terminal can show now.
  var profile: TerminalProfile { makeProfile() }

  /// Takes the terminal.
  func begin() throws { try session.begin() }

  /// Gives the terminal back. The last picture stays.
  func end() { session.end() }

  /// Stops with the process and comes back with it.
  mutating func suspend() throws {
    try session.suspend()
    // The shell has written below the picture meanwhile.
    frame.forget()
    needsDrawing = true
  }

  /// Puts a picture in the place of the one before, as many of its lines as there is room for.
  ///
  /// - Parameter lines: the picture for a profile; each line is paired with the columns that it takes.
  mutating func draw(_ lines: (TerminalProfile) -> [(text: String, columns: Int)]) throws {
    let profile = makeProfile()
    try write(frame.draw(Array(lines(profile).prefix(profile.lineLimit)), columns: profile.screenColumns))
    needsDrawing = false
  }
}

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

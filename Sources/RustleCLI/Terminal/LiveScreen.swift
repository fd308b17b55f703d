import RustlePlot

/// A view that is redrawn in place on a terminal: it receives updates and keys, and draws changes.
protocol LiveView: Actor {
  var screen: LiveScreen { get set }

  /// Handles a key; returns whether it ends the run.
  func press(_ key: Key) async throws -> Bool
  func draw() throws
  /// Restores the terminal, by default under a last picture without keys. A second call does nothing.
  func end()
  /// Draws when something changed since the last picture.
  func drawIfNeeded() throws
}

extension LiveView {
  func begin() throws {
    try screen.begin()
    try draw()
  }

  func suspend() throws { try screen.suspend() }

  func end() {
    screen.hideKeys()
    try? draw()
    screen.end()
  }

  func resized() { screen.needsDrawing = true }

  func drawIfNeeded() throws { if screen.needsDrawing { try draw() } }

  /// Draws up to twenty pictures per second until the task is cancelled; does not end the run.
  func redraw() async throws -> RunEnding? {
    while !Task.isCancelled {
      try drawIfNeeded()
      try? await Task.sleep(for: .milliseconds(50))
    }
    return nil
  }
}

/// The part of a terminal that a live view draws on, with its last picture.
struct LiveScreen: Sendable {
  /// Whether keys are read; without them the help is not offered.
  private(set) var hasKeys: Bool
  var showsHelp = false
  var needsDrawing = true
  /// Whether the terminal was restored: nothing more is drawn.
  private(set) var isOver = false
  private let session: TerminalSession
  private let makeProfile: @Sendable () -> TerminalProfile
  private var frame = LiveFrame()

  /// A screen on standard output or standard error, with the keys of standard input where that is a terminal too.
  static func on(_ descriptor: Int32, isASCIIAskedFor: Bool) -> Self {
    let writer = descriptor == StandardStream.error ? LineWriter.standardError : .standardOutput
    let input = StandardStream.isTerminal(StandardStream.input) ? StandardStream.input : nil
    return Self(
      hasKeys: input != nil,
      session: TerminalSession(output: descriptor, input: input) { try writer.write($0) },
      makeProfile: { .present(of: descriptor, isASCIIAskedFor: isASCIIAskedFor) })
  }

  /// - Parameter makeProfile: returns the terminal's present profile; called for every picture, since the size changes.
  init(hasKeys: Bool, session: TerminalSession, makeProfile: @escaping @Sendable () -> TerminalProfile) {
    (self.hasKeys, self.session, self.makeProfile) = (hasKeys, session, makeProfile)
  }

  /// The keys as they are pressed; nil where none are read.
  func keys() -> AsyncStream<Key>? { hasKeys ? Keyboard.keys() : nil }

  var profile: TerminalProfile { makeProfile() }

  func begin() throws { try session.begin() }

  mutating func hideKeys() { (hasKeys, showsHelp) = (false, false) }

  /// Restores the terminal, once. The last picture stays.
  mutating func end() {
    if !isOver { session.end() }
    isOver = true
  }

  /// Suspends the process, and prepares the terminal again when it continues.
  mutating func suspend() throws {
    try session.suspend()
    // The shell has written below the picture meanwhile.
    frame.forget()
    needsDrawing = true
  }

  /// Replaces the picture by that of a profile, with as many lines as fit.
  mutating func draw(_ lines: (TerminalProfile) -> [ScreenLine]) throws {
    if isOver { return }
    let profile = makeProfile()
    try session.write(frame.draw(Array(lines(profile).prefix(profile.lineLimit)), columns: profile.screenColumns))
    needsDrawing = false
  }
}

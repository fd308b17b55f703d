import Foundation
import RustleMarket

/// The live table: takes updates and keys in, and draws itself when something changed.
actor LiveTicker {
  private let session: TerminalSession
  private let write: @Sendable (String) throws -> Void
  private let makeProfile: @Sendable () -> TerminalProfile
  private var hasKeys: Bool
  private let now: @Sendable () -> Double

  private var board: TickerBoard
  /// What is shown while the view is paused; the board itself goes on.
  private var frozen: TickerBoard?
  private var showsHelp = false
  private var frame = LiveFrame()
  private var needsDrawing = true
  private var drawnSecond = -1

  /// - Parameters:
  ///   - now: seconds since the start.
  ///   - makeProfile: asks the terminal what it can show, for every picture anew, since its size changes.
  init(
    symbols: [String], hasKeys: Bool, session: TerminalSession, now: @escaping @Sendable () -> Double,
    makeProfile: @escaping @Sendable () -> TerminalProfile, write: @escaping @Sendable (String) throws -> Void
  ) {
    board = TickerBoard(symbols: symbols)
    self.hasKeys = hasKeys
    self.session = session
    self.now = now
    self.makeProfile = makeProfile
    self.write = write
  }

  func begin() throws {
    try session.begin()
    try draw()
  }

  /// Draws the last picture and gives the terminal back.
  func end() {
    // The last picture stays on the screen: it shows the newest prices, and offers no keys any more.
    frozen = nil
    showsHelp = false
    hasKeys = false
    try? draw()
    session.end()
  }

  func apply(_ update: PriceUpdate) {
    board.apply(update)
    needsDrawing = needsDrawing || frozen == nil
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? board : nil
    case .help: showsHelp.toggle()
    case .restart, .up, .down, .left, .right, .letter: return false
    }
    needsDrawing = true
    return false
  }

  /// Stops with the process and comes back with it.
  func suspend() throws {
    try session.suspend()
    // The shell has written below the picture meanwhile.
    frame.forget()
    needsDrawing = true
  }

  func resized() { needsDrawing = true }

  /// Draws when something changed since the last picture, the clock included.
  func drawIfNeeded() throws {
    if needsDrawing || (frozen == nil && Int(now()) != drawnSecond) { try draw() }
  }

  private func draw() throws {
    let profile = makeProfile()
    let seconds = now()
    let status = TickerTable.Status(
      seconds: seconds, isPaused: frozen != nil, hasKeys: hasKeys, showsHelp: showsHelp)
    let lines = TickerTable(profile: profile).lines(frozen ?? board, status)
    try write(frame.draw(lines, columns: profile.columns))
    needsDrawing = false
    drawnSecond = Int(seconds)
  }
}

import Foundation
import RustleMarket

/// The live table: takes updates and keys in, and draws itself when something changed.
actor LiveTicker: LiveView {
  var screen: LiveScreen
  private var hasKeys: Bool
  private let now: @Sendable () -> Double

  private var board: TickerBoard
  /// What is shown while the view is paused; the board itself goes on.
  private var frozen: TickerBoard?
  private var showsHelp = false
  private var drawnSecond = -1

  /// - Parameter now: seconds since the start.
  init(symbols: [String], screen: LiveScreen, now: @escaping @Sendable () -> Double) {
    board = TickerBoard(symbols: symbols)
    self.screen = screen
    hasKeys = screen.hasKeys
    self.now = now
  }

  func end() {
    // The last picture stays on the screen: it shows the newest prices, and offers no keys any more.
    frozen = nil
    showsHelp = false
    hasKeys = false
    try? draw()
    screen.end()
  }

  func apply(_ update: PriceUpdate) {
    board.apply(update)
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? board : nil
    case .help: showsHelp.toggle()
    case .restart, .up, .down, .left, .right, .letter: return false
    }
    screen.needsDrawing = true
    return false
  }

  /// Draws when something changed since the last picture, the clock included.
  func drawIfNeeded() throws {
    if screen.needsDrawing || (frozen == nil && Int(now()) != drawnSecond) { try draw() }
  }

  func draw() throws {
    let seconds = now()
    let status = TickerTable.Status(
      seconds: seconds, isPaused: frozen != nil, hasKeys: hasKeys, showsHelp: showsHelp)
    try screen.draw { TickerTable(profile: $0).lines(frozen ?? board, status) }
    drawnSecond = Int(seconds)
  }
}

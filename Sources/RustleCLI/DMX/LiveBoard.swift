import RustleCore
import RustlePlot

/// The newest state of things that a stream reports, as lines on a terminal.
protocol Board: Sendable {
  associatedtype Record: Sendable
  /// The number of things.
  var count: Int { get }
  mutating func apply(_ element: StreamElement<Record>)
  /// The lines of the things from `first` on, at most `limit`, which is 1 or more.
  func lines(from first: Int, atMost limit: Int, _ profile: TerminalProfile) -> [ScreenLine]
}

extension Board {
  /// The lines of the things, at most `room` with those below, which count the hidden ones; each thing has `height` lines.
  func shown(
    from first: Int, height: Int = 1, room: Int, _ profile: TerminalProfile, _ thing: (Int) -> [ScreenLine]
  ) -> [ScreenLine] {
    let rows = room == 1 || first == 0 && count * height <= room ? room : room - 1
    let end = min(count, first + max(1, rows / height))
    let lines = (first..<max(first, end)).flatMap(thing).prefix(rows)
    let hidden = [first > 0 ? "\(first) above" : nil, end < count ? "\(count - end) more" : nil].compactMap(\.self)
    let more = profile.line("\(profile.glyphs.ellipsis) " + hidden.joined(separator: ", "), .dim)
    return lines + (hidden.isEmpty || room == 1 ? [] : [more])
  }
}

/// The live view of a board, which keys scroll and stop.
actor LiveBoard<Shown: Board>: LiveView {
  var screen: LiveScreen
  private var board: Shown
  /// The board shown while the view is paused; the board goes on.
  private var frozen: Shown?
  private var first = 0

  init(_ board: Shown, screen: LiveScreen) { (self.board, self.screen) = (board, screen) }

  /// Shows a stream to its end.
  func show(_ stream: EngineStream<Shown.Record>) async throws {
    for await batch in stream.batches() { update { for element in batch { $0.apply(element) } } }
    try stream.requireEnd()
  }

  func update(_ change: (inout Shown) -> Void) {
    change(&board)
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? board : nil
    case .help: screen.showsHelp.toggle()
    case .up: first -= 1
    case .down: first += 1
    case .pageUp: first -= 10
    case .pageDown: first += 10
    case .home: first = 0
    case .end: first = .max
    case .restart, .left, .right, .letter: return false
    }
    first = min(max(0, first), max(0, board.count - 1))
    screen.needsDrawing = true
    return false
  }

  func draw() throws {
    let (hasKeys, showsHelp) = (screen.hasKeys, screen.showsHelp)
    try screen.draw { profile in
      let help = ["q quit", "space pause or go on", "arrows scroll", "Ctrl-Z suspend"]
      let keys = frozen == nil ? ["q quit", "space pause", "? help"] : ["paused", "space go on", "q quit"]
      let footer = hasKeys ? profile.wrapped(showsHelp ? help : keys, .dim) : []
      let room = max(1, profile.lineLimit - footer.count)
      return (frozen ?? board).lines(from: first, atMost: room, profile) + footer
    }
  }
}

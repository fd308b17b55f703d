import Foundation
import RustleMarket
import RustlePlot

/// The live table: receives updates and keys, and draws changes.
actor LiveTicker: LiveView, TickerSink {
  var screen: LiveScreen
  /// Seconds since the start.
  private let now: @Sendable () -> Double
  private let wall: @Sendable () -> Timestamp
  private let plan: TickerPlan

  private var board: PriceBoard
  private var status: TickerStatus { didSet { if status != oldValue { changed() } } }
  /// The board and status shown while the view is paused; the board goes on.
  private var frozen: (board: PriceBoard, status: TickerStatus)?
  private var drawnSecond = -1
  /// The updates up to the last full second, and its time.
  private var counted: (seconds: Double, updates: UInt64) = (0, 0)

  init(
    _ plan: TickerPlan, screen: LiveScreen, now: @escaping @Sendable () -> Double,
    wall: @escaping @Sendable () -> Timestamp
  ) {
    (self.plan, self.screen, self.now, self.wall) = (plan, screen, now, wall)
    board = PriceBoard(symbols: plan.shownSymbols, periods: plan.content.rowPeriods)
    status = TickerStatus(droppedWord: plan.policy == nil ? "dropped" : "conflated", source: plan.sourceText)
  }

  /// The status shows the address.
  func begin(serving address: FeedAddress?) {}

  func end() {
    // The last picture stays on the screen: it shows the newest prices, without keys.
    frozen = nil
    screen.hideKeys()
    try? draw()
    screen.end()
  }

  func take(_ batch: [StreamElement<some TickerRecord>]) {
    for element in batch { board.apply(element) }
    changed()
  }

  func take(_ batch: [StreamElement<Candle>], of period: MarketCalendar.Period) {
    let period = plan.content.rowPeriods.isEmpty ? nil : period
    for element in batch { board.apply(element, of: period) }
    changed()
  }

  func take(_ alert: StreamElement<PriceAlert>) {
    switch alert {
    case .gap(let count): status.droppedAlerts += count
    case .value(let alert): status.alert = alert
    }
  }

  func take(_ notice: FeedNotice) {
    switch notice.kind {
    case .malformed, .oversized: status.fault = "malformed: \(notice.text)"
    case .other: status.fault = notice.text
    default: break
    }
  }

  func take(_ connection: FeedConnection) { status.connection = connection }

  func show(_ streams: TickerStreams) async throws(FeedError) {
    status.counts = try await streams.feed.counts
    // A merged feed's is that of all its sources.
    if plan.connection != nil, case let state = try await streams.feed.connectionState, state != .idle {
      status.connection = state
    }
    (status.lateTrades, status.outsideTrades) = (try streams.shown.lateTradeCount, streams.shown.outsideTradeCount)
    let clients = try streams.server?.counts.clients ?? 0
    status.server = streams.server.map { TickerStatus.Server(address: $0.address, clients: clients) }
  }

  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? (board, current) : nil
    case .help: screen.showsHelp.toggle()
    case .restart: board.restart()
    case .up: scroll { $0.lowerBound - 1 }
    case .down: scroll { $0.lowerBound + 1 }
    case .pageUp: scroll { $0.lowerBound - $0.count }
    case .pageDown: scroll { $0.upperBound }
    case .home: scroll { _ in 0 }
    case .end: scroll { _ in .max }
    case .left, .right, .letter: return false
    }
    screen.needsDrawing = true
    return false
  }

  /// - Parameter first: returns the first row to show, given the shown rows; it is clamped to the rows.
  private func scroll(_ first: (Range<Int>) -> Int) {
    let view = view(screen.profile)
    status.offset = min(max(0, first(view.rows)), view.board.rows.count - view.rows.count)
  }

  /// Draws when something changed since the last picture, the clock included.
  func drawIfNeeded() throws {
    if screen.needsDrawing || (frozen == nil && Int(now()) != drawnSecond) { try draw() }
  }

  func draw() throws {
    let seconds = now()
    if seconds - counted.seconds >= 1 {
      status.updatesPerSecond = Double(board.updates - counted.updates) / (seconds - counted.seconds)
      counted = (seconds, board.updates)
    }
    (status.hasKeys, status.showsHelp) = (screen.hasKeys, screen.showsHelp)
    try screen.draw { view($0).lines }
    drawnSecond = Int(seconds)
  }

  func view(_ profile: TerminalProfile) -> TickerView {
    var shown = frozen?.status ?? current
    (shown.isPaused, shown.hasKeys, shown.showsHelp) = (frozen != nil, status.hasKeys, status.showsHelp)
    shown.offset = status.offset
    return TickerView(
      frozen?.board ?? board, shown, profile: profile, isRecording: plan.source.isRecorded, content: plan.content)
  }

  private var current: TickerStatus {
    var current = status
    (current.seconds, current.now) = (now(), wall())
    return current
  }

  private func changed() { screen.needsDrawing = screen.needsDrawing || frozen == nil }
}

import Foundation
import RustleMarket
import RustlePlot

/// The state of a ticker's view beside the prices.
struct TickerStatus: Equatable, Sendable {
  /// Seconds since the start.
  var seconds = 0.0
  var now = Timestamp.unixEpoch
  /// The word for dropped updates under the policy.
  var droppedWord = "dropped"
  /// Where the prices come from: `simulated`, `replay x 10`.
  var source = ""
  var updatesPerSecond: Double?
  var counts: FeedCounts?
  var lateTrades: UInt64 = 0
  var outsideTrades: UInt64 = 0
  var connection: FeedConnection?
  var server: Server?
  var droppedAlerts: UInt64 = 0
  var alert: PriceAlert?
  var fault: String?
  /// The index of the first shown row.
  var offset = 0
  var isPaused = false
  var hasKeys = false
  var showsHelp = false

  struct Server: Equatable, Sendable {
    var address: FeedAddress
    var clients = 0
  }

  fileprivate func troubles(dropped: UInt64) -> String {
    let troubles: [(count: UInt64?, what: String)] = [
      (dropped, droppedWord), (droppedAlerts, droppedAlerts == 1 ? "alert dropped" : "alerts dropped"),
      (lateTrades, "late"), (outsideTrades, "outside of the sessions"),
      (counts?.unreadable, "malformed"), (counts?.sequenceNumbersInGaps, "in sequence gaps"),
      (counts?.dropped, "dropped by the connection"),
      (counts?.duplicates, "duplicates"), (counts?.outOfOrder, "out of order"),
    ]
    return troubles.filter { $0.count ?? 0 > 0 }.map { "\(TickerNumbers.count($0.count ?? 0)) \($0.what)" }
      .joined(separator: ", ")
  }
}

/// The layout of a board as a table on a terminal. A pure function of its arguments.
struct TickerView {
  let board: PriceBoard
  let status: TickerStatus
  let profile: TerminalProfile
  /// Whether a row shows its time, as of a recording, and not its age.
  let isRecording: Bool
  let content: TickerPlan.Content
  /// The rows that fit, from the one scrolled to.
  private(set) var rows = 0..<0
  private var hasHeader = false
  private var hasMore = false
  private var footer: [ScreenLine] = []

  /// The least important lines below the rows are left out first, then the header. A single line is that of a row.
  init(
    _ board: PriceBoard, _ status: TickerStatus, profile: TerminalProfile, isRecording: Bool = false,
    content: TickerPlan.Content = .trades
  ) {
    (self.board, self.status, self.profile) = (board, status, profile)
    (self.isRecording, self.content) = (isRecording, content)
    let (limit, total) = (profile.lineLimit, board.rows.count)
    // A header, a row, and the number of hidden rows.
    let least = 1 + min(2, total)
    footer = footer(atMost: limit == 1 ? min(1, 2 - least) : max(1, limit - least))
    hasHeader = limit - footer.count > min(1, total)
    let room = limit - footer.count - (hasHeader ? 1 : 0)
    let count = total <= room ? total : max(1, room - 1)
    let first = min(max(0, status.offset), total - count)
    rows = first..<first + count
    hasMore = total > room && count < room
  }

  /// The lines with their widths in columns, as many as fit the terminal without scrolling.
  var lines: [ScreenLine] {
    let table = table
    let shown = board.rows[rows].map { $0.last == nil ? waiting($0) : table.row($0) }
    let (above, below) = (rows.lowerBound, board.rows.count - rows.upperBound)
    let hidden = [above > 0 ? "\(above) above" : nil, below > 0 ? "\(below) more" : nil].compactMap(\.self)
    let more = line("\(profile.glyphs.ellipsis) " + hidden.joined(separator: ", "), .dim)
    return (hasHeader ? [table.titles] : []) + shown + (hasMore ? [more] : []) + footer
  }

  /// The line of a row without a price.
  private func waiting(_ row: PriceBoard.Row) -> ScreenLine {
    guard let period = row.period else { return line(row.symbol) }
    let width = max(3, content.rowPeriods.map(\.description.count).max() ?? 0)
    return line(
      DisplayWidth.fit(row.symbol, to: symbolWidth, ellipsis: profile.glyphs.ellipsis) + " "
        + period.description.leftPadded(to: width))
  }

  /// The newest alert and fault, the state of the feed, and the keys: the most important lines, at most `limit`. What is longer
  /// than a line takes more of them where there is room.
  private func footer(atMost limit: Int) -> [ScreenLine] {
    let isWaiting =
      switch status.connection {
      case .idle?, .connecting?: true
      default: false
      }
    let clients = status.server.map { "\($0.clients) \($0.clients == 1 ? "client" : "clients")" } ?? ""
    let clock = status.alert?.time.timeOfDay() ?? ""
    let troubles = status.troubles(dropped: board.dropped)
    let help = ["q quit", "space pause or go on", "r restart changes", "arrows scroll", "Ctrl-Z suspend"]
    let parts: [(rank: Int, words: [String?], ink: Ink)] = [
      (3, [status.alert.map { "ALERT \(clock)  \($0.text)" }], .yellow),
      (5, [status.fault], .yellow),
      (2, [isConnected ? nil : status.connection?.text], isWaiting ? .dim : .yellow),
      (6, [status.server.map { "serving \($0.address), \(clients)" }], .dim),
      (4, [troubles.isEmpty ? nil : troubles], .yellow),
      (0, state, .dim),
      (1, status.showsHelp ? help : [], .dim),
    ]
    let kept = parts.filter { !$0.words.compactMap(\.self).isEmpty }.sorted { $0.rank < $1.rank }.prefix(max(0, limit))
    var left = max(0, limit) - kept.count
    var texts: [Int: [String]] = [:]
    for part in kept {
      let words = part.words.compactMap(\.self)
      let wrapped = TextCells.wrapped(words, columns: profile.columns)
      texts[part.rank] = wrapped.count - 1 <= left ? wrapped : [words.joined(separator: "  ")]
      left -= (texts[part.rank]?.count ?? 1) - 1
    }
    return parts.flatMap { part in
      (texts[part.rank] ?? []).map { line(String($0.drop { $0 == " " }), part.ink) }
    }
  }

  private var isConnected: Bool { if case .connected? = status.connection { true } else { false } }

  private var state: [String] {
    let seconds = Int(status.seconds)
    let source = isConnected ? status.connection?.text ?? "" : status.source
    let rate = status.updatesPerSecond.map { ", \(UnitLabel.amount($0.rounded()))/s" } ?? ""
    let updates = "\(TickerNumbers.count(board.updates)) \(content.isCandles ? "candles" : "updates")\(rate)"
    let keys = status.isPaused ? "q quit  space go on" : "q quit  space pause  ? help"
    return [
      String(format: "%d:%02d  ", seconds / 60, seconds % 60) + source, " " + (status.isPaused ? "paused" : updates),
    ] + (status.hasKeys ? [" " + keys] : [])
  }

  /// A line in one ink, of which control characters are no part.
  private func line(_ text: String, _ ink: Ink? = nil) -> ScreenLine {
    profile.line(CommandFailure.visible(text), ink)
  }
}

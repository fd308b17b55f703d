import Foundation
import RustleMarket
import RustlePlot

/// The state of a ticker's view beside the prices.
struct TickerStatus: Equatable, Sendable {
  /// Seconds since the start.
  var seconds = 0.0
  /// The time now, in nanoseconds since 1970.
  var now: Int64 = 0
  /// The word for dropped updates under the policy.
  var lostWord = "dropped"
  /// Where the prices come from: `simulated`, `replay x 10`.
  var source = ""
  /// Updates in the last second.
  var updatesPerSecond: Double?
  /// The counts of the source; nil at first.
  var counts: FeedCounts?
  /// Trades that arrived too late for their candle.
  var late: UInt64 = 0
  /// The state of the source's connection; nil for a source without one.
  var connection: FeedConnection?
  /// The server's address and clients; nil without a server.
  var server: Server?
  /// The number of dropped alerts.
  var lostAlerts: UInt64 = 0
  /// The newest alert.
  var alert: PriceAlert?
  /// The fault of the newest malformed message.
  var fault: String?
  /// The index of the first shown row.
  var offset = 0
  var isPaused = false
  /// Whether keys are read; without them the help is not offered.
  var hasKeys = false
  var showsHelp = false

  struct Server: Equatable, Sendable {
    var address: FeedAddress
    var clients = 0
  }

  /// The losses and faults with their counts; empty without any.
  fileprivate func troubles(dropped: UInt64) -> [String] {
    let troubles: [(count: UInt64?, what: String)] = [
      (dropped, lostWord), (lostAlerts, lostAlerts == 1 ? "alert dropped" : "alerts dropped"), (late, "late"),
      (counts.map { $0.malformed + $0.oversized }, "malformed"), (counts?.skippedNumbers, "missing from the source"),
      (counts?.duplicates, "duplicates"), (counts?.outOfOrder, "out of order"),
    ]
    return troubles.compactMap { count, what in
      count.flatMap { $0 == 0 ? nil : "\(TickerNumbers.count($0)) \(what)" }
    }
  }
}

/// The layout of a board as a table on a terminal. A pure function of its arguments.
struct TickerView {
  let profile: TerminalProfile
  /// Whether a row shows its time, as of a recording, and not its age.
  var isRecording = false
  /// The kind of the rows.
  var content = TickerPlan.Content.trades

  /// The lines with their widths in columns, as many as fit the terminal without scrolling: the least important lines below
  /// the rows are left out first, then the header. A single line is that of a row.
  func lines(_ board: TickerBoard, _ status: TickerStatus) -> [ScreenLine] {
    let columns = TickerColumns(
      board, width: profile.columns, isRecording: isRecording, content: content, now: status.now,
      glyphs: profile.glyphs
    ).all
    let layout = layout(board, status)
    var lines: [ScreenLine] = []
    if layout.hasHeader {
      lines.append(line(columns.map { Self.blanks($0.gap) + fit($0.title, $0) }.joined(), .bold))
    }
    for row in board.rows[layout.rows] { lines.append(line(row, columns)) }
    if layout.reportsMore { lines.append(line(more(layout.rows, of: board.rows.count), .dim)) }
    return lines + layout.below
  }

  /// The rows that fit, from the one scrolled to.
  func rows(_ board: TickerBoard, _ status: TickerStatus) -> Range<Int> { layout(board, status).rows }

  private func layout(
    _ board: TickerBoard, _ status: TickerStatus
  ) -> (hasHeader: Bool, rows: Range<Int>, reportsMore: Bool, below: [ScreenLine]) {
    let limit = profile.lineLimit
    // A header, a row, and the number of hidden rows.
    let least = 1 + min(2, board.rows.count)
    let below = footer(board, status, atMost: limit == 1 ? min(1, 2 - least) : max(1, limit - least))
    let hasHeader = limit - below.count > min(1, board.rows.count)
    let room = limit - below.count - (hasHeader ? 1 : 0)
    let isWhole = board.rows.count <= room
    let count = isWhole ? board.rows.count : max(1, room - 1)
    let first = min(max(0, status.offset), board.rows.count - count)
    return (hasHeader, first..<first + count, count < room && !isWhole, below)
  }

  private func more(_ rows: Range<Int>, of total: Int) -> String {
    let (above, below) = (rows.lowerBound, total - rows.upperBound)
    let parts = [above > 0 ? "\(above) above" : nil, below > 0 ? "\(below) more" : nil]
    return "\(profile.glyphs.ellipsis) " + parts.compactMap(\.self).joined(separator: ", ")
  }

  private func line(_ row: TickerBoard.Row, _ columns: [TickerColumns.Column]) -> ScreenLine {
    guard let last = row.last else { return line(row.symbol) }
    let cells = columns.map { column in
      let (text, ink) = column.cell(row, last)
      return Self.blanks(column.gap) + profile.paint(fit(text, column), ink)
    }
    return (cells.joined(), columns.reduce(0) { $0 + $1.gap + $1.width })
  }

  /// The newest alert and fault, the state of the feed, and the keys: the most important lines, at most `limit`.
  private func footer(_ board: TickerBoard, _ status: TickerStatus, atMost limit: Int) -> [ScreenLine] {
    var parts: [(rank: Int, line: ScreenLine)] = []
    if let alert = status.alert {
      let clock = MarketTime.timeOfDay(alert.timeNanoseconds, hasMilliseconds: false)
      parts.append((3, line("ALERT \(clock)  \(alert.text)", .yellow)))
    }
    if let fault = status.fault { parts.append((5, line("malformed: \(fault)", .yellow))) }
    switch status.connection {
    case nil, .connected: break
    case .reconnecting?, .closed?: parts.append((2, line(status.connection?.text ?? "", .yellow)))
    case .idle?, .connecting?: parts.append((2, line(status.connection?.text ?? "", .dim)))
    }
    if let server = status.server {
      let clients = "\(server.clients) \(server.clients == 1 ? "client" : "clients")"
      parts.append((6, line("serving \(server.address), \(clients)", .dim)))
    }
    let troubles = status.troubles(dropped: board.dropped)
    if !troubles.isEmpty { parts.append((4, line(troubles.joined(separator: ", "), .yellow))) }
    parts.append((0, line(state(board, status), .dim)))
    if status.showsHelp {
      let keys = "q quit  space pause or go on  r restart changes  arrows scroll  Ctrl-Z suspend"
      parts.append((1, line(keys, .dim)))
    }
    let kept = parts.map(\.rank).sorted().prefix(max(0, limit))
    return parts.filter { kept.contains($0.rank) }.map(\.line)
  }

  private func state(_ board: TickerBoard, _ status: TickerStatus) -> String {
    let seconds = Int(status.seconds)
    var source = status.source
    if case .connected? = status.connection { source = status.connection?.text ?? source }
    var parts = [String(format: "%d:%02d  ", seconds / 60, seconds % 60) + source]
    if status.isPaused {
      parts.append("paused")
    } else {
      let isCandle = if case .candles = content { true } else { false }
      let rate = status.updatesPerSecond.map { ", \(TickerNumbers.amount($0.rounded()))/s" } ?? ""
      parts.append("\(TickerNumbers.count(board.updates)) \(isCandle ? "candles" : "updates")\(rate)")
    }
    if status.hasKeys { parts.append(status.isPaused ? "q quit  space go on" : "q quit  space pause  ? help") }
    return parts.joined(separator: "   ")
  }

  /// A line in one ink, cut to the terminal's width and without spaces at its end.
  private func line(_ text: String, _ ink: Painter.Ink? = nil) -> ScreenLine {
    profile.line(CommandFailure.visible(text).withoutSpacesAtEnd, ink)
  }

  private func fit(_ text: String, _ column: TickerColumns.Column) -> String {
    DisplayWidth.fit(text, to: column.width, alignRight: column.isRight, ellipsis: profile.glyphs.ellipsis)
  }

  private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

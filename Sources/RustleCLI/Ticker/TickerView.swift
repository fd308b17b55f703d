import Foundation
import RustleMarket

/// What a ticker's view shows beside the prices.
struct TickerStatus: Equatable, Sendable {
  /// Seconds since the start.
  var seconds = 0.0
  /// The time now, in nanoseconds since 1970.
  var now: Int64 = 0
  /// What became of updates that were not taken in time, as the policy has it.
  var lostWord = "lost"
  /// Where the prices come from: `simulated`, `replay x 10`.
  var source = ""
  /// Updates in the last second.
  var updatesPerSecond: Double?
  /// What the source met with; nil before it was asked.
  var counts: FeedCounts?
  /// Trades that came too late for their candle.
  var late: UInt64 = 0
  /// The state of the source's connection; nil for a source that has none.
  var connection: FeedConnection?
  /// Where the source is given to others, and to how many; nil: nowhere.
  var server: Server?
  /// Alerts that were not taken in time.
  var lostAlerts: UInt64 = 0
  /// The newest alert.
  var alert: PriceAlert?
  /// What was wrong with the newest message that could not be read.
  var fault: String?
  /// The first row that is shown, from 0.
  var offset = 0
  var isPaused = false
  /// Whether keys are read: without them they are not offered.
  var hasKeys = false
  var showsHelp = false

  struct Server: Equatable, Sendable {
    var address: FeedAddress
    var clients = 0
  }

  /// How much was lost, left out or not understood, in words; nothing where there is nothing to tell.
  fileprivate func troubles(lost: UInt64) -> [String] {
    let troubles: [(count: UInt64?, what: String)] = [
      (lost, lostWord), (lostAlerts, lostAlerts == 1 ? "alert lost" : "alerts lost"), (late, "late"),
      (counts.map { $0.malformed + $0.oversized }, "unreadable"), (counts?.skippedNumbers, "skipped by the source"),
      (counts?.duplicates, "duplicates"), (counts?.outOfOrder, "out of order"),
    ]
    return troubles.compactMap { count, what in
      count.flatMap { $0 == 0 ? nil : "\(TickerNumbers.count($0)) \(what)" }
    }
  }
}

/// Lays a board out as a table for a terminal. A pure function of what it is given.
struct TickerView {
  let profile: TerminalProfile
  /// Whether a row's time is told as such, and not as what it is behind now: that of a recording.
  var isRecording = false
  /// What the rows are.
  var content = TickerPlan.Content.trades

  /// The lines and the columns that each takes. There are never more lines than the terminal has room for without scrolling: of
  /// what stands below the rows the least important goes first, then the header. Where there is room for one line, it is that of
  /// a row.
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

  /// The rows that there is room for, from the one that was scrolled to.
  func rows(_ board: TickerBoard, _ status: TickerStatus) -> Range<Int> { layout(board, status).rows }

  private func layout(
    _ board: TickerBoard, _ status: TickerStatus
  ) -> (hasHeader: Bool, rows: Range<Int>, reportsMore: Bool, below: [ScreenLine]) {
    let limit = profile.lineLimit
    // A header, a row, and how many more there are.
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

  /// The newest alert and fault, what there is to say about the feed, and the keys; of that at most `limit` lines, the most
  /// important.
  private func footer(_ board: TickerBoard, _ status: TickerStatus, atMost limit: Int) -> [ScreenLine] {
    var parts: [(rank: Int, line: ScreenLine)] = []
    if let alert = status.alert {
      let clock = MarketTime.timeOfDay(alert.timeNanoseconds, hasMilliseconds: false)
      parts.append((3, line("ALERT \(clock)  \(alert.text)", .yellow)))
    }
    if let fault = status.fault { parts.append((5, line("unreadable: \(fault)", .yellow))) }
    switch status.connection {
    case nil, .connected: break
    case .reconnecting?, .closed?: parts.append((2, line(status.connection?.text ?? "", .yellow)))
    case .idle?, .connecting?: parts.append((2, line(status.connection?.text ?? "", .dim)))
    }
    if let server = status.server {
      let clients = "\(server.clients) \(server.clients == 1 ? "client" : "clients")"
      parts.append((6, line("serving \(server.address), \(clients)", .dim)))
    }
    let troubles = status.troubles(lost: board.lost)
    if !troubles.isEmpty { parts.append((4, line(troubles.joined(separator: ", "), .yellow))) }
    parts.append((0, line(state(board, status), .dim)))
    if status.showsHelp {
      let keys = "q quit  space pause or go on  r changes from now  arrows scroll  Ctrl-Z suspend"
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

import RustleMarket

/// Lays a board out as a table for a terminal. A pure function of what it is given.
struct TickerTable {
  typealias Line = (text: String, columns: Int)

  let profile: TerminalProfile
  /// Whether a row's time is told as such, and not as what it is behind now: that of a recording.
  let isRecording: Bool
  /// What the rows are.
  let content: TickerColumns.Content

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  init(profile: TerminalProfile, isRecording: Bool = false, content: TickerColumns.Content = .quotes) {
    self.profile = profile
    self.isRecording = isRecording
    self.content = content
  }

  /// The lines and the columns that each takes. There are never more lines than the terminal has room for without scrolling: of what
  /// stands below the rows the least important goes first, then the header. Where there is room for one line, it is that of a row.
  func lines(_ board: TickerBoard, _ status: TickerStatus) -> [Line] {
    let columns = TickerColumns(board: board, width: profile.columns, isRecording: isRecording, content: content)
    let layout = layout(board, status)
    var lines = layout.hasHeader ? [line(columns.header { fit($0, $1, alignRight: $2) }, .bold)] : []
    for row in board.rows[layout.rows] { lines.append(line(row, columns, status)) }
    if layout.tellsMore { lines.append(line(more(layout.rows, of: board.rows.count), .dim)) }
    return lines + layout.below
  }

  /// The rows that there is room for, from the one that was scrolled to.
  func rows(_ board: TickerBoard, _ status: TickerStatus) -> Range<Int> { layout(board, status).rows }

  private func layout(
    _ board: TickerBoard, _ status: TickerStatus
  ) -> (hasHeader: Bool, rows: Range<Int>, tellsMore: Bool, below: [Line]) {
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
    return "\(glyphs.ellipsis) " + parts.compactMap { $0 }.joined(separator: ", ")
  }

  private func line(_ row: TickerBoard.Row, _ columns: TickerColumns, _ status: TickerStatus) -> Line {
    guard let last = row.last, let change = row.change else { return line(row.symbol, nil) }
    let (mark, ink) = TickerNumbers.direction(change).mark(glyphs)
    var text = ""
    var used = 0
    for column in columns.all {
      let (cell, color): (String, Painter.Ink?) =
        switch column.kind {
        case .symbol: (row.symbol, .bold)
        case .price: (TickerNumbers.price(last), nil)
        case .change: ("\(mark) \(TickerNumbers.change(change, glyphs: glyphs))", ink)
        case .difference: (TickerNumbers.difference(row.difference, glyphs: glyphs), ink)
        case .spark: (Sparkline.text(row.history, width: column.width, glyphs: glyphs), .cyan)
        case .volume: (TickerNumbers.amount(row.volume), nil)
        case .lag: (MarketTime.age(status.now - row.timeNanoseconds), .dim)
        case .time: (MarketTime.timeOfDay(row.timeNanoseconds, hasMilliseconds: false), .dim)
        case .open, .high, .low, .mean, .deviation: (row.text(of: column.kind) ?? "", nil)
        }
      text += String(repeating: " ", count: column.gap)
      text += painter(fit(cell, column.width, alignRight: column.isRight), color)
      used += column.gap + column.width
    }
    return (text, used)
  }

  /// What stands below the rows, the most important first.
  private enum Part: Int {
    case state, help, connection, alert, troubles, fault, server
  }

  /// The newest alert and fault, what there is to say about the feed, and the keys; of that at most `limit` lines, the most
  /// important.
  private func footer(_ board: TickerBoard, _ status: TickerStatus, atMost limit: Int) -> [Line] {
    var parts: [(part: Part, line: Line)] = []
    if let alert = status.alert {
      let clock = MarketTime.timeOfDay(alert.timeNanoseconds, hasMilliseconds: false)
      parts.append((.alert, line("ALERT \(clock)  \(AlertText.text(alert))", .yellow)))
    }
    if let fault = status.fault { parts.append((.fault, line("unreadable: \(fault)", .yellow))) }
    if let connection = status.connection {
      switch connection {
      case .connected: break
      case .reconnecting, .closed: parts.append((.connection, line(connection.text, .yellow)))
      case .idle, .connecting: parts.append((.connection, line(connection.text, .dim)))
      }
    }
    if let server = status.server { parts.append((.server, line(server.text, .dim))) }
    let troubles = status.troubles(lost: board.lost)
    if !troubles.isEmpty { parts.append((.troubles, line(troubles.joined(separator: ", "), .yellow))) }
    parts.append((.state, line(state(board, status), .dim)))
    if status.showsHelp {
      let keys = "q quit  space pause or go on  r changes from now  arrows scroll  Ctrl-Z suspend"
      parts.append((.help, line(keys, .dim)))
    }
    let kept = parts.map(\.part.rawValue).sorted().prefix(max(0, limit))
    return parts.filter { kept.contains($0.part.rawValue) }.map(\.line)
  }

  private func state(_ board: TickerBoard, _ status: TickerStatus) -> String {
    let seconds = Int(status.seconds)
    let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    var source = status.source
    if case .connected? = status.connection { source = status.connection?.text ?? source }
    var parts = ["\(clock)  \(source)"]
    if status.isPaused {
      parts.append("paused")
    } else {
      let what = content == .candles ? "candles" : "updates"
      parts.append("\(TickerNumbers.count(board.updates)) \(what)")
      if let rate = status.updatesPerSecond { parts[parts.count - 1] += ", \(TickerNumbers.amount(rate.rounded()))/s" }
    }
    if status.hasKeys { parts.append(status.isPaused ? "q quit  space go on" : "q quit  space pause  ? help") }
    return parts.joined(separator: "   ")
  }

  /// A line in one ink, cut to the terminal's width and without spaces at its end.
  private func line(_ text: String, _ ink: Painter.Ink?) -> Line {
    let trimmed = String(CommandFailure.visible(text).reversed().drop { $0 == " " }.reversed())
    let columns = min(DisplayWidth.columns(of: trimmed), profile.columns)
    return (painter(fit(trimmed, columns), ink), columns)
  }

  private func fit(_ text: String, _ width: Int, alignRight: Bool = false) -> String {
    DisplayWidth.fit(text, to: width, alignRight: alignRight, ellipsis: glyphs.ellipsis)
  }
}

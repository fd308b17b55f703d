import RustleMarket

/// Lays a board out as a table for a terminal. A pure function of what it is given.
struct TickerTable {
  typealias Line = (text: String, columns: Int)

  let profile: TerminalProfile
  /// Whether a row's time is told as such, and not as what it is behind now: that of a recording.
  let isRecording: Bool
  /// How long a candle is, where the rows are candles.
  let interval: String?

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  init(profile: TerminalProfile, isRecording: Bool = false, interval: String? = nil) {
    self.profile = profile
    self.isRecording = isRecording
    self.interval = interval
  }

  /// The lines and the columns that each takes. There are never more lines than the terminal has rows but one, so that
  /// the picture does not scroll.
  func lines(_ board: TickerBoard, _ status: TickerStatus) -> [Line] {
    let columns = TickerColumns(board: board, width: profile.columns, isRecording: isRecording, interval: interval)
    let below = footer(board, status)
    let room = max(1, profile.rows - 2 - below.count)
    let isWhole = board.rows.count <= room
    let count = isWhole ? board.rows.count : max(1, room - 1)
    let offset = min(max(0, status.offset), board.rows.count - count)
    var lines = [line(columns.header { fit($0, $1, alignRight: $2) }, .bold)]
    for row in board.rows[offset..<offset + count] { lines.append(line(row, columns, status)) }
    if !isWhole { lines.append(line(more(offset, count, of: board.rows.count), .dim)) }
    return lines + below
  }

  private func more(_ offset: Int, _ count: Int, of total: Int) -> String {
    let below = total - offset - count
    let parts = [offset > 0 ? "\(offset) above" : nil, below > 0 ? "\(below) more" : nil]
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
        case .open: (row.candle.map { TickerNumbers.price($0.open) } ?? "", nil)
        case .high: (row.candle.map { TickerNumbers.price($0.high) } ?? "", nil)
        case .low: (row.candle.map { TickerNumbers.price($0.low) } ?? "", nil)
        }
      text += String(repeating: " ", count: column.gap)
      text += painter(fit(cell, column.width, alignRight: column.isRight), color)
      used += column.gap + column.width
    }
    return (text, used)
  }

  /// The newest alert and fault, what there is to say about the feed, and the keys.
  private func footer(_ board: TickerBoard, _ status: TickerStatus) -> [Line] {
    var lines: [Line] = []
    if let alert = status.alert {
      let clock = MarketTime.timeOfDay(alert.timeNanoseconds, hasMilliseconds: false)
      lines.append(line("ALERT \(clock)  \(AlertText.text(alert))", .yellow))
    }
    if let fault = status.fault { lines.append(line("unreadable: \(fault)", .yellow)) }
    if let connection = status.connection {
      switch connection {
      case .connected: break
      case .reconnecting, .closed: lines.append(line(connection.text, .yellow))
      case .idle, .connecting: lines.append(line(connection.text, .dim))
      }
    }
    if let server = status.server { lines.append(line(server.text, .dim)) }
    let troubles = status.troubles(lost: board.lost)
    if !troubles.isEmpty { lines.append(line(troubles.joined(separator: ", "), .yellow)) }
    lines.append(line(state(board, status), .dim))
    if status.showsHelp {
      lines.append(
        line("q quit  space pause or go on  r changes from now  up down scroll  Ctrl-Z suspend", .dim)
      )
    }
    return lines
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
      let what = interval == nil ? "updates" : "candles"
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

import Foundation
import RustleMarket

/// Where the lines of a run go: the tasks that write them take turns, so that no line stands within another.
actor TickerOutput: TickerSink {
  private let writer: LineWriter
  private let notes: LineWriter?
  /// Whether it is told where updates are missing: not to whoever asked for the newest alone.
  private let tellsGaps: Bool
  /// Whether numbers that the source skipped are told in their place: they are lost there, as in a stream of this process.
  private let tellsSkips: Bool
  private var quotes: TickerLines
  private let candles: CandleLines?
  private let rolling: StatisticsLines?
  private var text = ByteText()

  /// Messages that were told of.
  private var told = 0

  /// So many messages that could not be read are told one by one.
  private static let mostTold = 5

  /// - Parameters:
  ///   - plan: what the lines are of.
  ///   - notes: where it is told what becomes of the source; nil: nowhere.
  init(
    _ plan: TickerPlan, format: OutputFormat, profile: TerminalProfile, to writer: LineWriter, notes: LineWriter?
  ) {
    self.writer = writer
    self.notes = notes
    tellsGaps = plan.policy == .all
    tellsSkips = plan.policy == .all && plan.connection != nil
    quotes = TickerLines(format: format, profile: profile, isInMilliseconds: plan.isSimulated)
    candles = plan.candles.map {
      CandleLines(format: format, profile: profile, intervalNanoseconds: $0.interval.nanoseconds)
    }
    rolling = plan.statistics.map {
      StatisticsLines(format: format, profile: profile, windowNanoseconds: $0.nanoseconds)
    }
  }

  func begin() throws { try writer.write(candles?.header ?? rolling?.header ?? quotes.header) }

  func take(_ batch: [StreamElement<Quote>]) throws {
    for element in batch where tellsGaps || element.value != nil {
      if tellsSkips, let skipped = element.value?.skipped, skipped > 0 { quotes.append(.gap(skipped), to: &text) }
      quotes.append(element, to: &text)
    }
    try flush()
  }

  func take(_ batch: [StreamElement<Candle>]) throws {
    for element in batch where tellsGaps || element.value != nil { candles?.append(element, to: &text) }
    try flush()
  }

  func take(_ batch: [StreamElement<PriceStatistics>]) throws {
    for element in batch where tellsGaps || element.value != nil { rolling?.append(element, to: &text) }
    try flush()
  }

  /// An alert stands within an object of its own, so that who reads the lines as quotes does not take it for one. CSV, whose rows
  /// are updates, has none: it is a note there.
  func take(_ alert: StreamElement<PriceAlert>) throws {
    switch quotes.format {
    case .csv: try? notes?.write(line(alert))
    case .ndjson: text.append(Self.json(alert))
    case .auto, .text: text.append(line(alert))
    }
    try flush()
  }

  func take(_ notice: FeedNotice) {
    let text = CommandFailure.visible(notice.text)
    switch notice.kind {
    case .malformed(let message):
      if told < Self.mostTold { try? notes?.write("rustle: line \(message + 1) was skipped: \(text)\n") }
      told += 1
    case .oversized:
      if told < Self.mostTold { try? notes?.write("rustle: a line was skipped: \(text)\n") }
      told += 1
    default: break
    }
  }

  func take(_ connection: FeedConnection) {
    switch connection {
    case .connected, .reconnecting: try? notes?.write("rustle: \(CommandFailure.visible(connection.text))\n")
    // The end is told as that of the run.
    case .idle, .connecting, .closed: break
    }
  }

  private func line(_ alert: StreamElement<PriceAlert>) -> String {
    switch alert {
    case .gap(let count): "\(Glyphs(for: quotes.profile).ellipsis) \(count) alerts are missing here\n"
    case .value(let alert): "\(MarketTime.timeOfDay(alert.timeNanoseconds))  ALERT  \(AlertText.text(alert))\n"
    }
  }

  static func json(_ element: StreamElement<PriceAlert>) -> String {
    let alert: PriceAlert
    switch element {
    case .gap(let count): return "{\"v\":1,\"alert\":{\"gap\":\(count)}}\n"
    case .value(let value): alert = value
    }
    let threshold = alert.threshold
    var inner = ByteText()
    inner.append("{\"v\":1,\"alert\":{\"symbol\":\(JSONLine.quoted(threshold.symbol)),\"\(threshold.direction)\":")
    inner.append(threshold.level)
    inner.append(",\"price\":")
    inner.append(alert.price)
    let isWhole = alert.timeNanoseconds.isMultiple(of: 1_000_000)
    inner.append(isWhole ? ",\"t_ms\":" : ",\"t_ns\":")
    inner.append(isWhole ? alert.timeNanoseconds / 1_000_000 : alert.timeNanoseconds)
    inner.append("}}\n")
    return inner.string
  }

  private func flush() throws {
    defer { text.removeAll() }
    if !text.bytes.isEmpty { try writer.write(Data(text.bytes)) }
  }
}

extension Duration {
  /// Whole nanoseconds, rounded down; at most and at least what an `Int64` holds.
  var nanoseconds: Int64 {
    Int64(clamping: Int128(components.seconds) * 1_000_000_000 + Int128(components.attoseconds / 1_000_000_000))
  }
}

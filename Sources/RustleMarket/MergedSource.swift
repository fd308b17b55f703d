internal import RustleCore
internal import RustleFiles

/// A source of a ``MergedFeed`` while it runs.
struct MergedSource: Sendable {
  let name: String
  let configuration: FeedConfiguration
  let feed: MarketFeed
  let trades: EngineStream<Trade>
  let notices: EngineStream<FeedNotice>
  /// The states of its connection; nil among recordings.
  let connections: EngineStream<FeedConnection>?

  /// The reason of its end, with its name; nil while it runs, and where it has not failed.
  var failure: String? {
    switch trades.outcome {
    case .failed(let reason), .panicked(let reason): "\(name): \(reason)"
    case .ended, .cancelled, nil: nil
    }
  }

  /// - Throws: ``FeedError/Code/ended``: a recording has failed, and with it the feed.
  func checkEnd() throws(FeedError) {
    if configuration.isRecorded, let failure { throw FeedError(code: .ended, message: failure) }
  }

  /// Forwards skipped messages and the end, with the name of the source.
  ///
  /// - Parameter withEnd: whether an end without a fault is reported too.
  func reportNotices(to sources: MergedSources, withEnd: Bool) async throws {
    try await feed.deliver(notices) { notice in
      switch notice.kind {
      case .malformed, .oversized: sources.report(notice.kind, notice.time, "\(name): \(notice.text)")
      case .closed where withEnd || !notice.text.isEmpty:
        sources.report(.other, notice.time, "\(name) has ended" + (notice.text.isEmpty ? "" : ": \(notice.text)"))
      default: break
      }
    }
  }
}

/// The trades of a recording that is merged with others.
struct MergedReader {
  /// The first trade that is not written; nil before the first is read, and at the end.
  private(set) var next: Trade?
  /// Its time in the order; that of the trade before it, if it has none.
  private(set) var time = Timestamp.min
  var lines: MergedLines
  let source: MergedSource
  private let begin: Timestamp
  private var batches: EngineStreamBatches<Trade>.Iterator
  private var elements: ArraySlice<StreamElement<Trade>> = []

  init(_ source: MergedSource, lines: MergedLines, begin: Timestamp) {
    (self.source, self.lines, self.begin) = (source, lines, begin)
    batches = source.trades.batches().makeAsyncIterator()
  }

  /// Reads up to the next trade.
  mutating func read() async {
    while next == nil {
      guard elements.isEmpty else { return advance() }
      guard let batch = await batches.next() else { return }
      elements = batch[...]
      advance()
    }
  }

  /// Goes on to the next trade that was read.
  mutating func advance() {
    next = nil
    while let element = elements.popFirst() {
      switch element {
      case .gap(let count): lines.missing += count
      case .value(let trade):
        next = trade
        // The time of arrival is later than the begin.
        if trade.time < begin || trade.time > .now + .seconds(1) { time = trade.time }
        return
      }
    }
  }
}

/// The lines of a source in a merged feed: its name stands before its symbols.
struct MergedLines {
  let source: String
  let sources: MergedSources
  /// Whether a trade that has no line ends the feed.
  let isStrict: Bool
  /// Trades that are missing before the next one.
  var missing: UInt64 = 0
  /// The fault of a strict recording, after which there are no lines.
  private(set) var fault: FeedError?

  init(source: String, sources: MergedSources, isStrict: Bool) {
    (self.source, self.sources, self.isStrict) = (source, sources, isStrict)
  }

  mutating func append(_ element: StreamElement<Trade>, to text: inout ByteText) {
    switch element {
    case .gap(let count): missing += count
    case .value(let trade): append(trade, to: &text)
    }
  }

  mutating func append(_ trade: Trade, to text: inout ByteText) {
    if fault != nil { return }
    // Sequence numbers, if there are any, have the gap.
    if trade.sequence == nil { missing += trade.sequenceGap }
    finish(&text)
    let symbol = "\(source):\(trade.symbol)"
    if symbol.utf8.count > MergedFeed.nameLimit {
      let message = sources.refuse(trade, of: source)
      if isStrict { fault = FeedError(code: .symbolTooLong, message: message) }
      return
    }
    let named = Trade(
      symbol: symbol, price: trade.price, size: trade.size, time: trade.time, sequence: trade.sequence,
      side: trade.side, quote: trade.quote)
    named.appendJSON(LineStyle(), to: &text)
  }

  /// Writes what is missing.
  mutating func finish(_ text: inout ByteText) {
    if missing > 0 { text.append("{\"v\":1,\"gap\":\(missing)}\n") }
    missing = 0
  }
}

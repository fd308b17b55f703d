internal import RustleCore
internal import Synchronization

/// A source of a ``MergedFeed`` while it runs.
struct MergedSource: Sendable {
  let name: String
  let feed: MarketFeed
  let trades: EngineStream<Trade>
  let notices: EngineStream<FeedNotice>

  /// Forwards skipped messages and the end, with the name of the source.
  ///
  /// - Parameter withEnd: whether an end without a fault is reported too.
  func reportNotices(to sources: MergedSources, withEnd: Bool) async {
    for await case .value(let notice) in notices {
      switch notice.kind {
      case .malformed, .oversized: sources.report(notice.kind, notice.time, "\(name): \(notice.text)")
      case .closed where withEnd || !notice.text.isEmpty:
        sources.report(.other, notice.time, "\(name) has ended" + (notice.text.isEmpty ? "" : ": \(notice.text)"))
      default: break
      }
    }
  }
}

/// The faults and counts of a merged feed's sources.
final class MergedSources: Sendable {
  /// The newest 1,024 notices of the sources, for one reader.
  let notices: AsyncStream<FeedNotice>
  private let continuation: AsyncStream<FeedNotice>.Continuation
  private let writers = Mutex<[FeedWriter]>([])

  init() {
    (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
  }

  func add(_ writer: FeedWriter) { writers.withLock { $0.append(writer) } }

  func report(_ kind: FeedNotice.Kind, _ time: Timestamp, _ text: String) {
    continuation.yield(FeedNotice(kind: kind, time: time, text: text))
  }

  /// The counts of the feed, with what its sources read and left out.
  func counts(with counts: FeedCounts) throws(FeedError) -> FeedCounts {
    let writers = writers.withLock { $0 }
    if writers.isEmpty { return counts }
    var sources: [FeedCounts] = []
    for writer in writers { sources.append(try writer.counts) }
    func sum(_ count: KeyPath<FeedCounts, UInt64>) -> UInt64 { sources.reduce(0) { $0 + $1[keyPath: count] } }
    return FeedCounts(
      bytes: sum(\.bytes), messages: sum(\.messages), trades: counts.trades, malformed: sum(\.malformed),
      oversized: sum(\.oversized), others: sum(\.others), gaps: counts.gaps, skippedNumbers: counts.skippedNumbers,
      duplicates: sum(\.duplicates) + counts.duplicates, outOfOrder: counts.outOfOrder,
      connections: counts.connections, disconnections: counts.disconnections)
  }
}

extension MarketFeed {
  /// Passes notices on, with those of the sources of a merged feed, to the end of the given ones.
  package nonisolated func deliver(
    _ notices: EngineStream<FeedNotice>, to take: @escaping @Sendable (FeedNotice) async throws -> Void
  ) async throws {
    let sources = writer.sources.notices
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { for await notice in sources { try await take(notice) } }
      for await case .value(let notice) in notices { try await take(notice) }
      // Those that are buffered are delivered.
      tasks.cancelAll()
      try await tasks.waitForAll()
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
  private let begin: Timestamp
  private var batches: EngineStreamBatches<Trade>.Iterator
  private var elements: ArraySlice<StreamElement<Trade>> = []

  init(_ source: MergedSource, begin: Timestamp) {
    (lines, self.begin) = (MergedLines(source: source.name), begin)
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
  /// Trades that are missing before the next one.
  var missing: UInt64 = 0

  init(source: String) { self.source = source }

  mutating func append(_ element: StreamElement<Trade>, to text: inout ByteText) {
    switch element {
    case .gap(let count): missing += count
    case .value(let trade): append(trade, to: &text)
    }
  }

  mutating func append(_ trade: Trade, to text: inout ByteText) {
    // Sequence numbers, if there are any, have the gap.
    if trade.sequence == nil { missing += trade.sequenceGap }
    finish(&text)
    let named = Trade(
      symbol: "\(source):\(trade.symbol)", price: trade.price, size: trade.size, time: trade.time,
      sequence: trade.sequence, side: trade.side, quote: trade.quote)
    named.appendJSON(LineStyle(), to: &text)
    missing = 0
  }

  /// Writes what is missing.
  func finish(_ text: inout ByteText) {
    if missing > 0 { text.append("{\"v\":1,\"gap\":\(missing)}\n") }
  }
}

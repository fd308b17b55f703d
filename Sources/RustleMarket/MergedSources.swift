internal import RustleCore

/// The faults, counts and connections of a merged feed's sources.
final class MergedSources: Sendable {
  /// The newest 1,024 notices of the sources, for one reader.
  let notices: AsyncStream<FeedNotice>
  private let continuation: AsyncStream<FeedNotice>.Continuation
  private let state = SeenMutex(State())

  private struct State {
    var writers: [FeedWriter] = []
    var connections: [String: FeedConnection] = [:]
    /// Trades whose symbols are too long with the names of their sources, and these symbols.
    var overlong: UInt64 = 0
    var overlongSymbols: Set<String> = []
  }

  init() {
    (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
  }

  func add(_ writer: FeedWriter) { state.withLock { $0.writers.append(writer) } }

  func report(_ kind: FeedNotice.Kind, _ time: Timestamp, _ text: String) {
    continuation.yield(FeedNotice(kind: kind, time: time, text: text))
  }

  /// Takes the state of a source's connection, and returns it with the name of the source; nil for its end.
  func take(_ connection: FeedConnection, of source: String) -> FeedConnection? {
    let named: FeedConnection? =
      switch connection {
      case .idle, .closed: nil
      case .connecting(_, let failures): .connecting(to: source, failures: failures)
      case .connected: .connected(to: source)
      case .reconnecting(let wait, let failures, let reason):
        .reconnecting(after: wait, failures: failures, reason: "\(source): \(reason)")
      }
    state.withLock { $0.connections[source] = named }
    return named
  }

  /// The state of all connections: that of a source without one, or the names of those that have one. `state` is that of the feed.
  func connection(with state: FeedConnection) -> FeedConnection {
    let connections = self.state.withLock { $0.connections }.sorted { $0.key < $1.key }
    if case .closed = state { return state }
    let states = connections.map(\.value)
    if let lost = states.first(where: { if case .reconnecting = $0 { true } else { false } }) { return lost }
    if let next = states.first(where: { if case .connecting = $0 { true } else { false } }) { return next }
    return states.isEmpty ? state : .connected(to: connections.map(\.key).joined(separator: ", "))
  }

  /// Counts a trade whose symbol is too long with the name of its source, and reports the symbol once.
  ///
  /// - Returns: the text of the fault.
  func refuse(_ trade: Trade, of source: String) -> String {
    let limit = MergedFeed.nameLimit - 1 - source.utf8.count
    let text = "\(source): symbol '\(trade.symbol)': expected at most \(limit) bytes, got \(trade.symbol.utf8.count)"
    let (isNew, count) = state.withLock { state in
      state.overlong += 1
      return (state.overlongSymbols.insert("\(source):\(trade.symbol)").inserted, state.overlong)
    }
    if isNew { report(.oversized(messages: count - 1), trade.time, text) }
    return text
  }

  /// The counts of the feed, with what its sources read and left out.
  func counts(with counts: FeedCounts) throws(FeedError) -> FeedCounts {
    let (writers, overlong) = state.withLock { ($0.writers, $0.overlong) }
    if writers.isEmpty { return counts }
    var sources: [FeedCounts] = []
    for writer in writers { sources.append(try writer.counts) }
    func sum(_ count: KeyPath<FeedCounts, UInt64>) -> UInt64 { sources.reduce(0) { $0 + $1[keyPath: count] } }
    return FeedCounts(
      bytes: sum(\.bytes), messages: sum(\.messages), trades: sum(\.trades) - overlong,
      malformed: sum(\.malformed) + counts.malformed + overlong, oversized: sum(\.oversized) + counts.oversized,
      others: sum(\.others), gaps: counts.gaps, sequenceNumbersInGaps: counts.sequenceNumbersInGaps,
      duplicates: sum(\.duplicates) + counts.duplicates, outOfOrder: counts.outOfOrder,
      connections: sum(\.connections), disconnections: sum(\.disconnections),
      dropped: sum(\.dropped))
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

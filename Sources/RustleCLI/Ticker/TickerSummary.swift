import RustleMarket

/// The summary of a run at its end.
struct TickerSummary {
  let plan: TickerPlan
  let streams: TickerStreams
  let counts: FeedCounts
  /// Whether the run ended with its streams or in time, and not by a key or a signal.
  let isOver: Bool

  private var unreadable: UInt64 { counts.malformed + counts.oversized }

  /// For standard error, without the program's name.
  var notes: [String] {
    var notes: [String] = []
    func add(_ count: UInt64, _ text: (String) -> String) { if count > 0 { notes.append(text("\(count)")) } }
    let shown = streams.shown
    add(shown.statistics.dropped) {
      plan.policy == nil
        ? "\($0) updates dropped: the output was read too slowly"
        : "\($0) updates replaced by newer ones"
    }
    add(shown.evictedTradeCount) {
      "\($0) updates evicted early from the statistics: too many for one window"
    }
    add(streams.alerts?.statistics.dropped ?? 0) { "\($0) alerts dropped: the output was read too slowly" }
    add(failure == nil ? unreadable : 0) {
      "\($0) of \(counts.messages) lines malformed and skipped"
    }
    add(counts.skippedNumbers) {
      "\($0) sequence numbers missing, in \(counts.gaps) \(counts.gaps == 1 ? "gap" : "gaps")"
    }
    add(counts.duplicates) { "\($0) duplicate updates dropped" }
    add(shown.lateTradeCount) {
      let isCandle = if case .candles = plan.content { true } else { false }
      return "\($0) late updates dropped: they arrived after \(isCandle ? "their candle" : "later ones")"
    }
    if let served = streams.server?.counts {
      notes.append(
        "served \(served.trades) updates to \(served.accepted) \(served.accepted == 1 ? "client" : "clients")")
      add(served.dropped) { "\($0) updates dropped: clients were too slow" }
    }
    add(counts.outOfOrder) { "\($0) updates out of order" }
    if plan.recording != nil, failure == nil, shown.outcome == .ended, !plan.symbols.shown.isEmpty,
      shown.statistics.produced == 0
    {
      notes.append("the recording has no trade of \(plan.symbols.shown.joined(separator: ", "))")
    }
    return notes
  }

  /// The failure of the run; nil for a success.
  var failure: CommandFailure? {
    let outcome = streams.shown.outcome
    switch outcome {
    case .failed(let reason): return CommandFailure(.badData, "\(name): \(reason)")
    case .panicked(let message): return CommandFailure(.internal, message)
    case nil, .cancelled, .ended: break
    }
    if let connection = plan.connection, isOver, counts.connections == 0 {
      return CommandFailure(
        .unavailable, "\(connection): expected a connection, got none: \(counts.disconnections) attempts failed",
        advice: "check the server, or use a longer --duration")
    }
    guard outcome == .ended else { return nil }
    guard let recording = plan.recording, counts.trades == 0, counts.duplicates == 0 else { return nil }
    if counts.messages == 0 {
      return CommandFailure(.badData, "\(name): expected trades, got an empty file")
    }
    if recording.from != nil, counts.messages > unreadable + counts.others {
      return CommandFailure(
        .usage, "--from: expected a time within the recording, got one after its end",
        advice: "times without an offset are UTC")
    }
    if isCSV(recording), counts.messages == 1, unreadable == 0 {
      return CommandFailure(.badData, "\(name): expected trades, got only a header")
    }
    let lines = counts.messages == 1 ? "1 line" : "\(counts.messages) lines"
    return CommandFailure(
      .badData, "\(name): expected trades, got \(lines) without any",
      advice: "give the paths of the symbol and the price with --schema, for example symbol=s,price=p")
  }

  /// Whether the recording's first line is a header.
  private func isCSV(_ recording: ReplayFeed) -> Bool {
    recording.format.map { $0 == .csv } ?? recording.path.lowercased().hasSuffix(".csv")
  }

  /// The recording's name, as given.
  private var name: String {
    guard let path = plan.recording?.path else { return "source" }
    return path == TickerSourceOptions.standardInputPath ? "standard input" : path
  }
}

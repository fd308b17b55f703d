import RustleMarket

/// What there is to say when a run is over.
struct TickerSummary {
  let plan: TickerPlan
  let streams: TickerStreams
  let counts: FeedCounts
  /// Whether the run came to its own end, in time, and not by a key or a signal.
  let isOver: Bool

  private var unreadable: UInt64 { counts.malformed + counts.oversized }

  /// For standard error, without the program's name.
  var notes: [String] {
    var notes: [String] = []
    func add(_ count: UInt64, _ text: (String) -> String) { if count > 0 { notes.append(text("\(count)")) } }
    let shown = streams.shown
    add(shown.statistics.dropped) {
      plan.policy == nil
        ? "the output was read too slowly: \($0) updates were lost"
        : "updates passed over, as newer ones had come: \($0)"
    }
    add(shown.evictedTradeCount) {
      "updates left out of the statistics before their time, as they were too many for one while: \($0)"
    }
    add(streams.alerts?.statistics.dropped ?? 0) { "alerts that came too fast for the output, and were lost: \($0)" }
    add(failure == nil ? unreadable : 0) {
      "lines that could not be read, and were skipped: \($0) of \(counts.messages)"
    }
    add(counts.skippedNumbers) {
      "the source skipped numbers: \($0), in \(counts.gaps) \(counts.gaps == 1 ? "gap" : "gaps")"
    }
    add(counts.duplicates) { "updates left out, whose number had come before: \($0)" }
    add(shown.lateTradeCount) {
      let isCandle = if case .candles = plan.content { true } else { false }
      return "updates left out, as they came after \(isCandle ? "their candle" : "later ones"): \($0)"
    }
    if let served = streams.server?.counts {
      notes.append(
        "gave \(served.trades) updates to \(served.accepted) \(served.accepted == 1 ? "client" : "clients")")
      add(served.dropped) { "clients were too slow for \($0) updates" }
    }
    add(counts.outOfOrder) { "updates out of order: \($0)" }
    if plan.recording != nil, failure == nil, shown.outcome == .ended, !plan.symbols.shown.isEmpty,
      shown.statistics.produced == 0
    {
      notes.append("the recording has nothing of \(plan.symbols.shown.joined(separator: ", "))")
    }
    return notes
  }

  /// Why the run was of no use; nil when it was.
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
        advice: "see that somebody serves there, or give it more than --duration")
    }
    guard outcome == .ended else { return nil }
    guard let recording = plan.recording, counts.trades == 0, counts.duplicates == 0 else { return nil }
    if counts.messages == 0 {
      return CommandFailure(.badData, "\(name): expected trades, got an empty file")
    }
    if recording.fromNanoseconds != nil, counts.messages > unreadable + counts.others {
      return CommandFailure(
        .usage, "--from: expected a time that the recording reaches, got one after its end",
        advice: "times without an offset are UTC")
    }
    if isCSV(recording), counts.messages == 1, unreadable == 0 {
      return CommandFailure(.badData, "\(name): expected trades, got a header alone")
    }
    let lines = counts.messages == 1 ? "1 line that is" : "\(counts.messages) lines that are"
    return CommandFailure(
      .badData, "\(name): expected trades, got \(lines) none",
      advice: "say with --schema where the symbol and the price stand, for example symbol=s,price=p")
  }

  /// Whether the recording's first line is a header.
  private func isCSV(_ recording: ReplayFeed) -> Bool {
    recording.format.map { $0 == .csv } ?? recording.path.lowercased().hasSuffix(".csv")
  }

  /// The recording's name, as it was given.
  private var name: String {
    guard let path = plan.recording?.path else { return "source" }
    return path == TickerSourceOptions.standardInputPath ? "standard input" : path
  }
}

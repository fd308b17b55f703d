import RustleMarket

/// The summary of a run at its end.
struct TickerSummary {
  /// For standard error, without the program's name.
  private(set) var notes: [String] = []
  let failure: CommandFailure?

  /// - Parameter isOver: whether the run ended with its streams or in time, and not by a key or a signal.
  init(_ plan: TickerPlan, _ streams: TickerStreams, _ counts: FeedCounts, isOver: Bool) throws(FeedError) {
    let (shown, server) = (streams.shown, try streams.server?.counts)
    failure = Self.failure(plan, shown.outcome, counts, isOver: isOver)
    let gaps = counts.gaps == 1 ? "gap" : "gaps"
    func reports(_ rows: (count: UInt64, text: String)...) -> [String] {
      rows.filter { $0.count > 0 }.map { "\($0.count) \($0.text)" }
    }
    notes = try reports(
      (
        shown.statistics.dropped,
        plan.policy == nil ? "updates dropped: the output was read too slowly" : "updates replaced by newer ones"
      ),
      (shown.evictedTradeCount, "updates evicted early from the statistics: too many for one window"),
      (shown.outsideTradeCount, "updates outside of the sessions left out"),
      (streams.alerts?.statistics.dropped ?? 0, "alerts dropped: the output was read too slowly"),
      (failure == nil ? counts.unreadable : 0, "of \(counts.messages) lines malformed and skipped"),
      (counts.skippedNumbers, "sequence numbers missing, in \(counts.gaps) \(gaps)"),
      (counts.duplicates, "duplicate updates dropped"),
      (
        shown.lateTradeCount,
        "late updates dropped: they arrived after \(plan.content.isCandles ? "their candle" : "later ones")"
      ))
    if let server {
      let clients = server.accepted == 1 ? "client" : "clients"
      notes.append("served \(server.trades) updates to \(server.accepted) \(clients)")
      notes += reports((server.dropped, "updates dropped: clients were too slow"))
    }
    notes += reports((counts.outOfOrder, "updates out of order"))
    if plan.recording != nil, failure == nil, shown.outcome == .ended, !plan.shownSymbols.isEmpty,
      shown.statistics.produced == 0
    {
      notes.append("the recording has no trade of \(plan.shownSymbols.joined(separator: ", "))")
    }
    if plan.content.isCandles, failure == nil, shown.outcome == .cancelled, shown.statistics.produced == 0 {
      notes.append("no candle was complete by the end")
    }
  }

  private static func failure(
    _ plan: TickerPlan, _ outcome: SessionOutcome?, _ counts: FeedCounts, isOver: Bool
  ) -> CommandFailure? {
    let path = plan.recording?.path ?? plan.connection ?? "source"
    let name = path == TickerSourceOptions.standardInputPath ? "standard input" : path
    let schemaAdvice = "give the paths of the symbol and the price with --schema, for example symbol=s,price=p"
    switch outcome {
    case .failed(let reason):
      let isForeign = plan.recording?.isStrict == false && counts.trades == 0 && counts.malformed > 0
      let isRefused = FeedConnection.isCertificateRefused(reason)
      let isLost = plan.recording == nil && reason.contains("no attempt to connect is left")
      return CommandFailure(
        isLost ? .unavailable : .badData, reason.contains(name) ? reason : "\(name): \(reason)",
        advice: isRefused ? TickerSourceOptions.certificateAdvice : isForeign ? schemaAdvice : nil)
    case .panicked(let message): return CommandFailure(.internal, message)
    case nil, .cancelled, .ended: break
    }
    if let connection = plan.connection, isOver, counts.connections == 0 {
      return CommandFailure(
        .unavailable, "\(connection): expected a connection, got none: \(counts.disconnections) attempts failed",
        advice: "check the server, or use a longer --duration")
    }
    guard outcome == .ended, let recording = plan.recording, counts.trades == 0, counts.duplicates == 0 else {
      return nil
    }
    func expectedTrades(_ got: String, advice: String? = nil) -> CommandFailure {
      CommandFailure(.badData, "\(name): expected trades, got \(got)", advice: advice)
    }
    if counts.messages == 0 { return expectedTrades("an empty file") }
    if recording.from != nil || recording.to != nil, counts.messages > counts.unreadable + counts.others {
      let text =
        switch (recording.from, recording.to) {
        case (_, nil): "--from: expected a time within the recording, got one after its end"
        case (nil, _): "--to: expected a time within the recording, got one before its start"
        case (.some, .some): "--from, --to: expected times with trades between them, got none"
        }
      return CommandFailure(.usage, text, advice: "times without an offset are UTC")
    }
    // The first line of CSV is a header.
    let isCSV = recording.format.map { $0 == .csv } ?? recording.path.lowercased().hasSuffix(".csv")
    if isCSV, counts.messages == 1, counts.unreadable == 0 { return expectedTrades("only a header") }
    return expectedTrades(
      "\(counts.messages) \(counts.messages == 1 ? "line" : "lines") without any",
      advice: schemaAdvice)
  }
}

extension FeedCounts {
  var unreadable: UInt64 { malformed + oversized }
}

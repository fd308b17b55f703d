import RustleMarket

/// What there is to say when a run is over. A pure function of what it counted.
struct TickerSummary {
  let plan: TickerPlan
  let counts: FeedCounts
  /// Of the stream that was shown.
  var statistics: StreamStatistics?
  /// Quotes that came too late for their candle, or for the statistics.
  var late: UInt64 = 0
  /// Quotes that were pushed out of a while because more had come than statistics hold.
  var evicted: UInt64 = 0
  /// Alerts that were not taken in time.
  var lostAlerts: UInt64 = 0
  /// What went through the server, where there is one.
  var served: ServerCounts?
  /// How the source's side ended.
  var outcome: SessionOutcome?
  /// Whether the run came to its own end, in time, and not by a key or a signal.
  var isOver = true

  /// For standard error, without the program's name.
  var notes: [String] {
    var notes: [String] = []
    if let lost = statistics?.dropped, lost > 0 {
      notes.append(
        plan.policy == .all
          ? "the output was read too slowly: \(lost) updates were lost"
          : "updates passed over, as newer ones had come: \(lost)")
    }
    if evicted > 0 {
      notes.append(
        "updates left out of the statistics before their time, as they were too many for one while: \(evicted)")
    }
    if lostAlerts > 0 { notes.append("alerts that came too fast for the output, and were lost: \(lostAlerts)") }
    let unreadable = counts.malformed + counts.oversized
    if unreadable > 0 && failure == nil {
      notes.append("lines that could not be read, and were skipped: \(unreadable) of \(counts.messages)")
    }
    if counts.skipped > 0 {
      notes.append(
        "the source skipped numbers: \(counts.skipped), in \(counts.gaps) \(counts.gaps == 1 ? "gap" : "gaps")")
    }
    if counts.duplicates > 0 {
      notes.append("updates left out, whose number had come before: \(counts.duplicates)")
    }
    if late > 0 {
      let what = plan.statistics == nil ? "their candle" : "later ones"
      notes.append("updates left out, as they came after \(what): \(late)")
    }
    if let served {
      notes.append(
        "gave \(served.quotes) updates to \(served.accepted) \(served.accepted == 1 ? "client" : "clients")")
      if served.dropped > 0 { notes.append("clients were too slow for \(served.dropped) updates") }
    }
    if counts.outOfOrder > 0 { notes.append("updates out of order: \(counts.outOfOrder)") }
    if plan.recording != nil, failure == nil, outcome == .ended, case .only(let names) = plan.symbols, !names.isEmpty,
      statistics?.produced == 0
    {
      notes.append("the recording has nothing of \(names.joined(separator: ", "))")
    }
    return notes
  }

  /// Why the run was of no use; nil when it was.
  var failure: CommandFailure? {
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
    guard let recording = plan.recording, counts.quotes == 0, counts.duplicates == 0 else { return nil }
    let unreadable = counts.malformed + counts.oversized
    if counts.messages == 0 {
      return CommandFailure(.badData, "\(name): expected quotes, got an empty file")
    }
    if recording.fromNanoseconds != nil, counts.messages > unreadable + counts.others {
      return CommandFailure(
        .usage, "--from: expected a time that the recording reaches, got one after its end",
        advice: "times without an offset are UTC")
    }
    if isCSV(recording), counts.messages == 1, unreadable == 0 {
      return CommandFailure(.badData, "\(name): expected quotes, got a header alone")
    }
    let lines = counts.messages == 1 ? "1 line that is" : "\(counts.messages) lines that are"
    return CommandFailure(
      .badData, "\(name): expected quotes, got \(lines) none",
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

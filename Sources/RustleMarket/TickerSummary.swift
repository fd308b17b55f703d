package import RustleCore

/// A stream with the counts that a summary reports.
package protocol CountedStream: Sendable {
  var outcome: SessionOutcome? { get }
  var statistics: StreamStatistics { get }
  var lateTradeCount: UInt64 { get throws(FeedError) }
  var evictedTradeCount: UInt64 { get throws(FeedError) }
  var outsideTradeCount: UInt64 { get }
}

extension EngineStream: CountedStream where Value: SymbolRecord {
  /// 0: without a calendar there are no sessions that a trade can be outside of.
  package var outsideTradeCount: UInt64 { 0 }
}

extension CandleStreams: CountedStream {
  package var evictedTradeCount: UInt64 { 0 }
}

/// A number of things: `1 update`, `2 updates`.
///
/// - Parameter several: the words for other numbers than 1; nil: `one` and an s.
package func counted(_ count: UInt64, _ one: String, _ several: String? = nil) -> String {
  "\(count) \(count == 1 ? one : several ?? one + "s")"
}

/// The summary of a run at its end.
package struct TickerSummary {
  /// For standard error, without the program's name.
  package private(set) var notes: [String] = []
  package let failure: TickerFailure?

  /// - Parameters:
  ///   - alerts: the counts of the alerts' stream.
  ///   - isOver: whether the run ended with its streams or in time, and not by a key or a signal.
  package init(
    _ plan: TickerPlan, _ shown: any CountedStream, alerts: StreamStatistics?, server: ServerCounts?,
    _ counts: FeedCounts, isOver: Bool
  ) throws(FeedError) {
    failure = TickerFailure(plan, shown.outcome, counts, isOver: isOver)
    func reports(_ rows: (count: UInt64, thing: String, text: String)...) -> [String] {
      rows.filter { $0.count > 0 }.map { "\(counted($0.count, $0.thing)) \($0.text)" }
    }
    notes = try reports(
      (
        shown.statistics.dropped, "update",
        plan.policy == nil ? "dropped: the output was read too slowly" : "replaced by newer ones"
      ),
      (shown.evictedTradeCount, "update", "evicted early from the statistics: too many for one window"),
      (shown.outsideTradeCount, "update", "outside of the sessions left out"),
      (alerts?.dropped ?? 0, "alert", "dropped: the output was read too slowly"))
    if failure == nil, counts.unreadable > 0 {
      notes.append("\(counts.unreadable) of \(counted(counts.messages, "line")) malformed and skipped")
    }
    notes += try reports(
      (counts.sequenceNumbersInGaps, "sequence number", "in \(counted(counts.gaps, "gap"))"),
      (counts.dropped, "message", "dropped by the connection: read too slowly, or late"),
      (counts.duplicates, "duplicate update", "dropped"),
      (
        shown.lateTradeCount, "late update",
        "dropped: arrived after \(plan.content.isCandles ? "the candle" : "later ones")"
      ))
    if let server {
      notes.append("served \(counted(server.trades, "update")) to \(counted(server.accepted, "client"))")
      notes += reports(
        (server.dropped, "update", "dropped: clients were too slow"),
        (server.refused, "client", "refused: too many, without the token, or beyond the limit of open files"))
    }
    notes += reports((counts.outOfOrder, "update", "out of order"))
    if plan.source.isRecorded, failure == nil, shown.outcome == .ended, !plan.shownSymbols.isEmpty,
      shown.statistics.produced == 0
    {
      let having = plan.source.recordings.count == 1 ? "recording has" : "recordings have"
      notes.append("the \(having) no trade of \(plan.shownSymbols.joined(separator: ", "))")
    }
    if plan.content.isCandles, failure == nil, shown.outcome == .cancelled, shown.statistics.produced == 0 {
      notes.append("no candle was complete by the end")
    }
  }
}

/// The failure of a run, in the terms of the command.
package struct TickerFailure: CodedError {
  /// The kind of failure.
  package enum Code: Int, ErrorCode {
    /// No connection was established, or one was lost for good.
    case noConnection = 1
    /// A recording has no trades, or is malformed.
    case malformedRecording = 2
    /// No trade is in the time that was to be replayed.
    case timeOutside = 3
    /// A fault inside the package.
    case `internal` = 4

    package var origin: ErrorOrigin {
      switch self {
      case .noConnection: .machine
      case .malformedRecording: .data
      case .timeOutside: .arguments
      case .internal: .program
      }
    }
  }

  package static let errorDomain = "rustle.ticker.run"

  package let code: Code
  package let message: String
  package let advice: String

  package var isRetryable: Bool { code == .noConnection }

  /// The advice on a certificate that was refused.
  package static let certificateAdvice =
    "--roots <file> trusts the root certificates in a PEM file, --insecure accepts any certificate"

  private static let schemaAdvice =
    "Pass the paths of the symbol and the price with --schema, for example symbol=s,price=p."

  private init(_ code: Code, _ message: String, advice: String = "") {
    (self.code, self.message, self.advice) = (code, message, advice)
  }

  /// The failure of a run that ended so; nil for none.
  fileprivate init?(_ plan: TickerPlan, _ outcome: SessionOutcome?, _ counts: FeedCounts, isOver: Bool) {
    switch outcome {
    case .failed(let reason): self = Self.failure(plan, reason, counts)
    case .panicked(let message): self.init(.internal, message)
    case nil, .cancelled, .ended:
      if let connection = plan.connection, isOver, counts.connections == 0 {
        self.init(
          .noConnection, "\(connection): expected a connection, got none: \(counts.disconnections) attempts failed",
          advice: "Check the server, or use a longer --duration.")
      } else if outcome == .ended, plan.source.isRecorded, counts.trades == 0, counts.duplicates == 0 {
        self = Self.withoutTrades(plan.source.recordings, counts)
      } else {
        return nil
      }
    }
  }

  private static func failure(_ plan: TickerPlan, _ reason: String, _ counts: FeedCounts) -> Self {
    let source = plan.source.failed(for: reason)
    let message =
      if plan.source.isMerged {
        source == plan.source ? "--source: \(reason)" : "--source \(reason)"
      } else if let connection = plan.connection {
        reason.contains(connection) ? reason : "\(connection): \(reason)"
      } else {
        "\(source.recordings.names): \(reason)"
      }
    if source.isConnection {
      let isRefused = FeedConnection.isCertificateRefused(reason)
      return Self(
        .noConnection, message,
        advice: isRefused ? "\(certificateAdvice)." : "Check the server, or allow more --attempts.")
    }
    let isForeign = source.recordings.contains { !$0.isStrict } && counts.trades == 0 && counts.malformed > 0
    return Self(.malformedRecording, message, advice: isForeign ? schemaAdvice : "")
  }

  private static func withoutTrades(_ recordings: [ReplayFeed], _ counts: FeedCounts) -> Self {
    let several = recordings.count > 1
    func expectedTrades(_ got: String, advice: String = "") -> Self {
      Self(.malformedRecording, "\(recordings.names): expected trades, got \(got)", advice: advice)
    }
    if counts.messages == 0 { return expectedTrades(several ? "empty files" : "an empty file") }
    let (from, to) = (recordings.contains { $0.from != nil }, recordings.contains { $0.to != nil })
    if from || to, counts.messages > counts.unreadable + counts.others {
      let (recording, its) = several ? ("recordings", "their") : ("recording", "its")
      let text =
        switch (from, to) {
        case (_, false): "--from: expected a time within the \(recording), got one after \(its) end"
        case (false, _): "--to: expected a time within the \(recording), got one before \(its) start"
        case (true, true): "--from, --to: expected times with trades between them, got none"
        }
      return Self(.timeOutside, text, advice: "Times without an offset are UTC.")
    }
    // The first line of CSV is a header.
    let isCSV = recordings.allSatisfy { $0.format.map { $0 == .csv } ?? $0.path.lowercased().hasSuffix(".csv") }
    if isCSV, counts.messages == recordings.count, counts.unreadable == 0 {
      return expectedTrades(several ? "only headers" : "only a header")
    }
    return expectedTrades(
      "\(counts.messages) \(counts.messages == 1 ? "line" : "lines") without any", advice: schemaAdvice)
  }
}

extension [ReplayFeed] {
  /// The names of the files.
  fileprivate var names: String {
    map { $0.path == ReplayFeed.standardInputPath ? "standard input" : $0.path }.joined(separator: ", ")
  }
}

extension ReplayFeed {
  /// Standard input, as the system names it.
  package static let standardInputPath = "/dev/stdin"
}

extension FeedCounts {
  /// Messages that were skipped.
  package var unreadable: UInt64 { malformed + oversized }
}

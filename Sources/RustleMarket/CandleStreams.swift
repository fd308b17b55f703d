import RustleCore
internal import Synchronization

/// The candles that a consumer wants: of several periods, in a calendar or in UTC.
package struct CandleSelection: Sendable, Hashable {
  /// The periods.
  package let periods: [MarketCalendar.Period]
  /// The calendar; nil: equal intervals in UTC.
  package let calendar: MarketCalendar?
  /// How long a candle stays open for late trades.
  package let lateness: Duration

  /// Candles of an equal interval.
  package static func every(_ interval: Duration, lateness: Duration = .zero) -> Self {
    Self(periods: [.interval(interval)], calendar: nil, lateness: lateness)
  }

  private init(periods: [MarketCalendar.Period], calendar: MarketCalendar?, lateness: Duration) {
    (self.periods, self.calendar, self.lateness) = (periods, calendar, lateness)
  }

  /// - Throws: ``FeedError/Code/valueOutOfRange``: an unknown zone; in a calendar, an interval that is not of whole minutes below
  ///   a day; a lateness above 64 of the shortest interval, in a calendar of 64 minutes.
  package init(
    _ periods: [MarketCalendar.Period], zone: String? = nil, session: MarketSession? = nil, lateness: Duration = .zero
  ) throws(FeedError) {
    // Weeks since 1970 begin on a Thursday.
    let isInCalendar = zone != nil || session != nil || periods.contains(.week)
    let calendar = isInCalendar ? try MarketCalendar(zone: zone ?? "UTC", session: session) : nil
    (self.periods, self.calendar, self.lateness) = (periods, calendar, lateness)
    let step = MarketCalendar.step.wholeNanoseconds
    for case .interval(let duration) in periods where calendar != nil {
      let nanoseconds = duration.wholeNanoseconds
      if nanoseconds % step != 0 || nanoseconds <= 0 || nanoseconds >= 1_440 * step {
        throw FeedError(
          code: .valueOutOfRange,
          message:
            "candles: expected whole minutes below a day, 1d or 1w in a calendar, got \(MarketInterval(duration))")
      }
    }
    // Of the candles that the feed makes.
    let limit = (periods.map { native($0).interval }.min() ?? .zero) * 64
    if lateness > limit {
      throw FeedError(
        code: .valueOutOfRange,
        message: "lateness: expected at most \(MarketInterval(limit)), got \(MarketInterval(lateness))")
    }
  }

  fileprivate func native(_ period: MarketCalendar.Period) -> (interval: Duration, rollup: CandleRollup?) {
    if let calendar { return (MarketCalendar.step, CandleRollup(period, in: calendar)) }
    return if case .interval(let duration) = period { (duration, nil) } else { (.seconds(86_400), nil) }
  }
}

/// Streams of candles of several periods.
package struct CandleStreams: Sendable {
  private let streams: [(period: MarketCalendar.Period, stream: EngineStream<Candle>, rollup: CandleRollup?)]
  private let outside = OutsideCount()

  /// - Parameters:
  ///   - policy: the policy of the candles.
  ///   - everything: that of those of which others are made.
  package init(
    _ selection: CandleSelection, of symbols: FeedSymbols, from feed: MarketFeed, policy: FeedPolicy,
    everything: FeedPolicy
  ) async throws(FeedError) {
    var streams: [(MarketCalendar.Period, EngineStream<Candle>, CandleRollup?)] = []
    for period in selection.periods {
      let (interval, rollup) = selection.native(period)
      let stream = try await feed.candles(
        of: symbols, every: interval, lateness: selection.lateness, policy: rollup == nil ? policy : everything)
      streams.append((period, stream, rollup))
    }
    self.streams = streams
  }

  /// The end of the streams, which have the same source.
  package var outcome: SessionOutcome? { streams.first?.stream.outcome }

  /// The sums over the streams.
  package var statistics: StreamStatistics {
    let all = streams.map(\.stream.statistics)
    return StreamStatistics(
      produced: all.reduce(0) { $0 + $1.produced }, delivered: all.reduce(0) { $0 + $1.delivered },
      dropped: all.reduce(0) { $0 + $1.dropped })
  }

  /// The late trades of the stream with the most: each has all trades.
  package var lateTradeCount: UInt64 {
    get throws(FeedError) {
      var most: UInt64 = 0
      for (_, stream, _) in streams { most = max(most, try stream.lateTradeCount) }
      return most
    }
  }

  /// The trades outside of the sessions, which every stream with a calendar leaves out.
  package var outsideTradeCount: UInt64 { outside.most.load(ordering: .relaxed) }

  /// Passes the candles of all periods on, each period's in order.
  package func deliver(
    _ take: @escaping @Sendable ([StreamElement<Candle>], MarketCalendar.Period) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for (period, stream, rollup) in streams {
        tasks.addTask {
          guard var rollup else {
            for await batch in stream.batches() { try await take(batch, period) }
            return
          }
          for await batch in stream.batches() {
            let candles: [StreamElement<Candle>] = batch.compactMap { element in
              switch element {
              case .gap(let count): .gap(count)
              case .value(let candle): rollup.add(candle).map { .value($0) }
              }
            }
            outside.most.max(rollup.outsideCount, ordering: .relaxed)
            if !candles.isEmpty { try await take(candles, period) }
          }
          let last = rollup.finish()
          if !last.isEmpty { try await take(last.map { .value($0) }, period) }
        }
      }
      try await tasks.waitForAll()
    }
  }
}

/// The trades outside of the sessions: those of the stream with the most, as each has all trades.
private final class OutsideCount: Sendable {
  let most = Atomic<UInt64>(0)
}

extension MarketCalendar.Period: LosslessStringConvertible {
  /// Parses `1d`, `1w`, or an interval as ``MarketInterval`` does; nil for any other text.
  public init?(_ description: String) {
    switch description {
    case "1d": self = .day
    case "1w": self = .week
    default:
      guard let interval = MarketInterval(description) else { return nil }
      self = .interval(interval.duration)
    }
  }

  /// The text that ``init(_:)`` parses.
  public var description: String {
    switch self {
    case .interval(let duration): MarketInterval(duration).description
    case .day: "1d"
    case .week: "1w"
    }
  }
}

internal import Foundation

/// What a run of a ticker reads, and what it makes of it.
package struct TickerPlan: Sendable, Equatable {
  package enum Content: Sendable, Hashable {
    case trades
    case candles(CandleSelection)
    case statistics(over: Duration)

    package var isCandles: Bool { if case .candles = self { true } else { false } }

    /// The periods of candles, of which each is a row of its symbol's; empty unless there are several.
    package var rowPeriods: [MarketCalendar.Period] {
      if case .candles(let candles) = self, candles.periods.count > 1 { candles.periods } else { [] }
    }

    /// Whether candles of a symbol have several durations.
    package var hasIntervals: Bool { !rowPeriods.isEmpty }

    /// Whether candles have the period that was requested, as those of several and of a calendar, whose days differ in length.
    package var hasPeriods: Bool {
      if case .candles(let candles) = self { hasIntervals || candles.calendar != nil } else { false }
    }

    /// The duration of a window; nil without one.
    package var window: Duration? { if case .statistics(let window) = self { window } else { nil } }
  }

  /// A publication on NATS.
  package struct Publishing: Sendable, Hashable {
    package var address: String
    /// How long a stream keeps the trades; nil: there is no stream.
    package var age: Duration?
    /// The servers that store each trade of the stream.
    package var replicas: Int
    /// The number of the numbering.
    package var epoch: UInt64
    /// The file of the token.
    package var tokenFile: String?
    /// The file of the trusted root certificates; nil: the system's.
    package var roots: String?

    package init(
      address: String, age: Duration?, replicas: Int = 1, epoch: UInt64, tokenFile: String? = nil, roots: String? = nil
    ) {
      (self.address, self.age, self.replicas, self.epoch) = (address, age, replicas, epoch)
      (self.tokenFile, self.roots) = (tokenFile, roots)
    }
  }

  package var source: FeedConfiguration
  /// The symbols, in the order of their rows.
  package var symbols: FeedSymbols
  package var content: Content
  /// The buffering policy; nil for that of ``everything``.
  package var policy: FeedPolicy?
  package var thresholds: [PriceThreshold]
  package var record: String?
  package var overwrite: Bool
  package var serve: FeedAddress?
  package var access: FeedServer.Access
  package var publishing: Publishing?
  package var duration: Duration?

  package init(
    source: FeedConfiguration, symbols: FeedSymbols, content: Content = .trades, policy: FeedPolicy? = nil,
    thresholds: [PriceThreshold] = [], record: String? = nil, overwrite: Bool = false, serve: FeedAddress? = nil,
    access: FeedServer.Access = .local, publishing: Publishing? = nil, duration: Duration? = nil
  ) {
    (self.source, self.symbols, self.content, self.policy) = (source, symbols, content, policy)
    (self.thresholds, self.record, self.overwrite) = (thresholds, record, overwrite)
    (self.serve, self.access) = (serve, access)
    (self.publishing, self.duration) = (publishing, duration)
  }

  package var isSimulated: Bool { if case .simulated = source { true } else { false } }

  package var shownSymbols: [String] { if case .only(let names) = symbols { names } else { [] } }

  package var connection: String? { source.origin }

  /// The policy of a consumer of every update.
  package var everything: FeedPolicy { source.completePolicy }

  package var sourceText: String {
    if let connection { return "from \(connection)" }
    // Those of several sources have the same pace.
    guard source.isRecorded, let recording = source.recordings.first else { return "simulated" }
    let pace =
      if case .speed(let speed) = recording.pace { String(format: "x %g", speed) } else { "as fast as possible" }
    return "replay \(pace)" + (recording.repeats ? ", repeated" : "")
  }
}

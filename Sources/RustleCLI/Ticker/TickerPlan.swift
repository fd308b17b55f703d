import Foundation
import RustleMarket

struct TickerPlan: Sendable, Equatable {
  enum Content: Sendable, Hashable {
    case trades
    case candles(CandleSelection)
    case statistics(over: Duration)

    var isCandles: Bool { if case .candles = self { true } else { false } }

    /// The periods of candles, of which each is a row of its symbol's; empty unless there are several.
    var rowPeriods: [MarketCalendar.Period] {
      if case .candles(let candles) = self, candles.periods.count > 1 { candles.periods } else { [] }
    }

    /// Whether candles of a symbol have several durations.
    var hasIntervals: Bool { !rowPeriods.isEmpty }

    /// The duration of a window; nil without one.
    var window: Duration? { if case .statistics(let window) = self { window } else { nil } }
  }

  var source: FeedConfiguration
  /// The symbols, in the order of their rows.
  var symbols: FeedSymbols
  var content = Content.trades
  /// The buffering policy; nil for that of ``everything``.
  var policy: FeedPolicy?
  var thresholds: [PriceThreshold] = []
  var record: String?
  var overwrite = false
  var serve: FeedAddress?
  var access = FeedServer.Access.local
  var duration: Duration?

  var isSimulated: Bool { if case .simulated = source { true } else { false } }

  var recording: ReplayFeed? { if case .replay(let feed) = source { feed } else { nil } }

  var shownSymbols: [String] { if case .only(let names) = symbols { names } else { [] } }

  var connection: String? { source.origin }

  /// The policy of a consumer of every update.
  var everything: FeedPolicy { source.completePolicy }

  var sourceText: String {
    if let connection { return "from \(connection)" }
    guard let recording else { return "simulated" }
    let pace =
      if case .speed(let speed) = recording.pace { String(format: "x %g", speed) } else { "as fast as possible" }
    return "replay \(pace)" + (recording.repeats ? ", repeated" : "")
  }
}

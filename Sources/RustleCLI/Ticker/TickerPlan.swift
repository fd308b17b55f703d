import Foundation
import RustleMarket

/// The plan of a ticker's run, from its options.
struct TickerPlan: Sendable, Equatable {
  /// The kind of records.
  enum Content: Sendable, Hashable {
    case trades
    case candles(every: Duration, lateness: Duration)
    /// Over a window of this duration.
    case statistics(over: Duration)
  }

  /// The file to record trades to.
  struct Record: Sendable, Hashable {
    var path: String
    var mayReplace = false
    /// The replayed file, which must be another.
    var input: String?
  }

  var source: FeedConfiguration
  /// The symbols, in the order of their rows.
  var symbols: FeedSymbols
  var content = Content.trades
  /// The buffering policy; nil for that of ``everything``.
  var policy: FeedPolicy?
  var thresholds: [PriceThreshold] = []
  var record: Record?
  /// The address to serve the source on.
  var serve: FeedAddress?
  var duration: Duration?

  /// Whether the prices are simulated.
  var isSimulated: Bool { if case .simulated = source { true } else { false } }

  /// The replayed file; nil for another source.
  var recording: ReplayFeed? { if case .replay(let feed) = source { feed } else { nil } }

  /// The address of the connection; nil for a source without one.
  var connection: String? {
    switch source {
    case .live(let feed): feed.address.description
    case .hosted(let feed): feed.origin
    case .simulated, .replay, .external: nil
    }
  }

  /// The policy of a consumer of every update: lossless for a recording, buffered for another source.
  var everything: FeedPolicy { recording == nil ? .buffered() : .lossless() }

  /// The source in a few words.
  var sourceText: String {
    if let connection { return "from \(connection)" }
    guard let recording else { return "simulated" }
    let pace =
      switch recording.pace {
      case .asFastAsPossible: "as fast as possible"
      case .speed(let speed): String(format: "x %g", speed)
      }
    return "replay \(pace)" + (recording.repeats ? ", repeated" : "")
  }
}

extension FeedSymbols {
  /// The symbols with a row from the beginning.
  var shown: [String] {
    switch self {
    case .all: []
    case .only(let names): names
    }
  }
}

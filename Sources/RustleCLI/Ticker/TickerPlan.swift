import Foundation
import RustleMarket

/// What a run of the ticker does, as its options say.
struct TickerPlan: Sendable, Equatable {
  /// What is shown of the prices.
  enum Content: Sendable, Hashable {
    case trades
    case candles(every: Duration, lateness: Duration)
    /// Of a while of this length.
    case statistics(over: Duration)
  }

  /// A file that the trades are written to.
  struct Record: Sendable, Hashable {
    var path: String
    var mayReplace = false
    /// The file that is played, which is another.
    var input: String?
  }

  var source: FeedConfiguration
  /// Those that are shown first are first here.
  var symbols: FeedSymbols
  var content = Content.trades
  /// What becomes of updates that are not taken in time; nil: as many are kept as the source allows.
  var policy: FeedPolicy?
  var thresholds: [PriceThreshold] = []
  var record: Record?
  /// Where the source is given to others.
  var serve: FeedAddress?
  var duration: Duration?

  /// Whether the prices are made up here.
  var isSimulated: Bool { if case .simulated = source { true } else { false } }

  /// The file that is played; nil for any other source.
  var recording: ReplayFeed? { if case .replay(let feed) = source { feed } else { nil } }

  /// The place that is connected to; nil for a source without a connection.
  var connection: String? {
    switch source {
    case .live(let feed): feed.address.description
    case .hosted(let feed): feed.place
    case .simulated, .replay, .external: nil
    }
  }

  /// The policy of a consumer that wants every update: a recording waits for its reader, another source loses the oldest.
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
    return "replay \(pace)" + (recording.repeats ? ", again and again" : "")
  }
}

extension FeedSymbols {
  /// The symbols that have a row from the beginning.
  var shown: [String] {
    switch self {
    case .all: []
    case .only(let names): names
    }
  }
}

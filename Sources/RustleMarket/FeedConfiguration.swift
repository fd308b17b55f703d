public import RustleCore

/// Where a feed's trades come from.
public enum FeedConfiguration: Sendable, Hashable {
  /// Prices that are made up.
  case simulated(SimulatedFeed)
  /// A recording.
  case replay(ReplayFeed)
  /// Another process, over a connection that is made again whenever it is lost.
  case live(LiveFeed)
  /// The host itself, which brings the bytes: ``MarketFeed/push(_:)``.
  case external(ExternalFeed)
  /// A protocol that another module of this package speaks, over a connection that is made again whenever it is lost.
  case hosted(HostedFeed)
}

/// A source of prices that are made up: each symbol in turn, at even distances, numbered from 0.
public struct SimulatedFeed: Sendable, Hashable {
  /// How prices move.
  public enum Model: Sendable, Hashable {
    /// By small random steps, all the same in size.
    case walk
    /// By geometric Brownian motion. The parameters are in the order of the symbols; those that are missing have no drift and a
    /// volatility of 0.5.
    case brownian([BrownianMotion])
  }

  /// The symbols that there are: 1 to 100,000 distinct names of 1 to 32 bytes, without white space and control characters.
  public var symbols: [String]
  /// Updates a second of each symbol: 0.001 to 10,000,000.
  public var updatesPerSecond: Double
  /// The same seed, symbols and model give the same prices; nil draws a seed.
  public var seed: UInt64?
  /// The number of updates, over all symbols, after which the source ends; nil: it does not.
  public var updateLimit: UInt64?
  /// How prices move.
  public var model: Model

  /// Two updates a second of each symbol, a drawn seed, no limit, small steps, unless said otherwise.
  public init(
    symbols: [String], updatesPerSecond: Double = 2, seed: UInt64? = nil, updateLimit: UInt64? = nil,
    model: Model = .walk
  ) {
    self.symbols = symbols
    self.updatesPerSecond = updatesPerSecond
    self.seed = seed
    self.updateLimit = updateLimit
    self.model = model
  }
}

/// How one symbol's price moves in geometric Brownian motion.
public struct BrownianMotion: Sendable, Hashable {
  /// The price that it moves from, above 0 and of at most 15 digits; it moves by a unit of its last digit. The first trade is a
  /// step on from it.
  public var price: ExactDecimal
  /// The expected growth per year as a continuous rate, -1,000 to 1,000: 0.05 is about 5 %.
  public var drift: Double
  /// The standard deviation of the price's logarithm after a year, 0 to 1,000.
  public var volatility: Double

  /// The values are checked when a feed is made.
  public init(price: ExactDecimal, drift: Double = 0, volatility: Double = 0.5) {
    self.price = price
    self.drift = drift
    self.volatility = volatility
  }
}

/// A source that plays a file.
public struct ReplayFeed: Sendable, Hashable {
  /// What a file holds.
  public enum Format: UInt32, Sendable, Hashable, CaseIterable {
    /// A JSON text a line.
    case ndjson = 1
    /// Comma-separated values with a header.
    case csv = 2
  }

  /// How fast a recording is played.
  public enum Pace: Sendable, Hashable {
    /// So many times as fast as it was recorded, 0.001 to 1,000,000.
    case speed(Double)
    /// Without waiting.
    case asFastAsPossible
  }

  /// The file's path. What is no regular file, such as a pipe, is read as it comes.
  public var path: String
  /// What it holds; nil: what the ending of its name says.
  public var format: Format?
  /// How its messages make trades, as text: `symbol=s,price=p,time=T:ms`; nil: the schema of `rustle ticker --json`.
  public var schema: String?
  /// How fast it is played.
  public var pace: Pace
  /// Whether it begins again when it has come to its end, for a regular file; time and numbers go on. One whose trades tell no
  /// time has no length, and is played once.
  public var repeats: Bool
  /// Trades before this time are passed over: nanoseconds since 1970-01-01T00:00:00Z; nil: none are.
  public var fromNanoseconds: Int64?

  /// At the recorded pace, once, from the beginning, unless said otherwise.
  public init(
    path: String, format: Format? = nil, schema: String? = nil, pace: Pace = .speed(1), repeats: Bool = false,
    fromNanoseconds: Int64? = nil
  ) {
    self.path = path
    self.format = format
    self.schema = schema
    self.pace = pace
    self.repeats = repeats
    self.fromNanoseconds = fromNanoseconds
  }
}

/// What becomes of records that a consumer of a feed does not take in time.
public enum FeedPolicy: Sendable, Hashable {
  /// All are kept, up to `capacity` (1 to 1,048,576); then the oldest or the newest are lost, and counted.
  /// ``BufferOverflow/conflate`` is as ``conflated``.
  case buffered(capacity: Int = 65_536, overflow: BufferOverflow = .dropOldest)
  /// The newest of each symbol is kept.
  case conflated
  /// The newest of each symbol is handed over at even distances, 1 ms to 1 h.
  case sampled(every: Duration)
  /// The source waits for room, so that nothing is lost. What a single trade gives beyond the capacity (the candles that it
  /// closes, the alerts that it fires) waits too, and so does what the end gives. A source that cannot wait, because it is live,
  /// loses the newest; what its end gives waits.
  case lossless(capacity: Int = 65_536)
}

/// The symbols that a consumer wants.
public enum FeedSymbols: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// All that there are and will be.
  case all
  /// These, distinct; they may come up later. None is a consumer that gets nothing until it subscribes.
  case only([String])

  /// ``only(_:)``.
  public init(arrayLiteral elements: String...) { self = .only(elements) }

  var native: NativeFeedSubscription {
    switch self {
    case .all: NativeFeedSubscription(symbols: [], all: true)
    case .only(let names): NativeFeedSubscription(symbols: names, all: false)
    }
  }
}

extension FeedConfiguration {
  var native: NativeFeedSource {
    switch self {
    case .simulated(let feed):
      let (model, parameters): (NativeModel, [NativeGbmParameters]) =
        switch feed.model {
        case .walk: (.walk, [])
        case .brownian(let motions): (.gbm, motions.map(\.native))
        }
      return .simulated(
        NativeSimulatedFeed(
          symbols: feed.symbols, parameters: parameters, updatesPerSecond: feed.updatesPerSecond,
          seed: feed.seed ?? .random(in: 0 ... .max), updateLimit: feed.updateLimit ?? 0, model: model))
    case .replay(let feed):
      // The native side takes 0 for no waiting: a pace of 0 has to be another number that it refuses.
      let speed: Double =
        switch feed.pace {
        case .speed(let speed): speed == 0 ? .nan : speed
        case .asFastAsPossible: 0
        }
      return .replay(
        NativeReplayFeed(
          path: feed.path, schema: feed.schema ?? "", speed: speed, fromNanoseconds: feed.fromNanoseconds ?? 0,
          format: feed.format?.native ?? .byName, repeats: feed.repeats, hasFrom: feed.fromNanoseconds != nil))
    case .live(let feed): return .live(feed.native)
    case .external(let feed): return feed.native
    case .hosted(let feed): return feed.host.source.native
    }
  }
}

extension BrownianMotion {
  fileprivate var native: NativeGbmParameters {
    NativeGbmParameters(priceUnits: price.units, drift: drift, volatility: volatility, priceScale: price.scale)
  }
}

extension ReplayFeed.Format {
  fileprivate var native: NativeFormat {
    switch self {
    case .ndjson: .ndjson
    case .csv: .csv
    }
  }
}

extension ExternalFeed {
  var native: NativeFeedSource {
    // The native side takes 0 for the usual limit: one of 0 or less has to be another number that it refuses.
    .external(
      NativeExternalFeed(
        schema: schema ?? "", messageLimit: messageLimit < 1 ? .max : messageLimit, format: format.native,
        restartsNumbers: restartsNumbers))
  }
}

extension FeedPolicy {
  var native: NativeFeedPolicy {
    let (kind, capacity, interval): (NativePolicy, Int, Duration) =
      switch self {
      case .buffered(let capacity, .dropOldest): (.dropOldest, capacity, .zero)
      case .buffered(let capacity, .dropNewest): (.dropNewest, capacity, .zero)
      case .buffered(_, .conflate), .conflated: (.conflate, 0, .zero)
      case .sampled(let interval): (.sampled, 0, interval)
      case .lossless(let capacity): (.lossless, capacity, .zero)
      }
    return NativeFeedPolicy(kind: kind, capacity: capacity, intervalNanoseconds: interval.countedNanoseconds)
  }
}

extension Duration {
  /// Nanoseconds, rounded down; at most and at least what an `Int64` holds.
  package var wholeNanoseconds: Int64 {
    Int64(clamping: Int128(components.seconds) * 1_000_000_000 + Int128(components.attoseconds / 1_000_000_000))
  }
}

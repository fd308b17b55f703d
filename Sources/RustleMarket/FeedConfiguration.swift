public import RustleCore

/// The source of a feed's trades.
public enum FeedConfiguration: Sendable, Hashable {
  /// Simulated prices.
  case simulated(SimulatedFeed)
  /// A recording.
  case replay(ReplayFeed)
  /// Another process, over a connection that is re-established when it is lost.
  case live(LiveFeed)
  /// The host, which delivers the bytes: ``MarketFeed/push(_:)``.
  case external(ExternalFeed)
  /// A protocol of another module of this package, over a connection that is re-established when it is lost.
  case hosted(HostedFeed)
}

/// A source of simulated prices: each symbol in turn, at equal intervals, with sequence numbers from 0.
public struct SimulatedFeed: Sendable, Hashable {
  /// The model of the price movement.
  public enum Model: Sendable, Hashable {
    /// A random walk with small steps of equal size.
    case walk
    /// Geometric Brownian motion. The parameters are in the order of the symbols; a symbol without any has no drift and a
    /// volatility of 0.5.
    case brownian([BrownianMotion])
  }

  /// The symbols: 1 to 100,000 distinct names of 1 to 32 bytes, without white space and control characters.
  public var symbols: [String]
  /// Updates per second of each symbol: 0.001 to 10,000,000.
  public var updatesPerSecond: Double
  /// The same seed, symbols and model give the same prices; nil draws a seed.
  public var seed: UInt64?
  /// The number of updates, over all symbols, after which the source ends; nil: it does not end.
  public var updateLimit: UInt64?
  /// The model of the price movement.
  public var model: Model

  /// Creates a source; by default two updates per second of each symbol, a drawn seed, no limit and a random walk.
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

/// The parameters of one symbol's geometric Brownian motion.
public struct BrownianMotion: Sendable, Hashable {
  /// The start price, above 0 and of at most 15 digits; its last digit is the tick size. The first trade is one step after it.
  public var price: ExactDecimal
  /// The expected growth per year as a continuous rate, -1,000 to 1,000: 0.05 is about 5 %.
  public var drift: Double
  /// The standard deviation of the price's logarithm after a year, 0 to 1,000.
  public var volatility: Double

  /// Creates parameters, which are checked when a feed is created.
  public init(price: ExactDecimal, drift: Double = 0, volatility: Double = 0.5) {
    self.price = price
    self.drift = drift
    self.volatility = volatility
  }
}

/// A source that replays a recording, a file in NDJSON or CSV.
public struct ReplayFeed: Sendable, Hashable {
  /// The format of a file.
  public enum Format: UInt32, Sendable, Hashable, CaseIterable {
    /// One JSON text per line.
    case ndjson = 1
    /// Comma-separated values with a header.
    case csv = 2
  }

  /// The speed of a replay.
  public enum Pace: Sendable, Hashable {
    /// This multiple of the recorded speed, 0.001 to 1,000,000.
    case speed(Double)
    /// Without waiting between trades; what a slow consumer loses depends on its ``FeedPolicy``.
    case asFastAsPossible
  }

  /// The file's path. A file compressed with gzip, or with zstd by the system's libzstd, is decompressed; one that is not regular, such as a pipe, is read as data arrives.
  public var path: String
  /// The file's format; nil: by the extension of its name, `.ndjson`, `.jsonl`, `.json` or `.csv`, which may have `.gz` or `.zst` behind.
  public var format: Format?
  /// Which member of a JSON message is which of a trade: `symbol=s,price=p,time=T:ms`; nil: `symbol`, `price`, `size`, `side`, `t_ms`.
  public var schema: String?
  /// The speed of the replay.
  public var pace: Pace
  /// Whether a regular file repeats after its end; timestamps and sequence numbers continue. A file whose trades have no
  /// timestamps has no duration and is played once.
  public var repeats: Bool
  /// The beginning of the part that is replayed: trades before this time are skipped; nil: from the first trade.
  public var from: Timestamp?
  /// The end of the part that is replayed: trades at or after this time are skipped; nil: to the last trade.
  public var to: Timestamp?
  /// Whether the first malformed message ends the feed as failed, after the trades before it; otherwise it is skipped and counted.
  public var isStrict: Bool

  /// Creates a source; by default it plays the whole file once at the recorded speed, and skips malformed messages.
  public init(
    path: String, format: Format? = nil, schema: String? = nil, pace: Pace = .speed(1), repeats: Bool = false,
    from: Timestamp? = nil, to: Timestamp? = nil, isStrict: Bool = false
  ) {
    self.path = path
    self.format = format
    self.schema = schema
    self.pace = pace
    self.repeats = repeats
    self.from = from
    self.to = to
    self.isStrict = isStrict
  }
}

/// The buffering policy for records that a consumer of a feed does not take in time: buffer, conflate, sample or wait.
public enum FeedPolicy: Sendable, Hashable {
  /// Keeps up to `capacity` records (1 to 1,048,576), then drops and counts the oldest or the newest.
  /// ``BufferOverflow/conflate`` equals ``conflated``.
  case buffered(capacity: Int = 65_536, overflow: BufferOverflow = .dropOldest)
  /// Conflates: keeps the newest record of each symbol.
  case conflated
  /// Delivers the newest record of each symbol at equal intervals, 1 ms to 1 h.
  case sampled(every: Duration)
  /// Makes the source wait for room, so that nothing is dropped. The records of a single trade beyond the capacity (the candles
  /// that it closes, the alerts that it fires) are kept too, and so are those of the source's end. A live source cannot wait: its
  /// newest records are dropped, except those of its end.
  case lossless(capacity: Int = 65_536)
}

/// The symbols that a consumer subscribes to.
public enum FeedSymbols: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// All symbols, present and future.
  case all
  /// These symbols, distinct; they may appear later. With an empty list a consumer receives nothing until it subscribes.
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
  /// Checks the values of which the native side reads 0, or an empty text, as none.
  ///
  /// - Throws: ``FeedError/Code/updateLimitOutOfRange``, ``FeedError/Code/valueOutOfRange``.
  func checkLimits() throws(FeedError) {
    switch self {
    case .simulated(let feed) where feed.updateLimit == 0:
      throw FeedError(
        code: .updateLimitOutOfRange, message: "update limit: expected 1 update or more, or no limit, got 0")
    case .live(let feed):
      try feed.backoff.checkAttemptLimit()
      if let token = feed.token { try FeedServer.Access.token(token).check() }
    default: break
    }
  }

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
      // The native side reads 0 as no waiting: a pace of 0 is mapped to a value that it refuses.
      let speed: Double =
        switch feed.pace {
        case .speed(let speed): speed == 0 ? .nan : speed
        case .asFastAsPossible: 0
        }
      return .replay(
        NativeReplayFeed(
          path: feed.path, schema: feed.schema ?? "", speed: speed,
          fromNanoseconds: feed.from?.nanosecondsSince1970 ?? 0, toNanoseconds: feed.to?.nanosecondsSince1970 ?? 0,
          format: feed.format?.native ?? .byName, repeats: feed.repeats, hasFrom: feed.from != nil,
          hasTo: feed.to != nil, isStrict: feed.isStrict))
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
    // The native side reads 0 as the default limit: a limit of 0 or less is mapped to a value that it refuses.
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
  /// Nanoseconds, rounded toward zero and clamped to the range of `Int64`.
  package var wholeNanoseconds: Int64 {
    Int64(clamping: Int128(components.seconds) * 1_000_000_000 + Int128(components.attoseconds / 1_000_000_000))
  }
}

extension FeedConfiguration {
  /// The recordings that are read; of several sources in the order of their names.
  package var recordings: [ReplayFeed] {
    switch self {
    case .replay(let feed): [feed]
    case .hosted(let feed): feed.merged?.inOrder.flatMap(\.configuration.recordings) ?? []
    case .simulated, .live, .external: []
    }
  }

  /// Whether recordings alone are read, which wait for their reader.
  package var isRecorded: Bool {
    switch self {
    case .replay: true
    case .hosted(let feed): feed.merged?.isRecorded ?? false
    case .simulated, .live, .external: false
    }
  }

  /// The peer, or the names of the sources that have one, without secrets; nil where nothing is connected to.
  package var origin: String? {
    switch self {
    case .live(let feed): return feed.address.description
    case .hosted(let feed):
      guard let merged = feed.merged else { return feed.origin }
      let names = merged.inOrder.filter { $0.configuration.origin != nil }.map(\.name)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    case .simulated, .replay, .external: return nil
    }
  }

  /// Whether the source is a peer alone.
  package var isConnection: Bool {
    if case .hosted(let feed) = self, feed.merged != nil { return false }
    return origin != nil
  }

  /// Whether the source consists of several.
  package var isMerged: Bool { if case .hosted(let feed) = self { feed.merged != nil } else { false } }

  /// The source whose failure has this reason: of several, the one that the reason names first.
  package func failed(for reason: String) -> FeedConfiguration {
    let name = reason.prefix { $0 != ":" }
    guard case .hosted(let feed) = self, let source = feed.merged?.sources[String(name)] else { return self }
    return source.failed(for: String(reason.dropFirst(name.count + 2)))
  }

  /// The policy of a consumer of every update: lossless for recordings, buffered for another source.
  package var completePolicy: FeedPolicy { isRecorded ? .lossless() : .buffered() }
}

extension HostedFeed {
  /// The sources, where there are several.
  var merged: MergedFeed? { host as? MergedFeed }
}

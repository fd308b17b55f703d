import Rustle

/// The feed, as the suites of the contract drive it. A feed has one numbering for all its consumers, and its symbols are its
/// source's: each start makes a feed of its own, except those after a panic, which go to the feed that has panicked.
nonisolated struct ConformingFeed: ConformingEngine {
  let name: String

  func lanes(capacity: Int) -> [StreamBuffering] {
    [
      .batched(capacity: capacity), .batched(capacity: capacity, overflow: .dropNewest),
      .batched(capacity: capacity, overflow: .conflate),
    ]
  }

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Feeds {
    Feeds(valuesPerSecond: valuesPerSecond, limit: limit)
  }

  func start(_ controller: Feeds, mark: String, buffering: StreamBuffering) async throws -> EngineStream<Trade> {
    try await controller.start(mark: mark, buffering: buffering)
  }

  func startPanicking(_ controller: Feeds, buffering: StreamBuffering) async throws -> EngineStream<Trade> {
    try await controller.startPanicking(buffering: buffering)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? FeedError)?.code == .poisoned }

  func cancel(_ controller: Feeds) async { await controller.cancel() }

  func liveStreamCount(_ controller: Feeds) async -> Int { await controller.liveStreamCount }

  func mark(of trade: Trade) -> String { String(trade.symbol.prefix { $0 != "." }) }

  /// Three symbols take turns.
  func sequence(of trade: Trade) -> UInt64 {
    let place: UInt64 = trade.symbol.hasSuffix(".b") ? 1 : trade.symbol.hasSuffix(".c") ? 2 : 0
    return (trade.sequence ?? 0) * 3 + place
  }
}

/// The feeds behind one controller.
actor Feeds {
  private let valuesPerSecond: Double
  private let limit: UInt64?
  private var feeds: [MarketFeed] = []
  private var panicked: MarketFeed?

  init(valuesPerSecond: Double, limit: UInt64?) {
    self.valuesPerSecond = valuesPerSecond
    self.limit = limit
  }

  func start(mark: String, buffering: StreamBuffering) async throws -> EngineStream<Trade> {
    let feed = try panicked ?? makeFeed(mark: mark)
    let stream = try await feed.trades(policy: buffering.policy)
    try await feed.run()
    return stream
  }

  /// On the feed of the last start, if there is one.
  func startPanicking(buffering: StreamBuffering) async throws -> EngineStream<Trade> {
    let feed = try feeds.last ?? makeFeed(mark: "A")
    panicked = feed
    return try await feed.trades(of: ["!PANIC"], policy: buffering.policy)
  }

  func cancel() async {
    for feed in feeds { await feed.cancel() }
    feeds = []
  }

  var liveStreamCount: Int {
    get async {
      var count = 0
      for feed in feeds { count += await feed.liveStreamCount }
      return count
    }
  }

  private func makeFeed(mark: String) throws(FeedError) -> MarketFeed {
    let feed = try MarketFeed(
      .simulated(
        SimulatedFeed(
          symbols: [mark, "\(mark).b", "\(mark).c"], updatesPerSecond: valuesPerSecond, updateLimit: limit)))
    feeds.append(feed)
    return feed
  }
}

nonisolated extension StreamBuffering {
  fileprivate var policy: FeedPolicy {
    switch self {
    case .perValue(let capacity): .buffered(capacity: capacity)
    case .batched(let capacity, let overflow): .buffered(capacity: capacity, overflow: overflow)
    }
  }
}

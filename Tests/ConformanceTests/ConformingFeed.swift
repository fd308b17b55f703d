import Rustle

/// The feed, as the suites of the contract drive it. A feed has one numbering for all its consumers, and its symbols are its
/// source's: each start makes a feed of its own, but for those after a panic, which go to the feed that has panicked.
nonisolated struct ConformingFeed: ConformingEngine {
  let name: String

  func lanes(capacity: Int) -> [Lane] {
    [
      .frames(capacity: capacity), .frames(capacity: capacity, overflow: .dropNewest),
      .frames(capacity: capacity, overflow: .keepLatest),
    ]
  }

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Feeds {
    Feeds(valuesPerSecond: valuesPerSecond, limit: limit)
  }

  func start(_ controller: Feeds, mark: String, lane: Lane) async throws -> EngineStream<Quote> {
    try await controller.start(mark: mark, lane: lane)
  }

  func startPanicking(_ controller: Feeds, lane: Lane) async throws -> EngineStream<Quote> {
    try await controller.startPanicking(lane: lane)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? FeedError)?.code == .poisoned }

  func cancel(_ controller: Feeds) async { await controller.cancel() }

  func liveStreamCount(_ controller: Feeds) async -> Int { await controller.liveStreamCount }

  func mark(of quote: Quote) -> String { String(quote.symbol.prefix { $0 != "." }) }

  /// Three symbols take turns.
  func sequence(of quote: Quote) -> UInt64 {
    let place: UInt64 = quote.symbol.hasSuffix(".b") ? 1 : quote.symbol.hasSuffix(".c") ? 2 : 0
    return (quote.sequence ?? 0) * 3 + place
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

  func start(mark: String, lane: Lane) async throws -> EngineStream<Quote> {
    let feed = try panicked ?? makeFeed(mark: mark)
    let stream = try await feed.quotes(policy: lane.policy)
    try await feed.run()
    return stream
  }

  /// On the feed of the last start, if there is one.
  func startPanicking(lane: Lane) async throws -> EngineStream<Quote> {
    let feed = try feeds.last ?? makeFeed(mark: "A")
    panicked = feed
    return try await feed.quotes(for: ["!PANIC"], policy: lane.policy)
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

nonisolated extension Lane {
  fileprivate var policy: FeedPolicy {
    switch self {
    case .events(let capacity): .all(capacity: capacity)
    case .frames(let capacity, let overflow): .all(capacity: capacity, overflow: overflow)
    }
  }
}

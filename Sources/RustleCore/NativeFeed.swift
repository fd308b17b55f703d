internal import CRustle

/// A record of a feed.
package protocol NativeFeedElement: NativeElement {
  /// The number of its symbol; -1: none.
  var symbol: Int { get }
}

extension NativeTrade: NativeFeedElement {}
extension NativeCandle: NativeFeedElement {}
extension NativePriceStatistics: NativeFeedElement {}
extension NativePriceAlert: NativeFeedElement {}
extension NativeFeedNotice: NativeFeedElement {
  package var symbol: Int { -1 }
}

/// Converts a feed's records to a consumer's values.
package struct FeedReader<Native: NativeFeedElement, Value: Sendable>: Sendable {
  /// Appends the values of many records, and before each the gap that it reports. The names are indexed by the symbols' numbers
  /// and cover all records. As for `ElementReader`, a module writes it for its own type.
  package typealias Many = @Sendable (Span<Native>, [String], inout [StreamElement<Value>]) -> Void

  let append: Many

  package init(append: @escaping Many) { self.append = append }
}

/// The source of a feed's trades. The runtime of a record is not read.
package enum NativeFeedSource: Sendable {
  case simulated(NativeSimulatedFeed)
  case replay(NativeReplayFeed)
  case live(NativeLiveFeed)
  case external(NativeExternalFeed)

  fileprivate func makeFeed(on runtime: UInt64) throws(NativeError) -> NativeHandle {
    switch self {
    case .simulated(var feed):
      feed.runtime = runtime
      return try NativeHandle(RUSTLE_NEW_FEED_SIMULATED, feed)
    case .replay(var feed):
      feed.runtime = runtime
      return try NativeHandle(RUSTLE_NEW_FEED_REPLAY, feed)
    case .live(var feed):
      feed.runtime = runtime
      return try NativeHandle(RUSTLE_NEW_FEED_LIVE, feed)
    case .external(var feed):
      feed.runtime = runtime
      return try NativeHandle(RUSTLE_NEW_FEED_EXTERNAL, feed)
    }
  }
}

/// The native feed: the one owner of its handle. Dropping it cancels its sessions and its source.
package struct NativeFeed: ~Copyable, Sendable {
  private let handle: NativeHandle
  /// Retained while the feed runs on it.
  private let runtime: NativeRuntime?

  /// - Parameters:
  ///   - source: the source of the trades. A recording is opened here.
  ///   - runtime: a manual one for tests; nil: the one that all engines share.
  package init(_ source: NativeFeedSource, runtime: NativeRuntime? = nil) throws(NativeError) {
    handle = try source.makeFeed(on: runtime?.raw ?? 0)
    self.runtime = runtime
  }

  /// Starts the source. Idempotent.
  package borrowing func run() throws(NativeError) { try NativeCalls.feedRun(handle.raw) }

  /// Serves the feed to connecting clients.
  package borrowing func serve(_ request: NativeServerRequest) throws(NativeError) -> NativeServer {
    let bell = Doorbell()
    let session = try NativeSession.start(
      on: handle.raw, RUSTLE_START_FEED_SERVE, request, eventSize: 0, bell: bell)
    return NativeServer(session: session, changes: bell.rings)
  }

  /// Returns the newest notice of the source's connection or end, or one of the kind "none yet".
  package borrowing func connection() -> NativeFeedNotice {
    // The only refusal is a stale handle, and this object owns it.
    let record = try? handle.description(RUSTLE_DESCRIBE_FEED_CONNECTION, RustleFeedNotice())
    return NativeFeedNotice(record ?? RustleFeedNotice())
  }

  /// Returns the counts of the source so far.
  package borrowing func counts() -> NativeFeedCounts {
    // As above.
    let record = try? handle.description(RUSTLE_DESCRIBE_FEED_COUNTS, RustleFeedCounts())
    return NativeFeedCounts(record ?? RustleFeedCounts())
  }

  /// Delivers `bytes` to an external source, and returns how many it took.
  package borrowing func push(_ bytes: Span<UInt8>) throws(NativeError) -> Int {
    try NativeCalls.feedPush(handle.raw, bytes: bytes)
  }

  /// Reports the host's connection to the consumers of an external source.
  package borrowing func report(_ news: NativeHostNews) throws(NativeError) {
    try NativeCalls.feedReport(
      handle.raw, kind: news.kind, retryMilliseconds: news.retryMilliseconds, failures: news.failures, note: news.note)
  }

  /// Returns the union of the consumers' present subscriptions: whether one is of all symbols, and the names of the others, in
  /// the order of their bytes.
  package borrowing func wanted() -> (isAll: Bool, names: [String]) {
    var bytes: [UInt8] = []
    while true {
      var room = bytes.mutableSpan
      // The only refusal is a stale handle, and this object owns it.
      guard let wanted = try? NativeCalls.feedWanted(handle.raw, names: &room) else { return (false, []) }
      if wanted.length <= bytes.count {
        let names = bytes[..<wanted.length].split(separator: UInt8(ascii: "\n"))
        return (wanted.all, names.map { String(decoding: $0, as: UTF8.self) })
      }
      // Names may be added before the next call.
      bytes = [UInt8](repeating: 0, count: wanted.length)
    }
  }

  /// Cancels every session and the source; later starts are refused.
  package borrowing func shutDown() { handle.shutDown() }

  borrowing func start<Native: NativeFeedElement, Value: Sendable>(
    _ lanes: NativeLanes<Native>, _ request: some NativeRecord, _ reader: FeedReader<Native, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let names = SymbolNames()
    return try lanes.startPulling(on: handle.raw, request) { session, records, buffer in
      var highest = -1
      for index in records.indices { highest = max(highest, records[index].symbol) }
      reader.append(records, highest < 0 ? [] : names.names(through: highest, of: session), &buffer)
    }
  }
}

/// A host's report of its connection.
package struct NativeHostNews: Sendable {
  let kind: NativeNotice
  let retryMilliseconds: UInt64
  let failures: Int
  let note: String

  /// - Parameters:
  ///   - retryMilliseconds: the time before the next attempt, after a lost connection.
  ///   - failures: consecutive failed attempts.
  ///   - note: the address or the reason.
  package init(_ kind: NativeNotice, retryMilliseconds: UInt64 = 0, failures: Int = 0, note: String) {
    self.kind = kind
    self.retryMilliseconds = retryMilliseconds
    self.failures = failures
    self.note = note
  }
}

extension EngineStream {
  /// Adds symbols to the subscription of a feed's consumer, and removes others.
  package func changeSubscription(adding add: [String], removing remove: [String]) throws(NativeError) {
    defer { extendLifetime(core) }
    try NativeCalls.feedSubscribe(core.session.id.raw, add: add, remove: remove)
  }

  /// The counts of trades left out of a feed's candles or statistics.
  package var omissions: NativeFeedOmissions {
    defer { extendLifetime(core) }
    // The only refusal is a session of another engine, which leaves nothing out.
    let record = try? describe(core.session.id.raw, RUSTLE_DESCRIBE_FEED_OMISSIONS, RustleFeedOmissions())
    return NativeFeedOmissions(record ?? RustleFeedOmissions())
  }
}

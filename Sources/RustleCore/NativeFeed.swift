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

  fileprivate func makeFeed(on runtime: NativeRuntime?) throws(NativeError) -> NativeHandle {
    switch self {
    case .simulated(let feed): try feed.made(on: runtime)
    case .replay(let feed): try feed.made(on: runtime)
    case .live(let feed): try feed.made(on: runtime)
    case .external(let feed): try feed.made(on: runtime)
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
    handle = try source.makeFeed(on: runtime)
    self.runtime = runtime
  }

  /// Starts the source. Idempotent.
  package borrowing func run() throws(NativeError) { try NativeCalls.feedRun(handle.raw) }

  /// Serves the feed to connecting clients.
  package borrowing func serve(_ request: NativeServerRequest) throws(NativeError) -> NativeServer {
    let bell = Doorbell()
    let session = try NativeSession.start(
      on: handle.raw, RUSTLE_START_FEED_SERVE, request, eventSize: 0, bell: bell, counts: .of("feed", "serve"))
    return NativeServer(session: session, changes: bell.rings)
  }

  /// Returns the newest notice of the source's connection or end, or one of the kind "none yet".
  package borrowing func connection() throws(NativeError) -> NativeFeedNotice {
    try NativeCalls.feedConnection(handle.raw)
  }

  /// Returns the counts of the source so far.
  package borrowing func counts() throws(NativeError) -> NativeFeedCounts { try NativeCalls.feedCounts(handle.raw) }

  /// Delivers `bytes` to an external source, and returns how many it took.
  package borrowing func push(_ bytes: Span<UInt8>) throws(NativeError) -> Int {
    try NativeCalls.feedPush(handle.raw, bytes: bytes)
  }

  /// Reports the host's connection to the consumers of an external source.
  ///
  /// - Parameters:
  ///   - retryMilliseconds: the time before the next attempt, after a lost connection.
  ///   - failures: consecutive failed attempts.
  ///   - note: the address or the reason.
  package borrowing func report(
    _ kind: NativeNotice, retryMilliseconds: UInt64 = 0, failures: Int = 0, note: String
  ) throws(NativeError) {
    try NativeCalls.feedReport(
      handle.raw, kind: kind, retryMilliseconds: retryMilliseconds, failures: failures, note: note)
  }

  /// Returns the union of the consumers' present subscriptions: whether one is of all symbols, and the names of the others, in
  /// the order of their bytes.
  package borrowing func wanted() throws(NativeError) -> (isAll: Bool, names: [String]) {
    var bytes: [UInt8] = []
    while true {
      var room = bytes.mutableSpan
      let wanted = try NativeCalls.feedWanted(handle.raw, names: &room)
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

extension EngineStream {
  /// Adds symbols to the subscription of a feed's consumer, and removes others.
  package func changeSubscription(adding add: [String], removing remove: [String]) throws(NativeError) {
    defer { extendLifetime(core) }
    try NativeCalls.feedSubscribe(core.session.id.raw, add: add, remove: remove)
  }

  /// Returns the counts of trades left out of a feed's candles or statistics.
  package func omissions() throws(NativeError) -> NativeFeedOmissions {
    defer { extendLifetime(core) }
    return try NativeCalls.feedOmissions(core.session.id.raw)
  }
}

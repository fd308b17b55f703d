internal import CRustle

/// Makes a consumer's values from a feed's records.
package struct FeedReader<Native: NativeFeedElement, Value: Sendable>: Sendable {
  /// Appends the values of many records, and before each the gap that it tells of. The names are by the symbols' numbers, and
  /// hold those of all records. As for `ElementReader`, a module spells it out for its own type.
  package typealias Many = @Sendable (Span<Native>, [String], inout [StreamElement<Value>]) -> Void

  let append: Many

  package init(append: @escaping Many) { self.append = append }
}

/// The native feed: the one owner of its handle. Dropping it cancels its sessions and its source.
package struct NativeFeed: ~Copyable, Sendable {
  private static let quotes = unsafe NativeLanes<NativeQuote> {
    unsafe rustle_feed_drain_quotes($0, $1, $2, $3, $4, $5)
  }
  private static let candles = unsafe NativeLanes<NativeCandle> {
    unsafe rustle_feed_drain_candles($0, $1, $2, $3, $4, $5)
  }
  private static let statistics = unsafe NativeLanes<NativePriceStatistics> {
    unsafe rustle_feed_drain_statistics($0, $1, $2, $3, $4, $5)
  }
  private static let alerts = unsafe NativeLanes<NativePriceAlert> {
    unsafe rustle_feed_drain_alerts($0, $1, $2, $3, $4, $5)
  }
  private static let notices = unsafe NativeLanes<NativeFeedNotice> {
    unsafe rustle_feed_drain_notices($0, $1, $2, $3, $4, $5)
  }

  private let handle: NativeHandle
  /// Kept for as long as the feed runs on it.
  private let runtime: NativeRuntime?

  /// - Parameters:
  ///   - source: where the quotes come from. A recording is opened here.
  ///   - runtime: a manual one for tests; nil for the one that all engines share.
  package init(_ source: NativeFeedSource, runtime: NativeRuntime? = nil) throws(NativeError) {
    try NativeLibrary.prepare()
    let raw = try source.makeFeed(on: runtime)
    handle = NativeHandle(raw) { raw in _ = rustle_feed_free(raw, nil) }
    self.runtime = runtime
  }

  /// The number of its handle.
  var raw: UInt64 { handle.raw }

  /// Begins the source. Idempotent.
  package borrowing func run() throws(NativeError) {
    let feed = handle.raw
    try unsafe NativeError.check { unsafe rustle_feed_run(feed, $0) }
  }

  /// Starts a consumer of quotes.
  ///
  /// - Parameter symbols: the names that it wants; nil: all.
  package borrowing func quotes<Value: Sendable>(
    of symbols: [String]?, policy: NativeFeedPolicy, reader: FeedReader<NativeQuote, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let feed = handle.raw
    return try unsafe start(Self.quotes, reader) { sink, raw throws(NativeError) in
      try unsafe withSubscription(symbols) { subscription throws(NativeError) in
        var policy = policy.record
        try unsafe NativeError.check {
          unsafe rustle_feed_start_quotes(feed, subscription, &policy, sink, raw, $0)
        }
      }
    }
  }

  /// Starts a consumer of candles.
  package borrowing func candles<Value: Sendable>(
    of symbols: [String]?, intervalNanoseconds: Int64, latenessNanoseconds: Int64, policy: NativeFeedPolicy,
    reader: FeedReader<NativeCandle, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let feed = handle.raw
    return try unsafe start(Self.candles, reader) { sink, raw throws(NativeError) in
      try unsafe withSubscription(symbols) { subscription throws(NativeError) in
        var policy = policy.record
        try unsafe NativeError.check {
          unsafe rustle_feed_start_candles(
            feed, subscription, intervalNanoseconds, latenessNanoseconds, &policy, sink, raw, $0)
        }
      }
    }
  }

  /// Starts a consumer of statistics.
  package borrowing func statistics<Value: Sendable>(
    of symbols: [String]?, windowNanoseconds: Int64, policy: NativeFeedPolicy,
    reader: FeedReader<NativePriceStatistics, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let feed = handle.raw
    return try unsafe start(Self.statistics, reader) { sink, raw throws(NativeError) in
      try unsafe withSubscription(symbols) { subscription throws(NativeError) in
        var policy = policy.record
        try unsafe NativeError.check {
          unsafe rustle_feed_start_statistics(feed, subscription, windowNanoseconds, &policy, sink, raw, $0)
        }
      }
    }
  }

  /// Starts a consumer of alerts.
  package borrowing func alerts<Value: Sendable>(
    at thresholds: [NativeThreshold], policy: NativeFeedPolicy, reader: FeedReader<NativePriceAlert, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let feed = handle.raw
    return try unsafe start(Self.alerts, reader) { sink, raw throws(NativeError) in
      try unsafe withNativeThresholds(thresholds) { thresholds throws(NativeError) in
        var policy = policy.record
        try unsafe NativeError.check {
          unsafe rustle_feed_start_alerts(
            feed, thresholds.baseAddress, thresholds.count, &policy, sink, raw, $0)
        }
      }
    }
  }

  /// Starts a consumer of notices.
  package borrowing func notices<Value: Sendable>(
    _ which: NativeNotices, capacity: Int, reader: FeedReader<NativeFeedNotice, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    let feed = handle.raw
    return try unsafe start(Self.notices, reader) { sink, raw throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_feed_start_notices(feed, which.number, max(0, capacity), sink, raw, $0)
      }
    }
  }

  /// The newest notice of the source's connection or end; one of the kind that says that there was none.
  package borrowing func connection() -> NativeFeedNotice {
    var record = RustleFeedNotice()
    // The only refusal is a stale handle, and this object owns it.
    _ = unsafe rustle_feed_connection(handle.raw, &record, nil)
    return NativeFeedNotice(record)
  }

  /// Serves the feed to whoever connects.
  package borrowing func serve(on address: String, policy: NativeFeedPolicy) throws(NativeError) -> NativeServer {
    let feed = handle.raw
    let bell = Doorbell()
    let context = unsafe SinkContext(onEvent: { _ in bell.ring() }, onEnd: { _ in bell.finish() })
    var raw: UInt64 = 0
    try unsafe context.start { sink throws(NativeError) in
      try unsafe withNativeStrings([address]) { texts throws(NativeError) in
        var policy = policy.record
        try unsafe NativeError.check { unsafe rustle_feed_serve(feed, texts[0], &policy, sink, &raw, $0) }
      }
    }
    return NativeServer(session: NativeSession(raw, context: context), changes: bell.rings)
  }

  /// What the source met with so far.
  package borrowing func counts() -> NativeFeedCounts {
    var record = RustleFeedCounts()
    // The only refusal is a stale handle, and this object owns it.
    _ = unsafe rustle_feed_counts(handle.raw, &record, nil)
    return NativeFeedCounts(record)
  }

  /// Cancels every session and the source; later starts are refused.
  package borrowing func shutDown() { _ = rustle_feed_shut_down(handle.raw, nil) }

  /// Makes the sink, starts a session with it, and gives the stream of what waits in its ring.
  private borrowing func start<Native: NativeFeedElement, Value: Sendable>(
    _ lanes: NativeLanes<Native>, _ reader: FeedReader<Native, Value>,
    _ start: (RustleSink, UnsafeMutablePointer<UInt64>) throws(NativeError) -> Void
  ) throws(NativeError) -> EngineStream<Value> {
    let names = SymbolNames()
    return try lanes.startPulling(
      append: { session, records, buffer in
        var highest = -1
        for index in records.indices { highest = max(highest, records[index].symbol) }
        reader.append(records, highest < 0 ? [] : names.names(through: highest, of: session), &buffer)
      },
      { context throws(NativeError) in
        var raw: UInt64 = 0
        try unsafe context.start { sink throws(NativeError) in try unsafe start(sink, &raw) }
        return NativeSession(raw, context: context)
      })
  }
}

/// Calls `body` with the record of a subscription, which is valid during the call.
private func withSubscription(
  _ symbols: [String]?, _ body: (UnsafePointer<RustleFeedSubscription>) throws(NativeError) -> Void
) throws(NativeError) {
  try unsafe withNativeStrings(symbols ?? []) { names throws(NativeError) in
    var record = unsafe RustleFeedSubscription(
      symbols: names.baseAddress, symbol_count: names.count, all: symbols == nil ? 1 : 0, reserved: 0)
    try unsafe withUnsafePointer(to: &record) { record throws(NativeError) in try unsafe body(record) }
  }
}

extension EngineStream {
  /// Has a feed's consumer get the symbols of `add` too, and those of `remove` no more.
  package func changeSubscription(adding add: [String], removing remove: [String]) throws(NativeError) {
    let session = core.session.id.raw
    try unsafe withNativeStrings(add) { add throws(NativeError) in
      try unsafe withNativeStrings(remove) { remove throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_feed_subscribe(
            session, add.baseAddress, add.count, remove.baseAddress, remove.count, $0)
        }
      }
    }
    extendLifetime(core)
  }

  /// How many quotes a feed's candles or statistics left out because they came too late.
  package var lateCount: UInt64 {
    var late: UInt64 = 0
    _ = unsafe rustle_feed_late(core.session.id.raw, &late, nil)
    extendLifetime(core)
    return late
  }

  /// How many quotes left a feed's windows early, because they were full.
  package var evictedCount: UInt64 {
    var evicted: UInt64 = 0
    _ = unsafe rustle_feed_evicted(core.session.id.raw, &evicted, nil)
    extendLifetime(core)
    return evicted
  }
}

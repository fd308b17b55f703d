internal import CRustle

/// A new price, as the native side gives it: the symbol by its place in the list that the session was started with.
package struct NativePrice: RecordElement, Hashable {
  package let symbol: Int
  package let price: Double
  package let timestampMilliseconds: Int64
  package let sequence: UInt64
  /// Updates that were lost just before this one; 0 on the events lane.
  package let gap: UInt64

  init(_ update: RustlePriceUpdate) {
    symbol = Int(update.symbol)
    price = update.price
    timestampMilliseconds = update.timestamp_ms
    sequence = update.sequence
    gap = UInt64(update.gap)
  }
}

/// Makes a consumer's values from native updates.
package typealias PriceReader<Value: Sendable> = ElementReader<NativePrice, Value>

/// The native ticker: the one owner of its handle. Dropping it cancels its sessions.
package struct NativeTicker: ~Copyable, Sendable {
  private static let lanes = unsafe NativeLanes<NativePrice> {
    unsafe rustle_ticker_drain($0, $1, $2, $3, $4, $5)
  }

  private let handle: NativeHandle
  /// Kept for as long as the ticker runs on it.
  private let runtime: NativeRuntime?

  /// - Parameters:
  ///   - updatesPerSecond: of each symbol, 0.001 to 10,000,000.
  ///   - seed: of the random walk; nil draws one for each session.
  ///   - updateLimit: updates after which a session ends by itself; nil: it does not.
  ///   - runtime: a manual one for tests; nil for the one that all engines share.
  package init(
    updatesPerSecond: Double, seed: UInt64?, updateLimit: UInt64?, runtime: NativeRuntime? = nil
  ) throws(NativeError) {
    try NativeLibrary.prepare()
    var configuration = RustleTickerConfiguration(
      updates_per_second: updatesPerSecond, seed: seed ?? 0, update_limit: updateLimit ?? 0,
      runtime: runtime?.raw ?? 0, has_seed: seed == nil ? 0 : 1, reserved: 0)
    var raw: UInt64 = 0
    try unsafe NativeError.check { unsafe rustle_ticker_new(&configuration, &raw, $0) }
    handle = NativeHandle(raw) { raw in _ = rustle_ticker_free(raw, nil) }
    self.runtime = runtime
  }

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - symbols: 1 to 100,000 distinct names.
  ///   - lane: how the updates travel.
  ///   - reader: makes the consumer's values from native updates. Called on native threads for the events lane, and in the
  ///     consumer's task for a frame lane; it must not block.
  ///   - sequenceNumber: gives back the update's number in the session.
  package borrowing func start<Value: Sendable>(
    symbols: [String], lane: Lane, reader: PriceReader<Value>, sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(NativeError) -> EngineStream<Value> {
    try Self.lanes.start(in: lane, reader: reader, sequenceNumber: sequenceNumber) {
      (context, lane, capacity) throws(NativeError) in
      try start(symbols, context, lane: lane, capacity: capacity)
    }
  }

  /// Starts a session that calls for every update, with nothing in between.
  ///
  /// - Parameters:
  ///   - symbols: 1 to 100,000 distinct names.
  ///   - onPrice: called on native threads, one call at a time; it must not block.
  ///   - onEnd: called once, after the last update.
  package borrowing func start(
    symbols: [String], onPrice: @escaping @Sendable (NativePrice) -> Void,
    onEnd: @escaping @Sendable (SessionOutcome) -> Void
  ) throws(NativeError) -> NativeSession {
    try Self.lanes.startCalling(onElement: onPrice, onEnd: onEnd) { (context, lane, capacity) throws(NativeError) in
      try start(symbols, context, lane: lane, capacity: capacity)
    }
  }

  private borrowing func start(
    _ symbols: [String], _ context: SinkContext, lane: UInt32, capacity: Int
  ) throws(NativeError) -> NativeSession {
    var raw: UInt64 = 0
    let ticker = handle.raw
    try unsafe context.start { sink throws(NativeError) in
      try unsafe withNativeStrings(symbols) { names throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_ticker_start(
            ticker, names.baseAddress, names.count, lane, capacity, sink, &raw, $0)
        }
      }
    }
    return NativeSession(raw, context: context)
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { _ = rustle_ticker_shut_down(handle.raw, nil) }
}

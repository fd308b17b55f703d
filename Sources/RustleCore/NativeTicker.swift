internal import CRustle

/// A new price, as the native side gives it: the symbol by its place in the list that the session was started with.
package struct NativePrice: Sendable, Hashable {
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

/// The callback side of a ticker session. It is called on native threads, one call at a time, and must not block.
package protocol NativePriceReceiver: Sendable {
  /// A new price.
  func receive(_ price: NativePrice)
  /// The session is over: the last call, made exactly once.
  func end(_ outcome: SessionOutcome)
}

/// The native ticker: the one owner of its handle. Dropping it cancels its sessions.
package struct NativeTicker: ~Copyable, Sendable {
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

  /// Starts a session that calls `receiver` for every update.
  package borrowing func start(
    symbols: [String], receiver: some NativePriceReceiver
  ) throws(NativeError) -> NativeSession {
    let context = unsafe SinkContext(
      onEvent: { event in
        guard let event = unsafe event else { return }
        receiver.receive(NativePrice(unsafe event.assumingMemoryBound(to: RustlePriceUpdate.self).pointee))
      },
      onEnd: { receiver.end($0) })
    var raw: UInt64 = 0
    let ticker = handle.raw
    try unsafe context.start { sink throws(NativeError) in
      try unsafe withNativeStrings(symbols) { names throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_ticker_start(
            ticker, names.baseAddress, names.count, UInt32(RUSTLE_LANE_EVENTS), 0, sink, &raw, $0)
        }
      }
    }
    return NativeSession(raw, context: context)
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { _ = rustle_ticker_shut_down(handle.raw, nil) }
}

/// Calls `body` with the texts as native records, which are valid during the call.
func withNativeStrings<Result>(
  _ texts: [String], _ body: (UnsafeBufferPointer<RustleString>) throws(NativeError) -> Result
) throws(NativeError) -> Result {
  var bytes: [UInt8] = []
  let ends = texts.map { text in
    bytes.append(contentsOf: text.utf8)
    return bytes.count
  }
  let span = bytes.span
  return try unsafe span.withUnsafeBufferPointer { bytes throws(NativeError) in
    var start = 0
    let records = unsafe ends.map { end in
      defer { start = end }
      return unsafe RustleString(data: bytes.baseAddress.map { unsafe $0 + start }, length: end - start)
    }
    return try unsafe records.span.withUnsafeBufferPointer(body)
  }
}

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
    switch lane {
    case .events(let capacity):
      guard Lane.capacities.contains(capacity) else {
        throw NativeError(
          status: .invalidLength, message: "expected a lane of 1 to 1048576 elements, got \(capacity)")
      }
      let events = EventLane(capacity: capacity, sequenceNumber: sequenceNumber)
      let session = try start(
        symbols: symbols, onPrice: { events.receive(reader.value($0)) }, onEnd: { _ in events.finish() })
      events.connect(to: session.id)
      return EngineStream(core: .init(session: session, source: .events(events)))
    case .frames(let capacity, let overflow):
      let bell = Doorbell()
      let context = unsafe SinkContext(onEvent: { _ in bell.ring() }, onEnd: { _ in bell.finish() })
      let session = try start(symbols, context, lane: overflow.native, capacity: capacity)
      // By number: an engine that counts a lane's values must not keep its session.
      let id = session.id
      let frames = FrameLane<Value>(
        bell: bell, drain: { drainPrices(id, most: $1, into: &$0, reader) }, statistics: { priceStatistics(id) })
      return EngineStream(core: .init(session: session, source: .frames(frames)))
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
    let context = unsafe SinkContext(
      onEvent: { event in
        guard let event = unsafe event else { return }
        onPrice(NativePrice(unsafe event.assumingMemoryBound(to: RustlePriceUpdate.self).pointee))
      },
      onEnd: onEnd)
    return try start(symbols, context, lane: RUSTLE_LANE_EVENTS, capacity: 0)
  }

  private borrowing func start(
    _ symbols: [String], _ context: SinkContext, lane: Int32, capacity: Int
  ) throws(NativeError) -> NativeSession {
    var raw: UInt64 = 0
    let ticker = handle.raw
    try unsafe context.start { sink throws(NativeError) in
      try unsafe withNativeStrings(symbols) { names throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_ticker_start(
            ticker, names.baseAddress, names.count, UInt32(lane), max(0, capacity), sink, &raw, $0)
        }
      }
    }
    return NativeSession(raw, context: context)
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { _ = rustle_ticker_shut_down(handle.raw, nil) }
}

extension LaneOverflow {
  fileprivate var native: Int32 {
    switch self {
    case .dropOldest: RUSTLE_LANE_DROP_OLDEST
    case .dropNewest: RUSTLE_LANE_DROP_NEWEST
    case .keepLatest: RUSTLE_LANE_KEEP_LATEST
    }
  }
}

/// Moves at most `most` waiting updates of a session's ring behind what is in `buffer`; returns how many there were.
private func drainPrices<Value>(
  _ session: SessionID, most: Int, into buffer: inout [StreamElement<Value>], _ reader: PriceReader<Value>
) -> Int {
  // Fetched in pieces of 16 KiB: a large batch needs no large scratch.
  let pieceSize = min(512, most)
  return unsafe withUnsafeTemporaryAllocation(of: RustlePriceUpdate.self, capacity: pieceSize) { scratch in
    var taken = 0
    var prices: [NativePrice] = []
    prices.reserveCapacity(pieceSize)
    while taken < most {
      var count = 0
      let wanted = min(pieceSize, most - taken)
      // The one refusal is a stale session, which has nothing to drain.
      guard unsafe rustle_ticker_drain(session.raw, scratch.baseAddress, wanted, &count, nil, nil) == RUSTLE_OK else {
        break
      }
      prices.removeAll(keepingCapacity: true)
      for index in 0..<count { prices.append(NativePrice(unsafe scratch[index])) }
      reader.append(prices.span, &buffer)
      taken += count
      if count < wanted { break }
    }
    return taken
  }
}

private func priceStatistics(_ session: SessionID) -> StreamStatistics? {
  var count = 0
  var record = RustleLaneStatistics()
  let status = unsafe rustle_ticker_drain(session.raw, nil, 0, &count, &record, nil)
  guard status == RUSTLE_OK else { return nil }
  return StreamStatistics(produced: record.produced, delivered: record.delivered, dropped: record.dropped)
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

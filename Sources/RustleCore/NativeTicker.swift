internal import CRustle

/// Makes a consumer's values from native updates.
package typealias PriceReader<Value: Sendable> = ElementReader<NativePriceUpdate, Value>

/// The native ticker: the one owner of its handle. Dropping it cancels its sessions.
package struct NativeTicker: ~Copyable, Sendable {
  private static let lanes = NativeLanes<NativePriceUpdate>(RUSTLE_START_TICKER)

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
    handle = try NativeHandle(
      RUSTLE_NEW_TICKER,
      NativeTickerConfiguration(
        updatesPerSecond: updatesPerSecond, seed: seed ?? 0, updateLimit: updateLimit ?? 0,
        runtime: runtime?.raw ?? 0, hasSeed: seed != nil))
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
    try Self.lanes.start(on: handle.raw, in: lane, reader: reader, sequenceNumber: sequenceNumber) {
      NativeTickerRequest(symbols: symbols, lane: $0)
    }
  }

  /// Starts a session that calls for every update, with nothing in between.
  ///
  /// - Parameters:
  ///   - symbols: 1 to 100,000 distinct names.
  ///   - onPrice: called on native threads, one call at a time; it must not block.
  ///   - onEnd: called once, after the last update.
  package borrowing func start(
    symbols: [String], onPrice: @escaping @Sendable (NativePriceUpdate) -> Void,
    onEnd: @escaping @Sendable (SessionOutcome) -> Void
  ) throws(NativeError) -> NativeSession {
    try Self.lanes.startCalling(on: handle.raw, onElement: onPrice, onEnd: onEnd) {
      NativeTickerRequest(symbols: symbols, lane: $0)
    }
  }

  /// Cancels every session; later starts are refused.
  package borrowing func shutDown() { handle.shutDown() }
}

public import RustleCore

/// A source of simulated prices: each stream has random prices of the symbols that its caller lists. Real prices come from a
/// ``MarketFeed``.
///
/// ```swift
/// let ticker = try TickerController()
/// for await update in try await ticker.prices(for: ["BTC", "ETH"]) {
///   print(update.symbol, update.price)
/// }
/// ```
///
/// A stream ends, and its native session with it, when its consumer leaves the loop, when the consuming task is
/// cancelled, when the stream is dropped, when the ticker is dropped, and by `cancel()` and `shutDown()`. The
/// `AsyncStream` of ``prices(for:)`` cannot detect that a loop was left while the stream is still referenced: it ends when it is
/// dropped. ``updates(for:buffering:)`` can.
///
/// The actor is the one owner of the native handle, which never leaves it. Calls that start or end a stream go through the actor,
/// one at a time, so that no start comes between a shutdown's flag and its wait.
///
/// `cancel()` is explicit because a dropped stream only requests its end: a deinitializer cannot wait. A caller that releases
/// what the callbacks use has to await their end.
public actor TickerController: PriceSource, NativeStreamEngine {
  private let ticker: NativeTicker
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a ticker on the threads that all engines of the process share. Nothing runs before the first stream.
  ///
  /// - Throws: ``TickerError`` with the code ``TickerError/Code/rateOutOfRange``,
  ///   ``TickerError/Code/updateLimitOutOfRange`` or ``TickerError/Code/archiveMismatch``.
  public init(configuration: TickerConfiguration = TickerConfiguration()) throws(TickerError) {
    try self.init(configuration: configuration, runtime: nil)
  }

  /// Creates a ticker on the caller's runtime.
  package init(configuration: TickerConfiguration, runtime: NativeRuntime?) throws(TickerError) {
    // The native side reads 0 as no limit.
    if configuration.updateLimit == 0 {
      throw TickerError(
        code: .updateLimitOutOfRange, message: "update limit: expected 1 update or more, or no limit, got 0")
    }
    do {
      ticker = try NativeTicker(
        NativeTickerConfiguration(
          updatesPerSecond: configuration.updatesPerSecond, seed: configuration.seed ?? 0,
          updateLimit: configuration.updateLimit ?? 0, hasSeed: configuration.seed != nil),
        runtime: runtime)
    } catch {
      throw TickerError(error)
    }
  }

  /// Streams the prices of `symbols`: the first update of the first symbol at once, the others in turns.
  ///
  /// The stream has one consumer. Tasks that iterate over it at the same time take turns, as an `AsyncStream` does not know its
  /// iterators: ``updates(for:buffering:)`` ends a second iteration at once, and logs it. When 1,024 updates wait, the oldest are
  /// dropped; `statistics` counts them, and the sequence numbers show the gap. Updates that wait at the stream's end count as
  /// delivered. The native callback yields to the stream directly: an update costs no hop to another actor.
  /// ``updates(for:buffering:)`` reports gaps in the stream and can be read in batches.
  ///
  /// - Parameter symbols: 1 to 100,000 distinct names of 1 to 32 bytes, without white space and control characters.
  /// - Throws: ``TickerError``; nothing was started then.
  public func prices(for symbols: [String]) throws(TickerError) -> AsyncStream<PriceUpdate> {
    let stream = try TickerError.rethrowing { () throws(NativeError) in
      try CallbackStream<PriceUpdate>(of: "ticker", capacity: 1_024) { (onValue, onEnd) throws(NativeError) in
        try ticker.start(symbols: symbols, onElement: { onValue(PriceUpdate($0, symbols: symbols)) }, onEnd: onEnd)
      }
    }
    streams.add(stream.monitor)
    return stream.values
  }

  /// Streams the prices of `symbols` through a buffer of the caller's choice.
  ///
  /// ```swift
  /// let updates = try await ticker.updates(for: symbols, buffering: .batched(overflow: .conflate))
  /// for await batch in updates.batches() {
  ///   for case .value(let update) in batch { table[update.symbol] = update.price }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - symbols: as for ``prices(for:)``.
  ///   - buffering: `perValue` for up to about a thousand updates per second, `batched` for any rate.
  /// - Throws: as ``prices(for:)``; ``TickerError/Code/capacityOutOfRange`` for a capacity that is not 1 to 1,048,576.
  public func updates(
    for symbols: [String], buffering: StreamBuffering = .perValue()
  ) throws(TickerError) -> EngineStream<PriceUpdate> {
    try started(orThrow: TickerError.self) { () throws(NativeError) in
      try ticker.start(
        symbols: symbols, buffering: buffering, reader: ElementReader(symbols: symbols), sequenceNumber: \.sequence)
    }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { ticker.shutDown() }
}

/// The settings of a ticker's simulated prices.
public struct TickerConfiguration: Sendable, Hashable {
  /// Updates per second of each symbol: 0.001 to 10,000,000. The symbols of a stream take turns at equal intervals.
  public var updatesPerSecond: Double
  /// The seed of the random walk. The same seed and the same symbols give the same prices, bit for bit; nil draws a seed
  /// for each stream.
  public var seed: UInt64?
  /// The number of updates, over all symbols, after which a stream ends; nil: no limit.
  public var updateLimit: UInt64?

  /// Creates settings; by default two updates per second of each symbol, a drawn seed and no limit. They are checked when a
  /// ``TickerController`` is created.
  public init(updatesPerSecond: Double = 2, seed: UInt64? = nil, updateLimit: UInt64? = nil) {
    self.updatesPerSecond = updatesPerSecond
    self.seed = seed
    self.updateLimit = updateLimit
  }
}

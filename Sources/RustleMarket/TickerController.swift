public import RustleCore

/// A ticker: streams the prices of any number of lists of symbols, from one native engine.
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
/// `AsyncStream` of ``prices(for:)`` cannot tell that a loop was left while somebody still holds the stream: it ends when it is
/// dropped. ``updates(for:buffering:)`` can.
///
/// The actor is the one owner of the native handle. Every call that starts or ends something goes through the actor, one
/// at a time, so that a start cannot slip between a shutdown's flag and its wait; the handle itself never leaves it.
///
/// `cancel()` is explicit because dropping a stream can only ask for the end: a deinitialiser cannot wait. A caller that has
/// to know that no callback runs any more, to take down what the callbacks use, needs something to await.
public actor TickerController: PriceSource, StreamEngine {
  private let ticker: NativeTicker
  /// The streams that it has given away.
  public let streams = EngineStreams()

  /// A ticker on the threads that all engines of the process share. Nothing runs until a stream is asked for.
  ///
  /// - Throws: ``TickerError`` with the code ``TickerError/Code/rateOutOfRange``,
  ///   ``TickerError/Code/updateLimitOutOfRange`` or ``TickerError/Code/archiveMismatch``.
  public init(configuration: TickerConfiguration = TickerConfiguration()) throws(TickerError) {
    try self.init(configuration: configuration, runtime: nil)
  }

  /// A ticker on a runtime of the caller's.
  package init(configuration: TickerConfiguration, runtime: NativeRuntime?) throws(TickerError) {
    // The native side takes 0 for no limit.
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
  /// The stream is for one consumer. One that is slower than the stream loses the oldest updates once 1,024 wait;
  /// `statistics` counts them and the numbers of the updates show the hole. It counts those that wait at the stream's end as
  /// delivered. The native callback yields to the stream itself: an update costs no hop to another actor.
  /// ``updates(for:buffering:)`` tells of it in the stream itself and can be read in batches.
  ///
  /// - Parameter symbols: 1 to 100,000 distinct names of 1 to 32 bytes, without white space and control characters.
  /// - Throws: ``TickerError``, whose code tells the faults apart; nothing was started then.
  public func prices(for symbols: [String]) throws(TickerError) -> AsyncStream<PriceUpdate> {
    let stream = try TickerError.rethrowing { () throws(NativeError) in
      try CallbackStream<PriceUpdate>(capacity: 1_024) { (onValue, onEnd) throws(NativeError) in
        try ticker.start(symbols: symbols, onElement: { onValue(PriceUpdate($0, symbols: symbols)) }, onEnd: onEnd)
      }
    }
    streams.add(stream.monitor)
    return stream.values
  }

  /// Streams the prices of `symbols` over the lane of the caller's choice.
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
  ///   - buffering: events for up to about a thousand updates a second, frames for any rate.
  /// - Throws: as ``prices(for:)``; ``TickerError/Code/capacityOutOfRange`` for a ring that is not 1 to 1,048,576 long.
  public func updates(
    for symbols: [String], buffering: StreamBuffering = .perValue()
  ) throws(TickerError) -> EngineStream<PriceUpdate> {
    try started(orThrow: TickerError.self) { () throws(NativeError) in
      try ticker.start(
        symbols: symbols, buffering: buffering, reader: ElementReader(symbols: symbols), sequenceNumber: \.sequence)
    }
  }

  /// Has the native side refuse new streams and end those that run, without waiting for their end.
  public func refuseStreams() { ticker.shutDown() }
}

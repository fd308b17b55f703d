public import RustleMarket

/// A source of prices that a test writes itself.
public actor ScriptedPrices: PriceSource {
  /// The lists of symbols that streams were asked for, in order.
  public private(set) var requests: [[String]] = []
  /// The number of calls of ``cancel()``.
  public private(set) var cancelCount = 0

  private var continuations: [AsyncStream<PriceUpdate>.Continuation] = []
  private var refusal: TickerError?

  /// A source with no streams.
  public init() {}

  /// Makes the next requests fail with `error`; nil makes them succeed again.
  public func refuse(with error: TickerError?) { refusal = error }

  /// A stream of what is sent from now on, or the error of ``refuse(with:)``. The request is noted in either case.
  public func prices(for symbols: [String]) throws(TickerError) -> AsyncStream<PriceUpdate> {
    requests.append(symbols)
    if let refusal { throw refusal }
    let (stream, continuation) = AsyncStream.makeStream(of: PriceUpdate.self)
    continuations.append(continuation)
    return stream
  }

  /// Sends `update` to every stream.
  public func send(_ update: PriceUpdate) {
    for continuation in continuations { continuation.yield(update) }
  }

  /// Ends every stream, as a source does that has no more.
  public func finish() {
    for continuation in continuations { continuation.finish() }
    continuations = []
  }

  /// Counts the call and ends every stream.
  public func cancel() {
    cancelCount += 1
    finish()
  }
}

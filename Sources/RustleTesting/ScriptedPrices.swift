public import RustleMarket

/// A source of prices that a test sends.
public actor ScriptedPrices: PriceSource {
  /// The requested lists of symbols, in order.
  public private(set) var requests: [[String]] = []
  /// The number of calls of ``cancel()``.
  public private(set) var cancelCount = 0

  private var continuations: [AsyncStream<PriceUpdate>.Continuation] = []
  private var refusal: TickerError?

  /// Creates a source with no streams.
  public init() {}

  /// Makes the next requests fail with `error`; nil makes them succeed again.
  public func refuse(with error: TickerError?) { refusal = error }

  /// Returns a stream of the updates sent from then on, or throws the error of ``refuse(with:)``. The request is recorded in
  /// either case.
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

  /// Ends every stream, like a source that has ended.
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

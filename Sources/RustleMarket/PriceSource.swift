/// A source that streams prices: the native ``TickerController``, or a scripted one in tests.
public protocol PriceSource: Sendable {
  /// Streams the prices of `symbols` until the stream is dropped, its consumer's task is cancelled, or ``cancel()``.
  func prices(for symbols: [String]) async throws(TickerError) -> AsyncStream<PriceUpdate>

  /// Ends every stream of this source, and returns when they have ended.
  func cancel() async
}

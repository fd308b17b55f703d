internal import RustleCore
internal import Synchronization

/// The callback side of one stream: turns native callbacks into elements of an `AsyncStream`.
///
/// It is `Sendable` without a promise of ours because it has nothing that changes but atomics: the symbols and the
/// continuation are constants, and the continuation is made to be used from any thread. The native side calls it on its
/// own threads, one call at a time; no call blocks, takes a lock, or reaches for an actor.
final class PriceStreamAdapter: NativePriceReceiver {
  private let symbols: [String]
  private let continuation: AsyncStream<PriceUpdate>.Continuation
  private let produced = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)

  init(symbols: [String], continuation: AsyncStream<PriceUpdate>.Continuation) {
    self.symbols = symbols
    self.continuation = continuation
  }

  func receive(_ price: NativePrice) {
    produced.add(1, ordering: .relaxed)
    let update = PriceUpdate(
      symbol: symbols[price.symbol], price: price.price, timestampMilliseconds: price.timestampMilliseconds,
      sequence: price.sequence)
    switch continuation.yield(update) {
    case .enqueued: break
    case .dropped, .terminated: dropped.add(1, ordering: .relaxed)
    @unknown default: break
    }
  }

  func end(_ outcome: SessionOutcome) { continuation.finish() }

  /// What went through so far.
  var statistics: TickerStatistics {
    TickerStatistics(produced: produced.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed))
  }
}

import RustleCore
import RustleMarket
import Synchronization

/// Ways from the engine to a consumer, each for `count` updates at `rate` a second.
struct Bridges {
  let symbols = ["BTC", "ETH", "SOL", "AAPL"]
  let rate: Double
  let count: UInt64

  private func configuration() -> TickerConfiguration {
    TickerConfiguration(updatesPerSecond: rate / Double(symbols.count), seed: 1, updateLimit: count)
  }

  /// The naive bridge: the callback makes the consumer's value and yields it to an unbounded `AsyncStream`.
  func naive() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let symbols = symbols
    let (stream, continuation) = AsyncStream.makeStream(of: PriceUpdate.self)
    let session = try ticker.start(
      symbols: symbols,
      onPrice: { price in
        continuation.yield(
          PriceUpdate(
            symbol: symbols[price.symbol], price: price.price, timestampMilliseconds: price.timestampMilliseconds,
            sequence: price.sequence))
      },
      onEnd: { _ in continuation.finish() })
    var sum = 0.0
    for await update in stream { sum += update.price }
    keep(sum)
    await session.released()
    return count
  }

  /// Yields to a stream that nobody reads.
  func yieldOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let (stream, continuation) = AsyncStream.makeStream(of: NativePrice.self)
    let session = try ticker.start(
      symbols: symbols, onPrice: { continuation.yield($0) }, onEnd: { _ in continuation.finish() })
    await session.released()
    extendLifetime(stream)
    return count
  }

  /// A callback that does nothing: what the engine costs with it.
  func callbackOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let session = try ticker.start(symbols: symbols, onPrice: { _ in }, onEnd: { _ in })
    await session.released()
    return count
  }

  /// A frame lane that nobody drains: what the engine and its ring cost.
  func ringOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let stream = try ticker.start(
      symbols: symbols, lane: .frames(capacity: 65_536), reader: PriceReader { $0 }, sequenceNumber: \.sequence)
    await StreamMonitor(stream).session.released()
    return count
  }

  /// One element at a time through a lane of the public ticker.
  func elements(_ lane: Lane) async throws -> UInt64 {
    let ticker = try TickerController(configuration: configuration())
    let stream = try await ticker.updates(for: symbols, lane: lane)
    var sum = 0.0
    for await element in stream { if case .value(let update) = element { sum += update.price } }
    keep(sum)
    return count
  }

  /// Batches through the frame lane of the public ticker, into one buffer.
  func batches() async throws -> UInt64 {
    let ticker = try TickerController(configuration: configuration())
    var iterator = try await ticker.updates(for: symbols, lane: .frames()).makeAsyncIterator()
    var buffer: [StreamElement<PriceUpdate>] = []
    var sum = 0.0
    while await iterator.next(into: &buffer, most: 4_096) {
      for case .value(let update) in buffer { sum += update.price }
    }
    keep(sum)
    return count
  }

  private func nativeTicker() throws -> NativeTicker {
    try NativeTicker(updatesPerSecond: rate / Double(symbols.count), seed: 1, updateLimit: count)
  }
}

/// Keeps the compiler from dropping the work that made `value`.
func keep(_ value: Double) {
  if value.isNaN { print("a price is not a number") }
}

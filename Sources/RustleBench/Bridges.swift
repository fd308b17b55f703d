import RustleCore
import RustleMarket
import Synchronization

/// Bridges from the engine to a consumer, each for `count` updates at `rate` per second.
struct Bridges {
  let symbols = ["BTC", "ETH", "SOL", "AAPL"]
  let rate: Double
  let count: UInt64

  private func configuration() -> TickerConfiguration {
    TickerConfiguration(updatesPerSecond: rate / Double(symbols.count), seed: 1, updateLimit: count)
  }

  /// The naive bridge: the callback makes the consumer's value and yields it to an unbounded `AsyncStream`.
  func naive() async throws -> UInt64 { try await naive(Watch()).produced }

  func naive(_ watch: Watch) async throws -> StreamStatistics {
    let ticker = try nativeTicker()
    let symbols = symbols
    let (stream, continuation) = AsyncStream.makeStream(of: PriceUpdate.self)
    let session = try ticker.start(
      symbols: symbols,
      onElement: { price in
        continuation.yield(
          PriceUpdate(
            symbol: symbols[price.symbol], price: price.price, timestampMilliseconds: price.timestampMilliseconds,
            sequence: price.sequence))
      },
      onEnd: { _ in continuation.finish() })
    var (sum, seen) = (0.0, 0 as UInt64)
    watch.look()
    for await update in stream {
      if seen.isMultiple(of: 4_096) { watch.lookNowAndThen() }
      sum += update.price
      seen += 1
    }
    keep(sum)
    await session.released()
    return StreamStatistics(produced: count, delivered: seen, dropped: count - seen)
  }

  /// Yields to a stream that nobody reads.
  func yieldOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let (stream, continuation) = AsyncStream.makeStream(of: NativePriceUpdate.self)
    let session = try ticker.start(
      symbols: symbols, onElement: { continuation.yield($0) }, onEnd: { _ in continuation.finish() })
    await session.released()
    extendLifetime(stream)
    return count
  }

  /// An empty callback: the cost of the engine with a callback.
  func callbackOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let session = try ticker.start(symbols: symbols, onElement: { _ in }, onEnd: { _ in })
    await session.released()
    return count
  }

  /// A frame buffer without a consumer: the cost of the engine and its ring.
  func ringOnly() async throws -> UInt64 {
    let ticker = try nativeTicker()
    let stream = try ticker.start(
      symbols: symbols, buffering: .batched(capacity: 65_536), reader: ElementReader { $0 }, sequenceNumber: \.sequence)
    await StreamMonitor(stream).released()
    return count
  }

  /// One element at a time through a stream of the public ticker. Dropped updates are not counted.
  func elements(_ buffering: StreamBuffering) async throws -> UInt64 {
    let ticker = try TickerController(configuration: configuration())
    let stream = try await ticker.updates(for: symbols, buffering: buffering)
    var sum = 0.0
    for await element in stream { if case .value(let update) = element { sum += update.price } }
    keep(sum)
    return stream.statistics.delivered
  }

  /// Batches through the frame buffer of the public ticker, into one array.
  func batches() async throws -> UInt64 { try await batches(Watch()).delivered }

  func batches(_ watch: Watch) async throws -> StreamStatistics {
    try await batches(watch, capacity: 65_536, most: 4_096, pause: nil)
  }

  /// As `batches`, through a ring that lasts for 100 ms of five million updates per second.
  func largeRing(_ watch: Watch) async throws -> StreamStatistics {
    try await batches(watch, capacity: 524_288, most: 4_096, pause: nil)
  }

  /// As `batches`, for a consumer that drains the waiting values and then pauses.
  func slowBatches(_ watch: Watch) async throws -> StreamStatistics {
    try await batches(watch, capacity: 65_536, most: 65_536, pause: .milliseconds(100))
  }

  private func batches(
    _ watch: Watch, capacity: Int, most: Int, pause: Duration?
  ) async throws -> StreamStatistics {
    let ticker = try TickerController(configuration: configuration())
    let stream = try await ticker.updates(for: symbols, buffering: .batched(capacity: capacity))
    var iterator = stream.makeAsyncIterator()
    var buffer: [StreamElement<PriceUpdate>] = []
    var sum = 0.0
    watch.look()
    while await iterator.next(into: &buffer, maximumCount: most) {
      for case .value(let update) in buffer { sum += update.price }
      watch.lookNowAndThen()
      if let pause { try await Task.sleep(for: pause) }
    }
    keep(sum)
    return stream.statistics
  }

  private func nativeTicker() throws -> NativeTicker {
    try NativeTicker(
      NativeTickerConfiguration(
        updatesPerSecond: rate / Double(symbols.count), seed: 1, updateLimit: count, hasSeed: true))
  }
}

/// Keeps the compiler from dropping the work that made `value`.
func keep(_ value: Double) {
  if value.isNaN { print("a price is not a number") }
}

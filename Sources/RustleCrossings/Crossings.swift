import RustleCore
import RustleMarket

/// The Swift side of the buffers, run a given number of times on a clock that stands still between the steps: for a counter
/// of instructions around the process (scripts/instructions.py). Nothing waits, so that the count is reproducible.
enum Crossings {
  /// Updates between two looks of the consumer.
  private static let step = 1_000

  /// - Parameters:
  ///   - name: `events`, `elements` (frame buffer, one by one), `batches`, or `engine` (without a consumer).
  ///   - count: updates, a multiple of 1,000.
  /// - Returns: false when there is no such case.
  static func run(_ name: String, count: Int) async throws -> Bool {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    // A thousand updates a millisecond.
    let ticker = try TickerController(
      configuration: TickerConfiguration(updatesPerSecond: 250_000, seed: 1, updateLimit: UInt64(count)),
      runtime: runtime)
    let buffering = name == "events" ? StreamBuffering.perValue(capacity: 2 * step) : .batched()
    let stream = try await ticker.updates(for: ["BTC", "ETH", "SOL", "AAPL"], buffering: buffering)
    // There is one update at time 0, and a thousand more with every millisecond.
    var made = 1
    func makeMore() {
      runtime.advance(nanoseconds: 1_000_000)
      made += step
    }
    runtime.advance(nanoseconds: 0)
    var seen = 0
    switch name {
    case "engine":
      while made < count { makeMore() }
      seen = Int(stream.statistics.produced)
    case "batches":
      var iterator = stream.makeAsyncIterator()
      var buffer: [StreamElement<PriceUpdate>] = []
      while await iterator.next(into: &buffer, maximumCount: 2 * step) {
        for case .value(let update) in buffer where update.price > 0 { seen += 1 }
        makeMore()
      }
    case "elements", "events":
      for await element in stream {
        if case .value(let update) = element, update.price > 0 { seen += 1 }
        if seen == made { makeMore() }
      }
    default:
      return false
    }
    precondition(seen == count, "expected \(count) updates, got \(seen)")
    return true
  }
}

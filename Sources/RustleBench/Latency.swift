import Foundation
import RustleCore
import RustleMarket

/// The latency of a trade from the reader to the consumer's loop body.
///
/// The lines have no times, so that each trade has the time at which the engine read it, on the clock of the loop.
enum Latency {
  static func run() async throws {
    var rows: [[String]] = []
    for rate in [1_000, 100_000, 1_000_000] { rows.append(try await row(rate: rate, seconds: 5)) }
    print("### From where a trade is read to the body of the loop\n")
    printTable(["updates per second", "came", "p50", "p99", "longest", "of one processor"], rows)
  }

  private static func row(rate: Int, seconds: Int) async throws -> [String] {
    let feed = try MarketFeed(.external(ExternalFeed()))
    let stream = try await feed.trades(policy: .buffered(capacity: 1_048_576))
    try await feed.run()
    let source = Task.detached { try await write(to: feed, rate: rate, seconds: seconds) }
    var latencies: [Duration] = []
    latencies.reserveCapacity(rate * seconds)
    let begin = ContinuousClock.now
    let processor = clock()
    for await element in stream {
      if let trade = element.value { latencies.append(Timestamp.now - trade.time) }
    }
    let share = Double(clock() - processor) / Double(CLOCKS_PER_SEC) / ((ContinuousClock.now - begin) / .seconds(1))
    try await source.value
    // The first tenth warms up.
    let count = latencies.count
    latencies.removeFirst(count / 10)
    latencies.sort()
    let at = { (part: Double) in micros(latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]) }
    return [
      grouped(UInt64(rate)), grouped(UInt64(count)), at(0.5), at(0.99), at(1), String(format: "%.0f %%", 100 * share),
    ]
  }

  /// Lines of eight symbols, in each millisecond the number for the rate.
  private static func write(to feed: MarketFeed, rate: Int, seconds: Int) async throws {
    let each = rate / 1_000
    let symbols = ["BTC", "ETH", "SOL", "XRP", "ADA", "DOT", "LTC", "BCH"]
    let lines = (0..<each).map { "{\"symbol\":\"\(symbols[$0 % symbols.count])\",\"price\":65000.\(10 + $0 % 90)}\n" }
    let bytes = Array(lines.joined().utf8)
    let start = ContinuousClock.now
    for step in 0..<1_000 * seconds {
      try await feed.push(bytes)
      try await Task.sleep(until: start + .milliseconds(step + 1), tolerance: .zero)
    }
    try await feed.report(.closed(reason: nil))
  }

  private static func micros(_ latency: Duration) -> String { figure(latency / .microseconds(1)) + " µs" }
}

import Foundation
import RustleCore
import RustleMarket

/// The costs of many symbols, many streams and long recordings in the market-data engine, as tables in Markdown.
enum Feeds {
  static func run() async throws {
    try await manySymbols()
    try await manyFeeds()
    try await Recording.run()
  }

  /// A hundred thousand symbols at two updates per second each, to one consumer that keeps the newest of each.
  private static func manySymbols() async throws {
    let symbols = (0..<100_000).map { "S\($0)" }
    let consumers: [(name: String, pause: Duration?)] = [
      ("looks all the time", nil), ("looks ten times per second", .milliseconds(100)),
      ("looks once a second", .seconds(1)),
    ]
    var rows: [[String]] = []
    for (name, pause) in consumers {
      let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: symbols, seed: 1)))
      let stream = try await feed.trades(policy: .conflated)
      try await feed.run()
      // The first two seconds touch all memory for the first time.
      var usage = Usage(after: .seconds(2))
      var iterator = stream.makeAsyncIterator()
      var buffer: [StreamElement<Trade>] = []
      while usage.seconds < 60, await iterator.next(into: &buffer, maximumCount: 100_000) {
        usage.add(buffer.count { $0.value != nil })
        if let pause { try await Task.sleep(for: pause) }
      }
      await feed.shutDown()
      rows.append([
        name, usage.rate, grouped(stream.statistics.produced), grouped(stream.statistics.delivered),
        grouped(stream.statistics.dropped + stream.statistics.waiting), usage.share, usage.growth,
      ])
    }
    print("### One feed of 100,000 symbols, 200,000 updates per second, the newest of each kept\n")
    printTable(
      [
        "the consumer", "it gets a second", "produced", "delivered", "replaced or waiting", "of one processor",
        "memory grew by",
      ],
      rows)
  }

  /// Ten thousand feeds of three symbols at two updates per second each, every one with a consumer.
  static func manyFeeds() async throws {
    let count = 10_000
    var feeds: [MarketFeed] = []
    var usage = Usage(after: .zero)
    let delivered = try await withThrowingTaskGroup(of: UInt64.self) { group in
      let start = ContinuousClock.now
      for number in 0..<count {
        let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["BTC", "ETH", "SOL"], seed: UInt64(number))))
        let stream = try await feed.trades()
        try await feed.run()
        feeds.append(feed)
        group.addTask {
          var sum = 0.0
          for await element in stream { if let trade = element.value { sum += trade.price.doubleValue } }
          keep(sum)
          return stream.statistics.delivered
        }
      }
      let started = ContinuousClock.now - start
      usage = Usage(after: .zero)
      try await Task.sleep(for: .seconds(10))
      usage.stop()
      let end = ContinuousClock.now
      // Ended concurrently, as by a program that ends: none waits for another.
      await withTaskGroup { ending in for feed in feeds { ending.addTask { await feed.shutDown() } } }
      let cancelled = ContinuousClock.now - end
      feeds = []
      var sum: UInt64 = 0
      for try await each in group { sum += each }
      print("### \(grouped(UInt64(count))) feeds of 3 symbols each, 60,000 updates per second, a task for each\n")
      printTable(
        ["all started in", "all cancelled in", "of one processor", "memory grew by", "native objects left"],
        [[milliseconds(started), milliseconds(cancelled), usage.share, usage.growth, "\(NativeLibrary.liveObjects)"]])
      return sum
    }
    precondition(delivered > 0, "expected the consumers to get something")
  }

  private static func milliseconds(_ time: Duration) -> String { figure(time / .milliseconds(1)) + " ms" }
}

/// The processor time and memory of this process over an interval, and the number of values in it.
private struct Usage {
  private let begin: ContinuousClock.Instant
  private let watch = Watch()
  private var isWarm = false
  private var end: ContinuousClock.Instant?
  private var processor = clock()
  private var processorAtEnd = clock()
  private var count = 0

  /// Counts from `pause` after now on.
  init(after pause: Duration) {
    begin = ContinuousClock.now + pause
    if pause == .zero { warmUp() }
  }

  private mutating func warmUp() {
    isWarm = true
    processor = clock()
    watch.look()
  }

  /// Notes that `more` came now.
  mutating func add(_ more: Int) {
    if !isWarm {
      if ContinuousClock.now < begin { return }
      warmUp()
    }
    count += more
    stop()
  }

  /// Notes how far it came.
  mutating func stop() {
    end = ContinuousClock.now
    processorAtEnd = clock()
    watch.lookNowAndThen()
  }

  var seconds: Double { end.map { max(0, ($0 - begin) / .seconds(1)) } ?? 0 }
  var share: String {
    String(format: "%.1f %%", 100 * Double(processorAtEnd - processor) / Double(CLOCKS_PER_SEC) / seconds)
  }
  var rate: String { grouped(UInt64(Double(count) / seconds)) }
  var growth: String { watch.growth }
}

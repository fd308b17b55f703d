import Foundation
import RustleCore
import RustleMarket

/// A long recording, replayed as fast as possible through a stream.
enum Recording {
  /// Lines, 10,000,000 unless `RUSTLE_LINES` says otherwise.
  private static let lines = ProcessInfo.processInfo.environment["RUSTLE_LINES"].flatMap { Int($0) } ?? 10_000_000

  static func run() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).ndjson").path
    try write(path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let consumers: [(name: String, policy: FeedPolicy, pause: Duration?)] = [
      ("the source waits for room", .lossless(), nil),
      ("all, a fast consumer", .buffered(capacity: 1_048_576), nil),
      ("all, a consumer that rests 10 ms between looks", .buffered(), .milliseconds(10)),
      ("the newest of each", .conflated, nil),
    ]
    var rows: [[String]] = []
    for (name, policy, pause) in consumers {
      let feed = try MarketFeed(.replay(ReplayFeed(path: path, pace: .asFastAsPossible)))
      let stream = try await feed.trades(policy: policy)
      let watch = Watch()
      var (values, gaps) = (0 as UInt64, 0 as UInt64)
      let cost = try await Cost.of {
        try await feed.run()
        var iterator = stream.makeAsyncIterator()
        var buffer: [StreamElement<Trade>] = []
        watch.look()
        while await iterator.next(into: &buffer, maximumCount: 4_096) {
          for element in buffer {
            switch element {
            case .value: values += 1
            case .gap(let count): gaps += count
            }
          }
          watch.lookNowAndThen()
          if let pause { try await Task.sleep(for: pause) }
        }
        return UInt64(lines)
      }
      let statistics = stream.statistics
      // A gap after the last delivered trade is not reported.
      let isExact =
        statistics.produced == UInt64(lines) && statistics.delivered == values
        && statistics.produced == values + statistics.dropped && gaps <= statistics.dropped
      rows.append([
        name, grouped(UInt64(1e9 / cost.wallNanosecondsEach)), grouped(statistics.delivered),
        grouped(statistics.dropped),
        isExact ? "exact" : "off", watch.growth,
      ])
    }
    print("### A recording of \(grouped(UInt64(lines))) lines, as fast as possible, in batches\n")
    printTable(
      ["policy and consumer", "lines per second", "delivered", "dropped", "the accounts", "memory grew by"], rows)
  }

  /// Eight symbols in turn, a millisecond apart.
  private static func write(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else {
      throw CocoaError(.fileWriteUnknown)
    }
    defer { try? file.close() }
    let symbols = ["BTC", "ETH", "SOL", "XRP", "ADA", "DOT", "LTC", "BCH"]
    var text = ""
    for line in 0..<lines {
      let symbol = symbols[line % symbols.count]
      let (whole, cents) = (60_000 + line % 997, 10 + line % 89)
      text += "{\"v\":1,\"symbol\":\"\(symbol)\",\"price\":\(whole).\(cents),\"t_ms\":\(1_700_000_000_000 + line),"
      text += "\"seq\":\(line / symbols.count)}\n"
      if text.utf8.count > 1 << 20 || line == lines - 1 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
  }
}

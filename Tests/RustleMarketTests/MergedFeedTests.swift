import Foundation
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct MergedFeedTests {
  private func line(_ symbol: String, _ time: Int, sequence: Int) -> String {
    "{\"v\":1,\"symbol\":\"\(symbol)\",\"price\":\(time).5,\"t_ms\":\(time),\"seq\":\(sequence),\"size\":2,\"side\":\"buy\"}\n"
  }

  /// Reads the trades of a feed to its end.
  private func read(
    _ feed: MarketFeed, _ symbols: FeedSymbols = .all
  ) async throws -> (lines: [String], outcome: SessionOutcome?) {
    let trades = try await feed.trades(for: symbols, policy: .lossless())
    try await feed.run()
    var lines: [String] = []
    for await case .value(let trade) in trades { lines.append(trade.json) }
    await feed.shutDown()
    return (lines, trades.outcome)
  }

  @Test func recordingsAreMergedByTime() async throws {
    let folder = try ScratchFolder()
    let (even, odd) = (stride(from: 0, to: 20_000, by: 2), stride(from: 1, to: 20_000, by: 2))
    let texts = [even, odd].map { times in times.map { line("A", $0, sequence: $0 / 2) }.joined() }
    let paths = try texts.enumerated().map { try folder.write(Data($1.utf8), as: "\($0).ndjson") }
    for pace in [ReplayFeed.Pace.asFastAsPossible, .speed(100_000)] {
      let sources = paths.map { FeedConfiguration.replay(ReplayFeed(path: $0, pace: pace)) }
      let merged = MergedFeed(["x": sources[0], "y": sources[1]])
      let all = try await read(MarketFeed(.merged(merged)))
      #expect(all.outcome == .ended && all.lines.count == 20_000)
      let expected = (0..<20_000).lazy.map {
        String(self.line($0.isMultiple(of: 2) ? "x:A" : "y:A", $0, sequence: $0 / 2).dropLast())
      }
      #expect(all.lines.elementsEqual(expected))
      #expect(try await read(MarketFeed(.merged(merged)), ["y:A"]).lines.count == 10_000)
    }
  }

  @Test func otherSourcesAreMergedByArrival() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(line("A", 1, sequence: 7).utf8), as: "a.ndjson")
    let simulated = SimulatedFeed(symbols: ["A", "B"], updatesPerSecond: 1_000, seed: 7, updateLimit: 20)
    let feed = try MarketFeed(
      .merged(MergedFeed(["s": .simulated(simulated), "r": .replay(ReplayFeed(path: path))])))
    let (lines, outcome) = try await read(feed, ["s:B", "r:A"])
    #expect(outcome == .ended && lines.filter { $0.contains("s:B") }.count == 10)
    #expect(lines.filter { $0.contains("r:A") } == [String(line("r:A", 1, sequence: 7).dropLast())])
    #expect(lines.count == 11)
  }

  @Test func faultsOfSourcesAreThoseOfTheFeed() async throws {
    func code(_ sources: [String: FeedConfiguration]) -> FeedError.Code? {
      do {
        _ = try MarketFeed(.merged(MergedFeed(sources)))
        return nil
      } catch {
        return error.code
      }
    }
    let simulated = FeedConfiguration.simulated(SimulatedFeed(symbols: ["A"]))
    #expect(code([:]) == .malformedAddress && code(["a:b": simulated]) == .malformedAddress)
    #expect(code(["a": simulated, "b": .replay(ReplayFeed(path: "/none.csv"))]) == .unreadableFile)
    let folder = try ScratchFolder()
    let path = try folder.write(Data("x,y\n1,2\n".utf8), as: "a.csv")
    let failed = try await read(MarketFeed(.merged(MergedFeed(["a": .replay(ReplayFeed(path: path))]))))
    guard case .failed(let reason)? = failed.outcome else {
      Issue.record("expected a failure, got \(String(describing: failed.outcome))")
      return
    }
    #expect(reason.hasPrefix("a: message 1: symbol: expected a column"))
  }
}

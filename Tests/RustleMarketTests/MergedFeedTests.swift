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

  @Test func faultsWithinSourcesAreCountedAndReported() async throws {
    let folder = try ScratchFolder()
    let lines = [line("A", 1, sequence: 1), "bogus\n", line("A", 2, sequence: 2), line("A", 2, sequence: 2)]
    let path = try folder.write(Data(lines.joined().utf8), as: "a.ndjson")
    let simulated = SimulatedFeed(symbols: ["B"], updatesPerSecond: 1_000, seed: 7, updateLimit: 3)
    let recordings: [String: FeedConfiguration] = ["a": .replay(ReplayFeed(path: path, pace: .asFastAsPossible))]
    for (sources, trades, ends) in [
      (recordings, 2 as UInt64, []), (recordings.merging(["s": .simulated(simulated)]) { $1 }, 5, ["a", "s"]),
    ] {
      let feed = try MarketFeed(.merged(MergedFeed(sources)))
      let notices = try await feed.notices()
      let stream = try await feed.trades(policy: .lossless())
      try await feed.run()
      for await _ in stream {}
      let reported = Reported()
      try await feed.deliver(notices) { await reported.add($0) }
      let texts = await reported.texts
      #expect(texts.count { $0.hasPrefix("malformed(message: 1) a: ") } == 1)
      #expect(texts.filter { $0.hasPrefix("other ") }.sorted() == ends.map { "other \($0) has ended" })
      let counts = try await feed.counts
      #expect((counts.malformed, counts.duplicates, counts.trades) == (1, 1, trades))
      await feed.shutDown()
    }
  }

  /// A source that used up its attempts is reported while the others go on.
  @Test(.timeLimit(.minutes(1))) func endOfASourceIsReportedAtOnce() async throws {
    let folder = try ScratchFolder()
    let backoff = LiveFeed.Backoff(base: .milliseconds(1), limit: .milliseconds(2), attemptLimit: 2)
    let feed = try MarketFeed(
      .merged(
        MergedFeed([
          "s": .simulated(SimulatedFeed(symbols: ["A"])),
          "x": .live(LiveFeed(.unix(folder.path("nobody")), backoff: backoff)),
        ])))
    let notices = try await feed.notices()
    let (reports, continuation) = AsyncStream.makeStream(of: String.self)
    try await feed.run()
    let delivering = Task { try await feed.deliver(notices) { continuation.yield("\($0.kind) \($0.text)") } }
    let end = await reports.first { $0.hasPrefix("other ") }
    #expect(end?.hasPrefix("other x has ended: ") == true)
    await feed.shutDown()
    try await delivering.value
  }

  private actor Reported {
    var texts: [String] = []
    func add(_ notice: FeedNotice) { texts.append("\(notice.kind) \(notice.text)") }
  }

  @Test(arguments: [ReplayFeed.Pace.asFastAsPossible, .speed(1_000)])
  func tradesWithoutATimeFollowTheOneBefore(pace: ReplayFeed.Pace) async throws {
    let folder = try ScratchFolder()
    let first = line("A", 100, sequence: 1) + "{\"symbol\":\"A\",\"price\":2,\"seq\":2}\n" + line("A", 300, sequence: 3)
    let texts = [first, "{\"symbol\":\"B\",\"price\":1}\n" + line("B", 200, sequence: 1)]
    let paths = try texts.enumerated().map { try folder.write(Data($1.utf8), as: "\($0).ndjson") }
    let merged = MergedFeed([
      "a": .replay(ReplayFeed(path: paths[0], pace: pace)), "b": .replay(ReplayFeed(path: paths[1], pace: pace)),
    ])
    let order = try await read(MarketFeed(.merged(merged))).lines.map { $0.contains("b:B") ? "b" : "a" }
    #expect(order == ["b", "a", "a", "b", "a"])
  }

  @Test func missingTradesWithoutNumbersAreCounted() async throws {
    let folder = try ScratchFolder()
    let text = [1, 2].map { "{\"symbol\":\"A\",\"price\":\($0),\"t_ms\":\($0)}\n" }.joined(
      separator: "{\"v\":1,\"gap\":4}\n")
    let path = try folder.write(Data(text.utf8), as: "a.ndjson")
    let simulated = SimulatedFeed(symbols: ["B"], updatesPerSecond: 1_000, seed: 7, updateLimit: 1)
    let recording = FeedConfiguration.replay(ReplayFeed(path: path, pace: .asFastAsPossible))
    for sources in [["a": recording], ["a": recording, "s": .simulated(simulated)]] {
      let feed = try MarketFeed(.merged(MergedFeed(sources)))
      let trades = try await feed.trades(for: ["a:A"], policy: .lossless())
      try await feed.run()
      var gaps: [UInt64] = []
      for await case .value(let trade) in trades { gaps.append(trade.sequenceGap) }
      #expect(gaps == [0, 4])
      await feed.shutDown()
    }
  }

  @Test func symbolsNameTheirSources() async throws {
    let feed = try MarketFeed(.merged(MergedFeed(["a": .simulated(SimulatedFeed(symbols: ["A"]))])))
    _ = try await feed.trades(for: ["a:A", "a:B"])
    for symbol in ["A", "b:A", "a"] {
      let error = await #expect(throws: FeedError.self) { try await feed.trades(for: ["a:A", symbol]) }
      #expect(
        error?.code == .malformedSymbol && error?.message.hasSuffix("such as 'a:\(symbol)', got '\(symbol)'") == true)
      await #expect(throws: FeedError.self) { try await feed.candles(of: .only([symbol]), every: .seconds(1)) }
      await #expect(throws: FeedError.self) { try await feed.statistics(of: .only([symbol]), over: .seconds(1)) }
      await #expect(throws: FeedError.self) {
        try await feed.alerts(at: [PriceThreshold(symbol: symbol, .above, 1)])
      }
    }
    await feed.shutDown()
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

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
    let trades = try await feed.trades(of: symbols, policy: .lossless())
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
  @Test(.timeLimit(.minutes(5))) func endOfASourceIsReportedAtOnce() async throws {
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
      let trades = try await feed.trades(of: ["a:A"], policy: .lossless())
      try await feed.run()
      var gaps: [UInt64] = []
      for await case .value(let trade) in trades { gaps.append(trade.sequenceGap) }
      #expect(gaps == [0, 4])
      await feed.shutDown()
    }
  }

  /// A trade whose symbol has no room for the name of its source is counted and reported, once for each symbol.
  @Test func tradesWithoutRoomForTheirNamesAreReported() async throws {
    let folder = try ScratchFolder()
    let symbol = String(repeating: "S", count: 31)
    let lines = [line("A", 1, sequence: 1), line(symbol, 2, sequence: 1), line(symbol, 3, sequence: 2)]
    let path = try folder.write(Data((lines.joined() + line("A", 4, sequence: 2)).utf8), as: "a.ndjson")
    var recording = ReplayFeed(path: path, pace: .asFastAsPossible)
    let simulated = FeedConfiguration.simulated(SimulatedFeed(symbols: ["B"], updatesPerSecond: 1_000, updateLimit: 1))
    for others in [[:], ["s": simulated]] {
      let feed = try MarketFeed(.merged(MergedFeed(["a": .replay(recording)].merging(others) { $1 })))
      let notices = try await feed.notices()
      let stream = try await feed.trades(policy: .lossless())
      try await feed.run()
      var prices: [String] = []
      for await case .value(let trade) in stream where trade.symbol == "a:A" { prices.append("\(trade.price)") }
      #expect(prices == ["1.5", "4.5"])
      let reported = Reported()
      try await feed.deliver(notices) { await reported.add($0) }
      let texts = await reported.texts.filter { $0.hasPrefix("oversized") }
      #expect(texts == ["oversized(messages: 0) a: symbol '\(symbol)': expected at most 30 bytes, got 31"])
      #expect(try await feed.counts.malformed == 2)
      await feed.shutDown()
    }
    // Of a strict recording it is the end.
    recording.isStrict = true
    let strict = FeedConfiguration.replay(recording)
    let wanted = try await read(MarketFeed(.merged(MergedFeed(["a": strict]))), ["a:A"])
    #expect(wanted.lines.count == 2 && wanted.outcome == .ended, "a symbol that nobody wants is no fault")
    for others in [[:], ["s": FeedConfiguration.simulated(SimulatedFeed(symbols: ["B"]))]] {
      let sources = ["a": strict].merging(others) { $1 }
      let all = try await read(MarketFeed(.merged(MergedFeed(sources))))
      #expect(all.lines.filter { $0.contains("a:A") }.count == 1)
      #expect(all.outcome == .failed("a: symbol '\(symbol)': expected at most 30 bytes, got 31"))
    }
  }

  /// The first failure of a recording ends the feed, also beside sources without an end.
  @Test(.timeLimit(.minutes(5))) func failureOfARecordingEndsTheFeed() async throws {
    let folder = try ScratchFolder()
    let good = try folder.write(Data((0..<10).map { line("A", $0, sequence: $0) }.joined().utf8), as: "a.ndjson")
    let bad = try folder.write(Data((line("B", 5, sequence: 1) + "bogus\n").utf8), as: "b.ndjson")
    let endless: [FeedConfiguration] = [
      .replay(ReplayFeed(path: good, pace: .asFastAsPossible, repeats: true)),
      .simulated(SimulatedFeed(symbols: ["A"])),
    ]
    for source in endless {
      let strict = ReplayFeed(path: bad, pace: .asFastAsPossible, isStrict: true)
      let (lines, outcome) = try await read(
        MarketFeed(.merged(MergedFeed(["a": source, "b": .replay(strict)]))))
      guard case .failed(let reason)? = outcome else {
        Issue.record("expected a failure, got \(String(describing: outcome))")
        continue
      }
      #expect(reason.hasPrefix("b: "), "\(reason)")
      #expect(lines.filter { $0.contains("b:B") }.count == 1)
    }
  }

  /// Each source has a connection of its own.
  @Test(.timeLimit(.minutes(5))) func connectionsAreThoseOfTheSources() async throws {
    let folder = try ScratchFolder()
    let origin = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"], updatesPerSecond: 1_000)))
    try await origin.run()
    let server = try await origin.serve(on: .unix(folder.path("a")))
    let backoff = LiveFeed.Backoff(base: .milliseconds(50), limit: .milliseconds(50))
    let live = ["a", "nobody"].map { FeedConfiguration.live(LiveFeed(.unix(folder.path($0)), backoff: backoff)) }
    let simulated = FeedConfiguration.simulated(SimulatedFeed(symbols: ["S"]))
    let configuration = FeedConfiguration.merged(MergedFeed(["a": live[0], "b": live[1], "s": simulated]))
    #expect(configuration.origin == "a, b")
    let feed = try MarketFeed(configuration)
    let stream = try await feed.trades()
    var states = try await feed.connectionStates().makeAsyncIterator()
    try await feed.run()
    /// Reads up to a state of this source.
    func until(_ state: (FeedConnection) -> Bool) async throws {
      var isReached = false
      while !isReached { isReached = try #require(await states.next()).value.map(state) ?? false }
    }
    func isLost(_ name: String) -> (FeedConnection) -> Bool {
      { if case .reconnecting(_, _, let reason) = $0 { reason.hasPrefix("\(name): ") } else { false } }
    }
    try await until { $0 == .connected(to: "a") }
    try await until(isLost("b"))
    #expect(try await feed.connectionState != .connected(to: "a"), "b has none")
    #expect(try await feed.counts.connections == 1)
    await server.stop()
    try await until(isLost("a"))
    let again = try await origin.serve(on: .unix(folder.path("a")))
    try await until { $0 == .connected(to: "a") }
    let other = try await origin.serve(on: .unix(folder.path("nobody")))
    try await until { $0 == .connected(to: "b") }
    #expect(try await feed.connectionState == .connected(to: "a, b"))
    let counts = try await feed.counts
    #expect(counts.connections == 3 && counts.disconnections >= 2)
    // Its trades come still.
    var trades = stream.makeAsyncIterator()
    var symbol: String?
    while symbol != "b:A" { symbol = try #require(await trades.next()).value?.symbol }
    await feed.shutDown()
    #expect(try await feed.connectionState == .closed(reason: nil))
    for server in [again, other] { await server.stop() }
    await origin.shutDown()
  }

  @Test func recordingsHaveNoConnection() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(line("A", 1, sequence: 1).utf8), as: "a.ndjson")
    let recording = ReplayFeed(path: path)
    let inner = FeedConfiguration.merged(MergedFeed(["a": .replay(recording)]))
    let configuration = FeedConfiguration.merged(MergedFeed(["x": inner, "y": .replay(recording)]))
    #expect(configuration.recordings == [recording, recording] && configuration.isRecorded)
    #expect(configuration.origin == nil && configuration.completePolicy == .lossless())
    let feed = try MarketFeed(configuration)
    let states = try await feed.connectionStates()
    let lines = try await read(feed).lines
    #expect(lines.map { $0.contains("x:a:A") }.sorted { !$0 && $1 } == [false, true])
    var connections: [FeedConnection] = []
    for await case .value(let state) in states { connections.append(state) }
    #expect(connections == [.closed(reason: nil)])
    #expect(try await feed.counts.connections == 0)
  }

  @Test func symbolsNameTheirSources() async throws {
    let feed = try MarketFeed(.merged(MergedFeed(["a": .simulated(SimulatedFeed(symbols: ["A"]))])))
    _ = try await feed.trades(of: ["a:A", "a:B"])
    let empty = await #expect(throws: FeedError.self) { try await feed.trades(of: ["a:"]) }
    #expect(empty?.message.hasSuffix("such as 'a:BTC', got 'a:'") == true)
    for symbol in ["A", "b:A", "a"] {
      let error = await #expect(throws: FeedError.self) { try await feed.trades(of: ["a:A", symbol]) }
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
    for name in ["", "a:b", "a b", "a\n", String(repeating: "a", count: 31)] {
      #expect(code([name: simulated]) == .malformedAddress, "\(name)")
    }
    #expect(code([:]) == .malformedAddress && code([String(repeating: "a", count: 30): simulated]) == nil)
    // Nobody could fill it.
    #expect(code(["a": simulated, "b": .external(ExternalFeed())]) == .wrongSource)
    let named = #expect(throws: FeedError.self) {
      try MarketFeed(.merged(MergedFeed(["a": simulated, "b": .live(LiveFeed("nowhere"))])))
    }
    #expect(named?.message.hasPrefix("b: expected host:port") == true, "\(named?.message ?? "")")
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

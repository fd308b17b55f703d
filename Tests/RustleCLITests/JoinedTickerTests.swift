import Foundation
import RustleMarket
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// Tickers that give each other prices. What is waited for are events; nothing depends on how fast they are.
@Suite(.releasesNativeObjects) struct JoinedTickerTests {
  private static let nothing = LineWriter(FileHandle.nullDevice)
  private static let quick = LiveFeed.Backoff(base: .milliseconds(1), limit: .milliseconds(4))

  private func run(_ plan: TickerPlan, notes: LineWriter = nothing) async throws -> RunEnding {
    try await plan.run(
      to: TickerOutput(
        plan, format: .ndjson, profile: TickerViewTests.profile(columns: 80), to: Self.nothing, notes: notes),
      notes: notes)
  }

  /// A recording that is served waits for the first of its clients, and is over when they have it.
  @Test(arguments: [false, true]) func aRecordingThatIsServedWaitsForSomebody(isMerged: Bool) async throws {
    let folder = try ScratchFolder()
    let text = (0..<2_000).map { "{\"v\":1,\"symbol\":\"A\",\"price\":\($0),\"t_ms\":\($0),\"seq\":\($0)}\n" }.joined()
    let recording = ReplayFeed(path: try folder.write(Data(text.utf8), as: "a.ndjson"), pace: .asFastAsPossible)
    var plan = TickerPlan(source: .replay(recording), symbols: ["A"])
    if isMerged { (plan.source, plan.symbols) = (.merged(MergedFeed(["s": plan.source])), ["s:A"]) }
    plan.serve = .unix(folder.path("socket"))
    let served = plan
    let notes = try folder.write(Data(), as: "notes")
    let writer = LineWriter(try FileHandle(forWritingTo: URL(filePath: notes)))
    async let ending = run(served, notes: writer)
    let client = try MarketFeed(.live(LiveFeed(.unix(folder.path("socket")), backoff: Self.quick)))
    let stream = try await client.trades()
    try await client.run()
    var received: [UInt64?] = []
    for await element in stream {
      received.append(element.value?.sequence)
      if received.count == 2_000 { break }
    }
    #expect(received == (0..<2_000).map { $0 })
    await client.shutDown()
    #expect(try await ending == .streamEnded)
    let reported = try String(contentsOfFile: notes, encoding: .utf8)
    #expect(reported.hasPrefix("rustle: serving on unix:\(folder.path("socket"))\n"))
    #expect(reported.contains("rustle: served 2000 updates to "))
  }

  @Test(arguments: [false, true]) func aConnectionThatNeverStoodIsAFailure(isMerged: Bool) async throws {
    let folder = try ScratchFolder()
    let live = FeedConfiguration.live(LiveFeed(.unix(folder.path("nobody")), backoff: Self.quick))
    let two = FeedConfiguration.merged(MergedFeed(["a": live, "nobody": live]))
    var plan = TickerPlan(source: isMerged ? two : live, symbols: .all)
    // The second one is refused before that, too.
    plan.duration = .milliseconds(500)
    do {
      _ = try await run(plan)
      Issue.record("expected a failure, got none")
    } catch {
      let failure = CommandFailure(error)
      #expect(
        failure?.status == .unavailable && failure?.message.contains("nobody: expected a connection, got none") == true)
    }
  }

  @Test func aSourceWithoutAnAttemptLeftIsNamedOnce() async throws {
    let folder = try ScratchFolder()
    let address = FeedAddress.unix(folder.path("nobody"))
    let live = FeedConfiguration.live(LiveFeed(address, backoff: LiveFeed.Backoff(attemptLimit: 1)))
    for source in [live, .merged(MergedFeed(["a": live]))] {
      let thrown = await #expect(throws: (any Error).self) {
        try await run(TickerPlan(source: source, symbols: .all))
      }
      let error = thrown.flatMap { CommandFailure($0) }
      #expect(error?.status == .unavailable, "\(error?.message ?? "")")
      #expect(error?.message.split(separator: "nobody").count == 2, "\(error?.message ?? "")")
    }
  }

  /// What a server says it has left out of trades without numbers stands in a recording of them.
  @Test func aRecordingReportsWhatIsMissing() async throws {
    let folder = try ScratchFolder()
    let gap = "{\"v\":1,\"gap\":5}\n"
    let (first, second) = (
      #"{"v":1,"symbol":"A","price":1,"t_ms":1}"# + "\n", #"{"v":1,"symbol":"A","price":2,"t_ms":2}"# + "\n"
    )
    for text in [first + gap + second, first + second] {
      let source = try folder.write(Data(text.utf8), as: "source.ndjson")
      var plan = TickerPlan(source: .replay(ReplayFeed(path: source, pace: .asFastAsPossible)), symbols: .all)
      (plan.record, plan.overwrite) = (folder.path("copy.ndjson"), true)
      _ = try await run(plan)
      #expect(try String(contentsOfFile: folder.path("copy.ndjson"), encoding: .utf8) == text)
    }
  }

  @Test func addressesThatAreRefusedHaveTheirExitCodes() async throws {
    func failure(_ change: (inout TickerPlan) -> Void) async throws -> CommandFailure? {
      var plan = TickerPlan(source: .simulated(SimulatedFeed(symbols: ["A"])), symbols: ["A"])
      change(&plan)
      let changed = plan
      do {
        _ = try await run(changed)
        return nil
      } catch {
        return CommandFailure(error)
      }
    }
    let folder = try ScratchFolder()
    let connected = try await failure { $0.source = .live(LiveFeed("nowhere")) }
    #expect(connected?.status == .usage && connected?.message.hasPrefix("--connect: ") == true)
    let served = try await failure { $0.serve = "nowhere" }
    #expect(served?.status == .usage && served?.message.hasPrefix("--serve: ") == true)
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])))
    let server = try await feed.serve(on: .unix(folder.path("taken")))
    let taken = try await failure { $0.serve = server.address }
    #expect(taken?.status == .unavailable && taken?.message.hasPrefix("--serve: ") == true)
    await feed.shutDown()
  }

  @Test func aConnectionIsReportedOnceForEachChange() async throws {
    let folder = try ScratchFolder()
    let notes = try folder.write(Data(), as: "notes")
    let plan = TickerPlan(source: .live(LiveFeed("peer:1")), symbols: .all)
    let output = TickerOutput(
      plan, format: .ndjson, profile: TickerViewTests.profile(columns: 80), to: Self.nothing,
      notes: LineWriter(try FileHandle(forWritingTo: URL(filePath: notes))))
    for state in [
      FeedConnection.connecting(to: "peer:1", failures: 0), .connected(to: "peer:1"),
      .reconnecting(after: .milliseconds(200), failures: 1, reason: "it \u{1B}went"), .closed(reason: nil),
    ] {
      await output.take(state)
    }
    #expect(
      try String(contentsOfFile: notes, encoding: .utf8)
        == "rustle: connected to peer:1\nrustle: no connection, next attempt in 0.2 s: it ?went\n")
  }

  /// Sequence gaps are reported in their places, except with a conflating policy.
  @Test(arguments: [nil, FeedPolicy.conflated]) func whatAPeerSkippedIsAGap(policy: FeedPolicy?) async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(), as: "out")
    var plan = TickerPlan(source: .live(LiveFeed("peer:1")), symbols: .all)
    plan.policy = policy
    let output = TickerOutput(
      plan, format: .ndjson, profile: TickerViewTests.profile(columns: 80),
      to: LineWriter(try FileHandle(forWritingTo: URL(filePath: path))), notes: nil)
    let price = try #require(ExactDecimal("1.50"))
    try await output.take([
      StreamElement.value(Trade(symbol: "A", price: price, time: .unixEpoch, sequence: 0)), .gap(2),
      .value(Trade(symbol: "A", price: price, time: .unixEpoch, sequence: 9, sequenceGap: 6)),
    ])
    let line = "{\"v\":1,\"symbol\":\"A\",\"price\":1.50,\"t_ms\":0,\"seq\":"
    let gaps = policy == nil ? "{\"v\":1,\"gap\":2}\n{\"v\":1,\"gap\":6}\n" : ""
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(line)0}\n\(gaps)\(line)9}\n")
  }

  // MARK: processes

  private struct Line: Decodable {
    let symbol: String?
    let seq: UInt64?
    let gap: UInt64?
  }

  /// A source, a process that hands it on and is killed, and one that reads from that.
  @Test func aPeerThatIsKilledIsFoundAgainAndWhatIsMissingIsCounted() async throws {
    let folder = try ScratchFolder()
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A", "B"], updatesPerSecond: 100, seed: 7)))
    let everything = try await feed.trades(policy: .buffered(capacity: 1_048_576))
    let server = try await feed.serve(on: "127.0.0.1:0")
    try await feed.run()
    let middle = "unix:" + folder.path("socket")
    func handOn() throws -> Process {
      try RustleProcess.start(
        ["ticker", "--connect", server.address.description, "--serve", middle, "--json", "-q"],
        output: FileHandle.nullDevice)
    }
    var relay = try handOn()
    let pipe = Pipe()
    let recorded = folder.path("recorded.ndjson")
    let reader = try RustleProcess.start(
      ["ticker", "--connect", middle, "--json", "--record", recorded, "-q"], output: pipe)
    defer {
      for process in [relay, reader] where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    var written = Data()
    /// Reads on until there are `count` trades more.
    func read(_ count: Int) throws {
      var lines = 0
      while lines < count {
        let data = pipe.fileHandleForReading.availableData
        try #require(!data.isEmpty, "the reader is there")
        written += data
        lines += data.count { $0 == 10 }
      }
    }
    for _ in 0..<2 {
      try read(20)
      kill(relay.processIdentifier, SIGKILL)
      relay.waitUntilExit()
      // Nobody hears these.
      var missed = try await feed.trades().makeAsyncIterator()
      for _ in 0..<4 { _ = await missed.next() }
      relay = try handOn()
    }
    try read(20)
    kill(reader.processIdentifier, SIGINT)
    written += pipe.fileHandleForReading.readDataToEndOfFile()
    reader.waitUntilExit()
    #expect(reader.terminationStatus == 130)
    kill(relay.processIdentifier, SIGKILL)
    relay.waitUntilExit()
    await feed.shutDown()
    var source: Set<Substring> = []
    for await case .value(let trade) in everything { source.insert(trade.json[...]) }

    let lines = String(decoding: written, as: UTF8.self).split(separator: "\n")
    let trades = lines.filter { !$0.contains("\"gap\"") }
    #expect(source.isSuperset(of: trades))
    // Each is ended where it is.
    let kept = try String(contentsOfFile: recorded, encoding: .utf8).split(separator: "\n")
    #expect(zip(kept, trades).allSatisfy { $0 == $1 } && kept.count >= 20)
    let decoded = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let gaps = decoded.compactMap(\.gap)
    var missing: UInt64 = 0
    for symbol in ["A", "B"] {
      let numbers = decoded.filter { $0.symbol == symbol }.compactMap(\.seq)
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
      let (first, last) = (try #require(numbers.first), try #require(numbers.last))
      missing += last - first + 1 - UInt64(numbers.count)
    }
    #expect(gaps.reduce(0, +) == missing && missing > 0)
  }
}

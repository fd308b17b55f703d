import Foundation
import RustleMarket
import RustlePlot
import RustleTesting
import TestSupport
import Testing

@testable import RustleCLI

/// What a run delivers, without a process around it.
@Suite(.releasesNativeObjects) struct TickerRunTests {
  /// What a run wrote.
  struct Output: Equatable {
    var text = ""
    var notes = ""
    var recorded: String?
    var failure: CommandFailure?
  }

  /// Plays a recording to its end.
  func play(
    _ text: String, as name: String = "prices.ndjson", format: OutputFormat = .ndjson, records: Bool = false,
    isMergedWith other: String? = nil, _ change: (inout TickerPlan, inout ReplayFeed) -> Void = { _, _ in }
  ) async throws -> Output {
    let folder = try ScratchFolder()
    let (out, err) = (try folder.write(Data(), as: "out"), try folder.write(Data(), as: "err"))
    var feed = ReplayFeed(path: try folder.write(Data(text.utf8), as: name), pace: .asFastAsPossible)
    var plan = TickerPlan(source: .replay(feed), symbols: .all)
    change(&plan, &feed)
    plan.source = .replay(feed)
    if let other {
      var second = feed
      second.path = other
      plan.source = .merged(MergedFeed(["a": plan.source, "b": .replay(second)]))
    }
    let recorded = folder.path("recorded.ndjson")
    if records { plan.record = recorded }
    var result = Output()
    do {
      let output = TickerOutput(
        plan, format: format, profile: TickerViewTests.profile(columns: 80),
        to: LineWriter(try FileHandle(forWritingTo: URL(filePath: out))),
        notes: LineWriter(try FileHandle(forWritingTo: URL(filePath: err))))
      let ending = try await plan.run(to: output, notes: output.notes)
      #expect(ending == .streamEnded)
    } catch {
      guard let failure = CommandFailure(error) else { throw error }
      result.failure = failure
    }
    result.text = try String(contentsOfFile: out, encoding: .utf8)
    result.notes = try String(contentsOfFile: err, encoding: .utf8).replacing(folder.url.path, with: "")
    if records { result.recorded = try String(contentsOfFile: recorded, encoding: .utf8) }
    return result
  }

  static let lines = [
    #"{"v":1,"symbol":"BTC","price":64000.10,"t_ms":1700000000123,"seq":0,"size":0.250}"#,
    #"{"v":1,"symbol":"ETH","price":3500,"t_ns":1700000000123000001,"seq":7}"#,
    #"{"v":1,"symbol":"BTC","price":64001.00,"t_ms":1700000061000,"seq":1}"#,
    #"{"v":1,"symbol":"B\"C","price":-0.5,"t_ms":1700000062000}"#,
  ].map { $0 + "\n" }

  @Test func tradesOutsideOfTheSessionsAreReported() async throws {
    let candles = try CandleSelection([.day, .week], session: MarketSession("mon-fri/09:00-10:00"))
    let text = [0, 1].map { "{\"symbol\":\"A\",\"price\":1,\"t_ms\":\($0)}\n" }.joined()
    let played = try await play(text) { plan, _ in plan.content = .candles(candles) }
    #expect(played.text.isEmpty && played.notes == "rustle: 2 updates outside of the sessions left out\n")
  }

  @Test func aRecordingIsWrittenAndRecordedByteForByte() async throws {
    let text = Self.lines.joined()
    let output = try await play(text, records: true)
    #expect(output.text == text && output.recorded == text && output.failure == nil)
    #expect(output.notes == "wrote 4 updates to /recorded.ndjson\n")
    let again = try await play(try #require(output.recorded), records: true)
    #expect(again.recorded == text)
  }

  /// What CSV is written reads as the same NDJSON, and the other way round.
  @Test func csvAndNDJSONTellTheSame() async throws {
    let text = Self.lines.joined()
    let csv = try await play(text, format: .csv).text
    #expect(
      csv.hasPrefix(
        "symbol,price,size,t_ns,seq,side,bid,bid_size,ask,ask_size,mid,spread\nBTC,64000.10,0.250,1700000000123000000,0,,,,,,,\n"
      ))
    #expect(try await play(csv, as: "prices.csv").text == text)
    #expect(try await play(csv, as: "prices.csv", format: .csv).text == csv)
  }

  /// The round trip of a recording with sides and quotes keeps every byte, and its candles have a weighted mean.
  @Test func quotesAndSidesComeThroughAFeed() async throws {
    let lines =
      #"{"v":1,"symbol":"A","price":1.50,"t_ms":1,"seq":1,"size":2,"side":"buy","bid":1.40,"bid_size":3,"ask":1.60,"ask_size":0.5,"mid":1.50,"spread":0.20}"#
      + "\n" + #"{"v":1,"symbol":"A","price":1.505,"t_ms":2,"seq":2,"bid":1.40,"ask":1.61,"mid":1.505,"spread":0.21}"#
      + "\n"
    let output = try await play(lines, records: true)
    #expect(output.text == lines && output.recorded == lines)
    let csv = try await play(lines, format: .csv).text
    #expect(try await play(csv, as: "a.csv").text == lines)
    let quotes = try await play(#"{"s":"A","b":"1.40","a":"1.61","T":2}"#, format: .csv) { _, feed in
      feed.schema = "symbol=s,bid=b,ask=a,time=T"
    }
    #expect(quotes.text.hasSuffix("\nA,1.505,,2000000,,,1.40,,1.61,,1.505,0.21\n"))
    let candles = try await play(lines, format: .csv) { plan, _ in
      plan.content = .candles(.every(.seconds(1)))
    }
    #expect(
      candles.text == "symbol,start_ns,open,high,low,close,volume,vwap,count\nA,0,1.50,1.505,1.50,1.505,2,1.5,2\n")
  }

  @Test func symbolsFromSchemaAndPolicyNarrowARecording() async throws {
    let text = Self.lines.joined()
    #expect(try await play(text) { plan, _ in plan.symbols = ["ETH"] }.text == Self.lines[1])
    #expect(
      try await play(text) { _, feed in feed.from = .unixEpoch + .seconds(1_700_000_061) }.text
        == Self.lines[2] + Self.lines[3])
    let other = try await play("pair,last\nBTC,1.50\n", as: "a.csv", format: .csv) { _, feed in
      feed.schema = "symbol=pair,price=last"
    }
    #expect(other.text.contains("\nBTC,1.50,,"))
    let nothing = try await play(text) { plan, _ in plan.symbols = ["DOGE", "ADA"] }
    #expect(nothing.text == "" && nothing.notes == "rustle: the recording has no trade of DOGE, ADA\n")
  }

  @Test func candlesAndAlertsAreWritten() async throws {
    let threshold = try #require(PriceThreshold("BTC>64000.5"))
    let output = try await play(Self.lines.joined()) { plan, _ in
      plan.symbols = ["BTC"]
      plan.content = .candles(.every(.seconds(60)))
      plan.thresholds = [threshold]
    }
    let lines = output.text.split(separator: "\n").map(String.init)
    let alert = #"{"v":1,"alert":{"symbol":"BTC","above":64000.5,"price":64001.00,"t_ms":1700000061000}}"#
    // Two streams: each is in its own order.
    #expect(lines.contains(alert))
    #expect(
      lines.filter { $0 != alert } == [
        #"{"v":1,"symbol":"BTC","open":64000.10,"high":64000.10,"low":64000.10,"close":64000.10,"volume":0.250,"vwap":64000.1,"count":1,"start_ms":1699999980000,"interval_ms":60000}"#,
        #"{"v":1,"symbol":"BTC","open":64001.00,"high":64001.00,"low":64001.00,"close":64001.00,"volume":0,"count":1,"start_ms":1700000040000,"interval_ms":60000}"#,
      ])
  }

  /// Days of a zone, and sessions, are made of the feed's minutes.
  @Test func candlesOfADayAndASessionFollowTheirCalendar() async throws {
    // 2026-03-08T04:59Z to 2026-03-09T13:30Z: in New York the clock changes on the 8th, and the session of the 9th opens at 13:30Z.
    let text = [
      ("2026-03-08T04:59:30Z", "1.5", 2), ("2026-03-08T05:00:00Z", "2", 1), ("2026-03-08T05:00:30Z", "3", 1),
      ("2026-03-09T03:59:59Z", "2.5", 2), ("2026-03-09T04:00:00Z", "9", 1), ("2026-03-09T13:30:00Z", "4", 1),
    ]
    .map { "{\"symbol\":\"A\",\"price\":\($0.1),\"size\":\($0.2),\"t_ms\":\($0.0)}\n" }
    let lines = text.joined().replacing(#/2026[-:0-9TZ]+/#) { match in
      "\((Timestamp(rfc3339: String(match.output)) ?? .unixEpoch).nanosecondsSince1970 / 1_000_000)"
    }
    func candles(_ selection: CandleSelection) async throws -> [Substring] {
      let output = try await play(lines, format: .csv) { plan, _ in plan.content = .candles(selection) }
      return output.text.split(separator: "\n").dropFirst().map(\.self)
    }
    #expect(
      try await candles(CandleSelection([.day], zone: "America/New_York")) == [
        "A,1772859600000000000,1.5,1.5,1.5,1.5,2,1.5,1,1d", "A,1772946000000000000,2,3,2,2.5,4,2.5,3,1d",
        "A,1773028800000000000,9,9,4,4,2,6.5,2,1d",
      ])
    let session = MarketSession("mon-fri/09:30-16:00")
    #expect(
      try await candles(CandleSelection([.day], zone: "America/New_York", session: session)) == [
        "A,1773063000000000000,4,4,4,4,1,4.0,1,1d"
      ])
    #expect(
      try await Set(candles(CandleSelection([.day, .interval(.seconds(60))]))).isSuperset(of: [
        "A,1772928000000000000,86400000000000,1.5,3,1.5,3,4,2.0,3,1d",
        "A,1772946000000000000,60000000000,2,3,2,3,2,2.5,2,1m",
      ]))
  }

  /// A line for each update; one that came late changes nothing.
  @Test func statisticsAreOfTheLastWhile() async throws {
    let text = [(0, "1.5"), (500, "2.5"), (400, "9"), (1_400, "3.5")].map { time, price in
      "{\"symbol\":\"A\",\"price\":\(price),\"t_ms\":\(time)}\n"
    }.joined()
    let output = try await play(text) { plan, _ in plan.content = .statistics(over: .seconds(1)) }
    let deviation = 0.5.squareRoot()
    #expect(
      output.text == """
        {"v":1,"symbol":"A","t_ms":0,"count":1,"mean":1.5,"sd":0.0,"low":1.5,"high":1.5,"first":1.5,"last":1.5,"window_ms":1000}
        {"v":1,"symbol":"A","t_ms":500,"count":2,"mean":2.0,"sd":\(deviation),"low":1.5,"high":2.5,"first":1.5,"last":2.5,"window_ms":1000}
        {"v":1,"symbol":"A","t_ms":1400,"count":2,"mean":3.0,"sd":\(deviation),"low":2.5,"high":3.5,"first":2.5,"last":3.5,"window_ms":1000}

        """)
    #expect(output.notes.hasSuffix("rustle: 1 late update dropped: arrived after later ones\n"))
  }

  @Test func whatCannotBeReadIsReportedAndSkipped() async throws {
    let text =
      Self.lines[0] + "{\"symbol\":\"BTC\",\"price\":\"x\"}\n{\"heartbeat\":1}\n" + Self.lines[0]
      + Self.lines[2].replacing("\"seq\":1", with: "\"seq\":4")
    let output = try await play(text)
    #expect(output.text.split(separator: "\n").count == 2 && output.failure == nil)
    #expect(
      output.notes == """
        rustle: line 2 skipped: price: expected a number of at most 18 digits, got "x"
        rustle: 1 of 5 lines malformed and skipped
        rustle: 3 sequence numbers in 1 gap
        rustle: 1 duplicate update dropped

        """)
  }

  @Test func whatCameAfterItsCandleIsCounted() async throws {
    let text = [0, 1_000, 2_000, 5, 7].map { "{\"symbol\":\"A\",\"price\":1,\"t_ms\":\($0)}\n" }.joined()
    let output = try await play(text) { plan, _ in plan.content = .candles(.every(.seconds(1))) }
    #expect(output.text.split(separator: "\n").count == 3)
    #expect(output.notes == "rustle: 2 late updates dropped: arrived after the candle\n")
  }

  @Test func endBeforeTheFirstCandlesIsReported() async throws {
    let text = [0, 60_000].map { "{\"symbol\":\"A\",\"price\":1,\"t_ms\":\($0)}\n" }.joined()
    let output = try await play(text) { plan, feed in
      (plan.content, plan.duration, feed.pace) = (.candles(.every(.seconds(3_600))), .milliseconds(10), .speed(1))
    }
    #expect(output.text.isEmpty && output.notes == "rustle: no candle was complete by the end\n")
  }

  /// The number of replaced updates depends on timing: each update is delivered, or counted as replaced.
  @Test func theNewestAloneHasNoGaps() async throws {
    let text = (0..<2_000).map { "{\"v\":1,\"symbol\":\"A\",\"price\":\($0),\"t_ms\":\($0),\"seq\":\($0)}\n" }.joined()
    let output = try await play(text) { plan, _ in plan.policy = .conflated }
    let lines = output.text.split(separator: "\n")
    #expect(!output.text.contains("gap") && lines.last?.contains("\"price\":1999,") == true)
    let passed = output.notes.firstMatch(of: /(\d+) updates replaced by newer ones/).flatMap { Int($0.1) } ?? 0
    #expect(lines.count + passed == 2_000)
  }

  @Test func aRecordingWithoutTradesIsBadData() async throws {
    let empty = try await play("").failure
    #expect(empty?.status == .badData && empty?.message.hasSuffix("expected trades, got an empty file") == true)
    let foreign = try await play("a,b\n1,2\n", as: "a.csv").failure
    #expect(
      foreign?.status == .badData
        && foreign?.message.hasSuffix("symbol: expected a column \"symbol\" in the header, got a,b") == true)
    #expect(foreign?.advice?.contains("--schema") == true)
    let lines = try await play("x\ny\n").failure
    #expect(lines?.message.hasSuffix("got 2 lines without any") == true && lines?.advice?.contains("--schema") == true)
    let one = try await play("x\n").failure
    #expect(one?.message.hasSuffix("got 1 line without any") == true)
    let header = try await play("symbol,price\n", as: "a.csv").failure
    #expect(header?.message.hasSuffix("got only a header") == true && header?.advice == nil)
    let late = try await play(Self.lines.joined()) { _, feed in feed.from = .max }.failure
    #expect(late?.status == .usage && late?.message.hasPrefix("--from: ") == true)
    let early = try await play(Self.lines.joined()) { _, feed in feed.to = .unixEpoch }.failure
    #expect(early?.message == "--to: expected a time within the recording, got one before its start")
    let neither = try await play(Self.lines.joined()) { _, feed in (feed.from, feed.to) = (.unixEpoch, .unixEpoch) }
    #expect(neither.failure?.message == "--from, --to: expected times with trades between them, got none")
  }

  @Test func sourcesThatAreRefusedHaveTheirExitCodes() async throws {
    let schema = try await play("") { _, feed in feed.schema = "price=p" }.failure
    #expect(schema?.status == .usage && schema?.message.hasPrefix("--schema: expected ") == true)
    let name = try await play("", as: "a.txt").failure
    #expect(name?.status == .usage && name?.advice?.contains("--input") == true)
    let missing = try await play("") { _, feed in feed.path += ".csv" }.failure
    #expect(missing?.status == .noInput)
  }

  @Test func aRecordingIsRefusedBeforeTheRun() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("precious\n".utf8), as: "a.ndjson")
    func failure(_ path: String, mayReplace: Bool = false, from input: String = "b.ndjson") -> CommandFailure? {
      var plan = TickerPlan(source: .replay(ReplayFeed(path: input)), symbols: .all)
      (plan.record, plan.overwrite) = (path, mayReplace)
      do {
        _ = try plan.recorder()
        return nil
      } catch {
        return CommandFailure(error)
      }
    }
    let exists = CommandFailure(
      .usage, "--record: \(path): the file exists", advice: "Choose another name, or use --overwrite.")
    #expect(failure(path) == exists)
    #expect(failure(path, mayReplace: true) == nil)
    #expect(failure(path, mayReplace: true, from: path)?.status == .usage)
    // Nor a recording among several sources.
    let (recording, simulated) = (
      FeedConfiguration.replay(ReplayFeed(path: path)), FeedConfiguration.simulated(SimulatedFeed(symbols: ["A"]))
    )
    for other in [recording, simulated, .replay(ReplayFeed(path: "b.ndjson"))] {
      let source = FeedConfiguration.merged(MergedFeed(["a": other, "b": recording]))
      let plan = TickerPlan(source: source, symbols: .all, record: path, overwrite: true)
      #expect(throws: CommandFailure.self) { try plan.recorder() }
    }
    #expect(failure(folder.path("no/a.ndjson"))?.status == .unavailable)
    #expect(failure("/dev/null", mayReplace: true)?.status == .usage)
  }

  @Test func theSummaryOfARecordingReportsDroppedTrades() async throws {
    let recorder = try TradeRecorder(path: NSTemporaryDirectory() + UUID().uuidString)
    try await recorder.write([.gap(3)])
    let (missing, wrote) = await recorder.summary
    #expect(missing == "3 updates dropped: too fast for \(recorder.path)" && wrote.hasPrefix("no updates"))
  }

  @Test func aRecordingWithoutTradesIsReported() async throws {
    let output = try await play(Self.lines.joined(), records: false) { plan, _ in
      plan.symbols = ["DOGE"]
      plan.record = NSTemporaryDirectory() + UUID().uuidString
    }
    #expect(output.notes.contains("\nno updates: nothing written to "))
  }

  /// However a run ends, what the recording has been given is in its file.
  @Test(arguments: [RunEnding.signal(SIGINT), .signal(SIGTERM), .quit, .readerGone])
  func whatWaitsForTheFileIsWrittenAtTheEnd(ending: RunEnding) async throws {
    let folder = try ScratchFolder()
    let clock = try ManualClock()
    let source = FeedConfiguration.simulated(SimulatedFeed(symbols: ["A", "B"], updatesPerSecond: 100, seed: 7))
    var plan = TickerPlan(source: source, symbols: ["A", "B"])
    plan.record = folder.path("a.ndjson")
    let feed = try MarketFeed(source, clock: clock)
    let recorder = try #require(try plan.recorder())
    let streams = try await TickerStreams(plan, of: feed, recorder: recorder)
    try await feed.run()
    clock.advance(by: .zero)
    clock.advance(by: .seconds(100))
    let given = try await feed.counts.trades
    let first = try await streams.run { tasks in tasks.addTask { ending } }
    try await recorder.close()
    #expect(first == ending && given > 10_000, "more than one batch")
    #expect(await recorder.count == given)
    let lines = try String(contentsOfFile: folder.path("a.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(UInt64(lines.count) == given)
  }

  /// A file that cannot be written ends a run that goes on by itself.
  @Test func aRecordingThatCannotGoOnEndsTheRun() async throws {
    let folder = try ScratchFolder()
    let source = FeedConfiguration.simulated(SimulatedFeed(symbols: ["A"], updatesPerSecond: 1_000))
    var plan = TickerPlan(source: source, symbols: ["A"])
    plan.record = folder.path("a.ndjson")
    let feed = try MarketFeed(source)
    let streams = try await TickerStreams(plan, of: feed, recorder: plan.recorder())
    _ = try folder.write(Data("somebody else's".utf8), as: "a.ndjson")
    await #expect(throws: FeedError.self) {
      _ = try await streams.run { tasks in
        tasks.addTask {
          try await feed.run()
          return nil
        }
      }
    }
    #expect(try String(contentsOfFile: folder.path("a.ndjson"), encoding: .utf8) == "somebody else's")
  }

  /// A feed on a clock that the test moves, and a view of it.
  @Test func theViewShowsWhatTheStreamsDeliver() async throws {
    let clock = try ManualClock(start: .unixEpoch + .seconds(1))
    let threshold = try #require(PriceThreshold("BTC>1"))
    let source = FeedConfiguration.simulated(SimulatedFeed(symbols: ["BTC", "ETH"], seed: 7, updateLimit: 10))
    let plan = TickerPlan(source: source, symbols: ["BTC", "ETH"], thresholds: [threshold])
    let feed = try MarketFeed(source, clock: clock)
    let streams = try await TickerStreams(plan, of: feed)
    try await feed.run()
    clock.advance(by: .seconds(60))
    let view = LiveTicker(
      plan,
      screen: LiveScreen(
        hasKeys: true, session: TerminalSession(output: -1, input: nil, write: { _ in }),
        makeProfile: { TickerViewTests.profile(columns: 80) }),
      now: { 0 }, wall: { .unixEpoch + .milliseconds(1_250) })
    try await streams.deliver(to: view)
    try await view.show(streams)
    let text = await view.view(TickerViewTests.profile(columns: 80)).lines.map(\.text).joined(separator: "\n")
    #expect(text.contains("BTC") && text.contains("ETH") && text.contains("ALERT") && text.contains("10 updates"))
    #expect(await view.press(.pause) == false)
    await view.take([.value(TickerViewTests.trade("NEW", "1"))])
    func rows() async -> String {
      await view.view(TickerViewTests.profile(columns: 80)).lines.map(\.text).joined(separator: "\n")
    }
    let paused = await rows()
    #expect(!paused.contains("NEW") && paused.contains("paused"))
    #expect(await view.press(.pause) == false)
    #expect(await rows().contains("NEW"))
    #expect(await view.press(.letter("x")) == false)
    #expect(await view.press(.help) == false)
    try await view.draw()
    #expect(await rows().contains("r restart changes"))
    await view.end()
    #expect(await !rows().contains("q quit"))
    #expect(await view.press(.quit))
  }
}

import RustleMarket
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TickerViewTests {
  static func profile(columns: Int, rows: Int = 24, color: Bool = false, ascii: Bool = false) -> TerminalProfile {
    TerminalProfile(
      environment: color ? ["FORCE_COLOR": "1"] : ["NO_COLOR": "1"], isTerminal: true, size: (columns, rows),
      isASCIIAskedFor: ascii)
  }

  /// 2026-11-21T06:45:27.382Z.
  static let time = Timestamp(nanosecondsSince1970: 1_795_243_527_382_000_000)

  static func trade(_ symbol: String, _ price: String, size: String = "0", sequence: UInt64 = 0) -> Trade {
    Trade(
      symbol: symbol, price: ExactDecimal(price) ?? .zero, size: ExactDecimal(size) ?? .zero, time: time,
      sequence: sequence)
  }

  /// Three symbols after seventy updates: one that rose, one that fell, one that has not moved; and one with no price.
  static func board(hasSizes: Bool = true) -> PriceBoard {
    var board = PriceBoard(symbols: ["BTC", "ETH", "STABLE", "NEW"])
    for step in 0..<70 {
      board.apply(.value(trade("BTC", "\(64_000 + step * step).50", size: hasSizes ? "0.125" : "0")))
      board.apply(.value(trade("ETH", "\(3_500 - step % 7 * 3 - step)", size: hasSizes ? "1234.5" : "0")))
      board.apply(.value(trade("STABLE", "1.0000")))
    }
    return board
  }

  static let candleContent = TickerPlan.Content.candles(.every(.seconds(60)))

  static func candles() throws -> PriceBoard {
    var board = PriceBoard(symbols: [])
    for symbol in ["BTC", "ETH"] { board.apply(.value(try TickerLinesTests.candle(symbol))) }
    return board
  }

  static func statistics() throws -> PriceBoard {
    var board = PriceBoard(symbols: [])
    for symbol in ["BTC", "ETH"] { board.apply(.value(try TickerLinesTests.statistics(symbol))) }
    return board
  }

  static func status(_ seconds: Double = 75) -> TickerStatus {
    TickerStatus(seconds: seconds, now: time + .milliseconds(250), source: "simulated", updatesPerSecond: 12)
  }

  /// A status with everything in it.
  static func fullStatus() throws -> TickerStatus {
    var status = status()
    status.source = "replay x 10"
    status.fault = "malformed: price: expected a number, got \u{1B}[31mx"
    status.lateTrades = 3
    status.showsHelp = true
    status.hasKeys = true
    return status
  }

  static func text(_ lines: [(text: String, columns: Int)]) -> String { lines.map { $0.text + "\n" }.joined() }

  static func expectToFit(_ lines: [(text: String, columns: Int)], _ columns: Int) {
    for line in lines {
      #expect(line.columns <= columns, "\(line.text)")
      #expect(DisplayWidth.columns(of: line.text) == line.columns, "\(line.text)")
    }
  }

  @Test(arguments: [40, 80, 120, 200]) func theTableFitsTheTerminal(columns: Int) throws {
    var texts: [String] = []
    let profile = Self.profile(columns: columns)
    var board = Self.board()
    board.apply(StreamElement<Trade>.gap(1_234))
    for lines in [
      TickerView(Self.board(hasSizes: false), Self.status(), profile: profile).lines,
      TickerView(board, try Self.fullStatus(), profile: profile, isRecording: true).lines,
      TickerView(
        try Self.candles(), Self.status(), profile: profile, isRecording: true, content: Self.candleContent
      ).lines,
      TickerView(
        try Self.statistics(), Self.status(), profile: profile, content: .statistics(over: .seconds(60))
      ).lines,
    ] {
      Self.expectToFit(lines, columns)
      texts.append(Self.text(lines))
    }
    try Snapshot.expect(texts.joined(separator: "----\n"), variant: "\(columns)")
  }

  @Test func theIntervalsOfASymbolAreRows() async throws {
    let content = TickerPlan.Content.candles(try CandleSelection([.interval(.seconds(60)), .day]))
    let plan = TickerPlan(source: .simulated(SimulatedFeed(symbols: ["BTC"])), symbols: ["BTC"], content: content)
    let view = LiveTicker(
      plan,
      screen: LiveScreen(
        hasKeys: true, session: TerminalSession(output: -1, input: nil, write: { _ in }),
        makeProfile: { Self.profile(columns: 80) }),
      now: { 0 }, wall: { .unixEpoch })
    await view.take([StreamElement.value(try TickerLinesTests.candle("BTC"))], of: .day)
    await view.take([.value(try TickerLinesTests.candle("ETH"))], of: .interval(.seconds(60)))
    func words(_ columns: Int) async -> [[Substring]] {
      let lines = await view.view(Self.profile(columns: columns)).lines
      Self.expectToFit(lines, columns)
      return lines.map { $0.text.split(separator: " ") }
    }
    for columns in [40, 120] {
      let rows = await words(columns)
      #expect(rows[0].starts(with: columns == 40 ? ["SYMBOL", "INT", "CLOSE", "CHANGE"] : ["SYMBOL", "INT", "OPEN"]))
      #expect(rows[1] == ["BTC", "1m"] && rows[2].starts(with: ["BTC", "1d"]) && rows[2].contains("63,999.90"))
      #expect(rows[3].starts(with: ["ETH", "1m"]) && rows[4] == ["ETH", "1d"])
    }
  }

  @Test func quotesHaveColumnsOfTheirOwn() throws {
    var board = Self.board()
    let quote = Quote(bid: try #require(ExactDecimal("64000.10")), ask: try #require(ExactDecimal("64000.30")))
    board.apply(
      .value(Trade(symbol: "BTC", price: try #require(quote.mid), time: Self.time, sequence: 1, quote: quote)))
    let lines = TickerView(board, Self.status(), profile: Self.profile(columns: 80)).lines
    Self.expectToFit(lines, 80)
    #expect(lines[0].text.split(separator: " ").prefix(5) == ["SYMBOL", "BID", "ASK", "PRICE", "CHANGE"])
    #expect(lines[1].text.split(separator: " ").prefix(4) == ["BTC", "64,000.10", "64,000.30", "64,000.20"])
    let narrow = TickerView(board, Self.status(), profile: Self.profile(columns: 40)).lines
    #expect(narrow[0].text.split(separator: " ") == ["SYMBOL", "PRICE", "CHANGE"])
  }

  @Test func keysAndHelpTakeMoreLinesWhereThereIsRoom() throws {
    var status = try Self.fullStatus()
    status.fault = nil
    let lines = TickerView(Self.board(), status, profile: Self.profile(columns: 40)).lines.map(\.text)
    #expect(
      lines.suffix(5) == [
        "1:15  replay x 10   210 updates, 12/s", "q quit  space pause  ? help",
        "q quit  space pause or go on", "r restart changes  arrows scroll", "Ctrl-Z suspend",
      ])
    let few = TickerView(Self.board(), status, profile: Self.profile(columns: 40, rows: 6)).lines.map(\.text)
    #expect(few.count == 5 && few[3].hasSuffix("…") && few[4].hasSuffix("…"))
  }

  /// An open connection is visible in the prices; a lost one has a line.
  @Test(arguments: [
    ("connected", FeedConnection.connected(to: "127.0.0.1:7000")),
    (
      "reconnecting",
      .reconnecting(after: .milliseconds(1_460), failures: 2, reason: "Connection refused (os error 111)")
    ),
  ])
  func theConnectionAndTheServerAreShown(name: String, connection: FeedConnection) throws {
    var texts: [String] = []
    for columns in [40, 80] {
      var status = Self.status()
      status.source = "from 127.0.0.1:7000"
      status.connection = connection
      status.server = TickerStatus.Server(address: "127.0.0.1:7001", clients: columns == 40 ? 1 : 2)
      let lines = TickerView(Self.board(), status, profile: Self.profile(columns: columns)).lines
      Self.expectToFit(lines, columns)
      texts.append(Self.text(lines))
    }
    try Snapshot.expect(texts.joined(separator: "----\n"), variant: name)
  }

  /// Whatever stands below it, and on terminals that are narrower than a picture can be, where a line wraps.
  @Test(arguments: [7, 10, 20, 31, 60, 80], [1, 2, 3, 4, 5, 6, 7, 9, 24])
  func theTableNeverScrolls(columns: Int, rows: Int) throws {
    let profile = Self.profile(columns: columns, rows: rows)
    var full = try Self.fullStatus()
    full.alert = try TickerLinesTests.alert()
    full.connection = .reconnecting(after: .seconds(1), failures: 2, reason: "Connection refused (os error 111)")
    full.server = TickerStatus.Server(address: "127.0.0.1:7001", clients: 1)
    for board in [
      Self.board(), try Self.candles(), try Self.statistics(), PriceBoard(symbols: []), PriceBoard(symbols: ["A"]),
    ] {
      for (content, status) in [
        (TickerPlan.Content.trades, Self.status()), (Self.candleContent, Self.status()),
        (.statistics(over: .seconds(60)), Self.status()),
        (.trades, full),
      ] {
        let lines = TickerView(board, status, profile: profile, content: content).lines
        Self.expectToFit(lines, max(20, columns))
        let height = lines.reduce(0) { $0 + max(1, ($1.columns + columns - 1) / columns) }
        #expect(!lines.isEmpty && (height < rows || lines.count == 1))
      }
    }
  }

  /// A key that leads beyond an end is no debt: the next one moves.
  @Test func theRowsScrollByRowsPagesAndToTheirEnds() async {
    let symbols = (10..<60).map { "S\($0)" }
    let view = LiveTicker(
      TickerPlan(source: .simulated(SimulatedFeed(symbols: symbols)), symbols: .only(symbols)),
      screen: LiveScreen(
        hasKeys: true, session: TerminalSession(output: -1, input: nil, write: { _ in }),
        makeProfile: { Self.profile(columns: 80, rows: 14) }),
      now: { 0 }, wall: { .unixEpoch })
    func rows() async -> [String] {
      await view.view(Self.profile(columns: 80, rows: 14)).lines.map(\.text).filter { $0.hasPrefix("S") }.dropFirst()
        .map {
          String($0)
        }
    }
    let count = await rows().count
    #expect(count == 10)
    for (keys, first) in [
      ([Key.down, .down], 2), ([.up], 1), ([.pageDown], 11), ([.pageDown, .pageUp], 11),
      ([.end, .down, .pageDown], 40),
      ([.up], 39), ([.home], 0), ([.up, .pageUp, .down], 1), ([.pause, .pageDown], 11), ([.pause, .end, .up], 39),
    ] as [([Key], Int)] {
      for key in keys { #expect(await view.press(key) == false) }
      #expect(await rows() == Array(symbols[first..<first + count]), "\(keys)")
    }
  }

  /// The state stays, then the keys that were asked for; the header goes before the only row does.
  @Test func whatStandsBelowTheRowsMakesRoomForThem() throws {
    var status = try Self.fullStatus()
    status.server = TickerStatus.Server(address: "127.0.0.1:7001", clients: 1)
    func lines(_ rows: Int) -> [String] {
      TickerView(Self.board(), status, profile: Self.profile(columns: 60, rows: rows)).lines.map(\.text)
    }
    let six = lines(6)
    #expect(six.count == 5 && six[0].hasPrefix("SYMBOL") && six[1].hasPrefix("BTC") && six[2] == "… 3 more")
    #expect(six[3].contains("replay x 10") && six[4].hasPrefix("q quit"))
    let three = lines(3)
    #expect(three.count == 2 && three[0].hasPrefix("BTC") && three[1].contains("replay x 10"))
    #expect(lines(2).count == 1 && lines(1) == lines(2) && lines(2)[0].hasPrefix("BTC"))
  }

  @Test func theTableInASCIIHasNoOtherCharacter() throws {
    let lines = TickerView(Self.board(), Self.status(), profile: Self.profile(columns: 80, ascii: true)).lines
    #expect(Self.text(lines).utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(Self.text(lines))
  }

  @Test func theTableInColourIsTheSameTextWithColours() throws {
    var status = try Self.fullStatus()
    status.isPaused = true
    let plain = TickerView(Self.board(), status, profile: Self.profile(columns: 80)).lines
    let coloured = TickerView(Self.board(), status, profile: Self.profile(columns: 80, color: true)).lines
    #expect(!Self.text(plain).contains("\u{1B}"))
    #expect(Self.text(coloured).replacing(/\u{1B}\[\d+m/, with: "") == Self.text(plain))
    #expect(coloured.map(\.columns) == plain.map(\.columns))
    try Snapshot.expect(Self.text(coloured).replacing("\u{1B}", with: "ESC"))
  }

  @Test func moreSymbolsThanRowsAreCountedAndScrolled() throws {
    let board = PriceBoard(symbols: (1...30).map { "S\($0)" })
    func lines(_ status: TickerStatus) -> [(text: String, columns: Int)] {
      TickerView(board, status, profile: Self.profile(columns: 40, rows: 10)).lines
    }
    var status = Self.status()
    let first = lines(status)
    #expect(first.count == 9 && first[1].text == "S1" && first[6].text == "S6")
    #expect(first[7].text == "… 24 more")
    status.offset = 4
    let next = lines(status)
    #expect(next[1].text == "S5" && next[7].text == "… 4 above, 20 more")
    status.offset = 1_000
    let last = lines(status)
    #expect(last[6].text == "S30" && last[7].text == "… 24 above")
  }

  @Test func aLongSymbolIsCutAndAWideOneTakesItsColumns() {
    var board = PriceBoard(symbols: ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", "日本円"])
    board.apply(.value(Self.trade("日本円", "155.20")))
    let lines = TickerView(board, Self.status(), profile: Self.profile(columns: 80)).lines
    #expect(lines[1].text == "ABCDEFGHIJKLMNOPQRSTUVWXYZ" || lines[1].text == "ABCDEFGHIJK…")
    #expect(lines[2].text.hasPrefix("日本円             155.20"))
    #expect(DisplayWidth.columns(of: lines[2].text) == lines[2].columns)
  }

  @Test func differencesAreExactAndHaveASign() throws {
    func difference(_ last: String, _ first: String) throws -> String {
      let difference = try #require(ExactDecimal(last)).subtracting(try #require(ExactDecimal(first)))
      return TickerNumbers.difference(difference, glyphs: .unicode)
    }
    #expect(try difference("64000.5", "63000") == "+1,000.5")
    #expect(try difference("0.1", "0.30") == "\u{2212}0.20")
    #expect(try difference("1.00", "1") == "0.00")
    #expect(try difference("999999999999999999", "-1") == "\u{2013}", "more than 18 digits")
    #expect(try difference("1", "0.000000000000000001") == "+0.999999999999999999")
  }
}

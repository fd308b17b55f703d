import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TickerViewTests {
  static func profile(columns: Int, rows: Int = 24, color: Bool = false, ascii: Bool = false) -> TerminalProfile {
    TerminalProfile(
      environment: color ? ["FORCE_COLOR": "1"] : ["NO_COLOR": "1"], isTerminal: true, size: (columns, rows),
      isASCIIAskedFor: ascii)
  }

  static func update(_ symbol: String, _ price: Double, _ sequence: UInt64 = 0) -> PriceUpdate {
    PriceUpdate(symbol: symbol, price: price, timestampMilliseconds: 1_795_243_527_382, sequence: sequence)
  }

  /// Three symbols after seventy updates: one that rose, one that fell, one that has not moved; and one with no price.
  static func board() -> TickerBoard {
    var board = TickerBoard(symbols: ["BTC", "ETH", "STABLE", "NEW"])
    for step in 0..<70 {
      board.apply(update("BTC", 64_000 + Double(step * step)))
      board.apply(update("ETH", 3_500 - Double(step % 7) * 3 - Double(step)))
      board.apply(update("STABLE", 1))
    }
    return board
  }

  static func text(_ lines: [(text: String, columns: Int)]) -> String { lines.map { $0.text + "\n" }.joined() }

  @Test(arguments: [40, 80, 200]) func theTableFitsTheTerminal(columns: Int) throws {
    let table = TickerTable(profile: Self.profile(columns: columns))
    let lines = table.lines(Self.board(), .init(seconds: 75, hasKeys: true, showsHelp: true))
    for line in lines {
      #expect(line.columns <= columns)
      #expect(DisplayWidth.columns(of: line.text) == line.columns)
    }
    try Snapshot.expect(Self.text(lines), variant: "\(columns)")
  }

  @Test func theTableInASCIIHasNoOtherCharacter() throws {
    let lines = TickerTable(profile: Self.profile(columns: 80, ascii: true)).lines(Self.board(), .init(seconds: 5))
    #expect(Self.text(lines).utf8.allSatisfy { $0 < 0x80 })
    try Snapshot.expect(Self.text(lines))
  }

  @Test func theTableInColourIsTheSameTextWithColours() throws {
    let status = TickerTable.Status(seconds: 5, isPaused: true, hasKeys: true)
    let plain = TickerTable(profile: Self.profile(columns: 80)).lines(Self.board(), status)
    let coloured = TickerTable(profile: Self.profile(columns: 80, color: true)).lines(Self.board(), status)
    #expect(!Self.text(plain).contains("\u{1B}"))
    #expect(Self.text(coloured).replacing(/\u{1B}\[\d+m/, with: "") == Self.text(plain))
    #expect(coloured.map(\.columns) == plain.map(\.columns))
    try Snapshot.expect(Self.text(coloured).replacing("\u{1B}", with: "ESC"))
  }

  @Test func moreSymbolsThanRowsAreCounted() throws {
    let symbols = (1...30).map { "S\($0)" }
    let lines = TickerTable(profile: Self.profile(columns: 40, rows: 10)).lines(
      TickerBoard(symbols: symbols), .init(seconds: 0, hasKeys: true))
    #expect(lines.count <= 9)
    #expect(lines.contains { $0.text.contains("25 more") })
  }

  @Test func aLongSymbolIsCutAndAWideOneTakesItsColumns() {
    var board = TickerBoard(symbols: ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", "日本円"])
    board.apply(Self.update("日本円", 155.2))
    let lines = TickerTable(profile: Self.profile(columns: 80)).lines(board, .init(seconds: 0))
    #expect(lines[1].text == "ABCDEFGHIJK…")
    #expect(lines[2].text.hasPrefix("日本円               155.20"))
    #expect(DisplayWidth.columns(of: lines[2].text) == lines[2].columns)
  }

  @Test func aSparklineIsScaledToItsOwnRange() {
    #expect(Sparkline.text([1, 2, 3, 4, 5, 6, 7, 8], width: 8, glyphs: .unicode) == "▁▂▃▄▅▆▇█")
    #expect(Sparkline.text([5, 5, 5], width: 5, glyphs: .unicode) == "  ▅▅▅")
    #expect(Sparkline.text([9, 1, 2], width: 2, glyphs: .unicode) == "▁█")
    #expect(Sparkline.text([1, 8], width: 4, glyphs: .ascii) == "  _#")
    #expect(Sparkline.text([], width: 3, glyphs: .unicode) == "   ")
    #expect(Sparkline.text([1], width: 0, glyphs: .unicode) == "")
  }

  @Test(arguments: [
    (1_234_567.891, "1,234,567.89"), (64_031.2, "64,031.20"), (999, "999.00"), (12.5, "12.5000"),
    (0.5, "0.500000"), (0.000_012_3, "0.00001230"),
  ])
  func pricesHaveDecimalsByTheirSize(price: Double, text: String) { #expect(TickerNumbers.price(price) == text) }

  @Test func aChangeShowsItsSignUnlessItRoundsToNothing() {
    #expect(TickerNumbers.change(0.012_34, glyphs: .unicode) == "+1.23 %")
    #expect(TickerNumbers.change(-0.012_34, glyphs: .unicode) == "\u{2212}1.23 %")
    #expect(TickerNumbers.change(-0.012_34, glyphs: .ascii) == "-1.23 %")
    #expect(TickerNumbers.change(-0.000_049, glyphs: .unicode) == "0.00 %")
    #expect(TickerNumbers.change(0.000_051, glyphs: .unicode) == "+0.01 %")
  }

  @Test func theBoardKeepsTheFirstPriceAndTheNewestSixty() throws {
    let row = try #require(Self.board().rows.first)
    #expect(row.first == 64_000)
    #expect(row.last == 68_761)
    #expect(row.history.count == 60)
    #expect(row.history.first == 64_100)
    #expect(abs(try #require(row.change) - 4_761.0 / 64_000) < 1e-12)
    var board = Self.board()
    #expect(board.updates == 210)
    #expect(board.apply(Self.update("UNKNOWN", 1)) == nil)
    #expect(board.updates == 210)
  }
}

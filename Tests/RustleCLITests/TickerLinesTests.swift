import Foundation
import RustleFiles
import RustleMarket
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TickerLinesTests {
  /// Four updates of two symbols, each in turn but the last.
  static let trades: [Trade] = [
    ("BTC", "64000.10", 0), ("LONGSYMBOL", "0.25000000", 0), ("BTC", "64320", 1), ("BTC", "63360.00", 2),
  ].map { TickerViewTests.trade($0.0, $0.1, sequence: $0.2) }

  static func text(
    _ elements: [StreamElement<Trade>], _ format: OutputFormat,
    _ profile: TerminalProfile = TickerViewTests.profile(columns: 80), isInMilliseconds: Bool = false
  ) -> String {
    write(elements, TickerLines(isSimulated: isInMilliseconds, format: format, profile: profile))
  }

  /// A header, and the lines of some elements.
  static func write(_ elements: [StreamElement<some TickerRecord>], _ lines: TickerLines) -> String {
    var (lines, text) = (lines, ByteText())
    text.append(lines.header)
    lines.append(elements, to: &text)
    return text.string
  }

  static func simulated(_ format: OutputFormat, ascii: Bool = false) -> String {
    text(
      trades.map { .value($0) }, format, TickerViewTests.profile(columns: 80, ascii: ascii),
      isInMilliseconds: true)
  }

  @Test func ndjson() throws {
    let text = Self.simulated(.ndjson)
    struct Record: Decodable, Equatable {
      let v: Int
      let symbol: String
      let price: Double
      let milliseconds: Int64
      let seq: UInt64

      enum CodingKeys: String, CodingKey {
        case v, symbol, price, seq
        case milliseconds = "t_ms"
      }
    }
    let records = try text.split(separator: "\n").map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
    #expect(records.count == 4)
    #expect(records[1] == Record(v: 1, symbol: "LONGSYMBOL", price: 0.25, milliseconds: 1_795_243_527_382, seq: 0))
    try Snapshot.expect(text)
  }

  @Test func csv() throws { try Snapshot.expect(Self.simulated(.csv)) }

  @Test func text() throws {
    #expect(Self.simulated(.auto) == Self.simulated(.text))
    try Snapshot.expect(Self.simulated(.text))
  }

  /// The fields of other sources are written unchanged, and missing fields are left out.
  @Test func linesOfASourceHaveItsOwnNumbersAndTimes() throws {
    let none = try #require(ExactDecimal("0.00"))
    let some = try #require(ExactDecimal("-12.50"))
    let price = try #require(ExactDecimal("999999999999999999"))
    let trades = [
      Trade(symbol: "a\"b,c", price: price, size: none, time: .unixEpoch + .milliseconds(1), sequence: .max - 1),
      Trade(symbol: "A", price: some, size: try #require(ExactDecimal("0.5")), time: .unixEpoch - .nanoseconds(1)),
    ].map { StreamElement.value($0) }
    #expect(
      Self.text(trades, .ndjson) == #"""
        {"v":1,"symbol":"a\"b,c","price":999999999999999999,"t_ms":1,"seq":18446744073709551614}
        {"v":1,"symbol":"A","price":-12.50,"t_ns":-1,"size":0.5}

        """#)
    #expect(
      Self.text(trades, .csv) == #"""
        symbol,price,size,t_ns,seq,side,bid,bid_size,ask,ask_size,mid,spread
        "a""b,c",999999999999999999,,1000000,18446744073709551614,,,,,,,
        A,-12.50,0.5,-1,,,,,,,,

        """#)
  }

  @Test func aQuoteStandsBesideItsTrade() throws {
    let trade = Trade(
      symbol: "A", price: try #require(ExactDecimal("1.50")), size: 2, time: .unixEpoch, side: .sell,
      quote: Quote(
        bid: try #require(ExactDecimal("1.40")), ask: try #require(ExactDecimal("1.61")), bidSize: 3))
    #expect(
      Self.text([.value(trade)], .ndjson)
        == #"{"v":1,"symbol":"A","price":1.50,"t_ms":0,"size":2,"side":"sell","bid":1.40,"bid_size":3,"ask":1.61,"mid":1.505,"spread":0.21}"#
        + "\n")
    #expect(Self.text([.value(trade)], .ndjson) == trade.json + "\n")
    #expect(Self.text([.value(trade)], .csv).hasSuffix("\nA,1.50,2,0,,sell,1.40,3,1.61,,1.505,0.21\n"))
    #expect(Self.text([.value(trade)], .text).contains("1.50  sell 2  bid 1.40 x 3  ask 1.61  spread 0.21  "))
  }

  @Test func gapIsReportedInItsPlace() {
    func gap(_ format: OutputFormat) -> String {
      TickerLines(format: format, profile: TickerViewTests.profile(columns: 80, ascii: true)).gap(7)
    }
    #expect(gap(.ndjson) == "{\"v\":1,\"gap\":7}\n")
    #expect(gap(.csv).isEmpty)
    #expect(gap(.text).hasSuffix("7 updates missing here\n"))
    let trades = Self.trades.map { StreamElement.value($0) }
    let lines = Self.text([trades[0], .gap(2), trades[3]], .ndjson, isInMilliseconds: true).split(
      separator: "\n")
    #expect(lines.count == 3 && lines[1] == "{\"v\":1,\"gap\":2}")
    #expect(lines[2].contains("\"seq\":2"), "numbers go on by what is missing")
  }

  @Test func textInASCIIHasNoOtherCharacter() {
    let text = Self.simulated(.text, ascii: true)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("v -1.00 %"))
  }

  @Test func aTimeBefore1970IsATimeOfDay() {
    let trade = Trade(symbol: "A", price: .zero, time: .unixEpoch - .milliseconds(1))
    #expect(Self.text([.value(trade)], .text).hasPrefix("23:59:59.999Z  A"))
  }

  // MARK: candles

  static func candle(_ symbol: String = "BTC") throws -> Candle {
    let json = """
      {"symbol":"\(symbol)","start":"2026-11-21T06:45:00Z","end":"2026-11-21T06:46:00Z","open":"64000.10","high":"64320","low":"63360.00",
      "close":"63999.90","exactVolume":"1.250","volume":1.25,"vwap":63999.96,"tradeCount":3}
      """
    return try JSONDecoder().decode(Candle.self, from: Data(json.utf8))
  }

  @Test(arguments: [OutputFormat.ndjson, .csv, .text]) func candlesAreWrittenOneALine(format: OutputFormat) throws {
    let lines = TickerLines(
      .candles(.every(.seconds(60))), format: format, profile: TickerViewTests.profile(columns: 80))
    try Snapshot.expect(Self.write([.value(try Self.candle()), .gap(2)], lines), variant: format.rawValue)
  }

  @Test func candlesOfSeveralIntervalsHaveTheirs() throws {
    let content = TickerPlan.Content.candles(try CandleSelection([.interval(.seconds(60)), .day]))
    func text(_ format: OutputFormat) throws -> String {
      let lines = TickerLines(content, format: format, profile: TickerViewTests.profile(columns: 80))
      var (written, text) = (lines, ByteText())
      written.append([.value(try Self.candle())], of: .day, to: &text)
      return lines.header + String(decoding: text.bytes, as: UTF8.self)
    }
    // The duration differs from the period where the clock changes.
    #expect(try text(.csv).contains(",count,interval\nBTC,") && text(.csv).hasSuffix(",63999.96,3,1d\n"))
    #expect(try text(.ndjson).hasSuffix(",\"interval_ms\":60000,\"interval\":\"1d\"}\n"))
    #expect(try text(.csv).hasPrefix("symbol,start_ns,interval_ns,open,"))
    #expect(try text(.csv).contains("\nBTC,1795243500000000000,60000000000,64000.10,"))
    #expect(try text(.text).hasPrefix("2026-11-21T06:45:00Z  1d  BTC "))
  }

  // MARK: statistics

  static func statistics(_ symbol: String = "BTC") throws -> PriceStatistics {
    let json = """
      {"symbol":"\(symbol)","time":"2026-11-21T06:45:00.000000001Z","tradeCount":3,"mean":64106.66666666667,
      "variance":29866.666666666668,"lowest":"63999.90","highest":"64320","first":"64320","last":"63999.90"}
      """
    return try JSONDecoder().decode(PriceStatistics.self, from: Data(json.utf8))
  }

  @Test(arguments: [OutputFormat.ndjson, .csv, .text]) func statisticsAreWrittenOneALine(format: OutputFormat) throws {
    let lines = TickerLines(
      .statistics(over: .seconds(60)), format: format, profile: TickerViewTests.profile(columns: 80))
    try Snapshot.expect(Self.write([.value(try Self.statistics()), .gap(2)], lines), variant: format.rawValue)
  }

  static func alert() throws -> PriceAlert {
    let json = """
      {"threshold":{"symbol":"BTC","direction":"above","level":"70000.0","hysteresis":"12.5"},"index":0,
      "price":"70000.10","time":"1970-01-01T00:00:00.001500Z"}
      """
    return try JSONDecoder().decode(PriceAlert.self, from: Data(json.utf8))
  }

  @Test func aRefusedCertificateNamesItsOptions() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data(), as: "notes")
    let plan = TickerPlan(source: .simulated(SimulatedFeed(symbols: ["A"])), symbols: .all)
    let output = TickerOutput(
      plan, format: .ndjson, profile: TickerViewTests.profile(columns: 80), to: LineWriter(FileHandle.nullDevice),
      notes: LineWriter(try FileHandle(forWritingTo: URL(filePath: path))))
    for reason in ["TLS: certificate verify failed", "refused"] {
      await output.take(.reconnecting(after: .seconds(1), failures: 1, reason: reason))
    }
    let before = "rustle: no connection, next attempt in 1.0 s: "
    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == before + "TLS: certificate verify failed; --roots <file> trusts the root certificates in a PEM file, "
        + "--insecure accepts any certificate\n" + before + "refused\n")
  }

  @Test func alertsAreNoTrades() throws {
    let alert = try Self.alert()
    #expect(alert.threshold == PriceThreshold("BTC>=70000.0~12.5"))
    func line(_ alert: StreamElement<PriceAlert>) -> String {
      var text = ByteText()
      text.append(json: alert)
      return text.string
    }
    #expect(
      line(.value(alert))
        == "{\"v\":1,\"alert\":{\"symbol\":\"BTC\",\"above\":70000.0,\"price\":70000.10,\"t_ns\":1500000}}\n")
    #expect(line(.gap(3)) == "{\"v\":1,\"alert\":{\"gap\":3}}\n")
    #expect(alert.text == "BTC 70,000.10 is at or above 70,000.0")
  }
}

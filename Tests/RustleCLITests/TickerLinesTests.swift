import Foundation
import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct TickerLinesTests {
  static func text(
    _ format: OutputFormat, _ profile: TerminalProfile = TickerViewTests.profile(columns: 80)
  ) -> String {
    var lines = TickerLines(format: format, profile: profile, symbols: ["BTC", "LONGSYMBOL"])
    var text = lines.header
    for (sequence, (symbol, price)) in [("BTC", 64_000.0), ("LONGSYMBOL", 0.25), ("BTC", 64_320), ("BTC", 63_360)]
      .enumerated()
    {
      text += lines.line(TickerViewTests.update(symbol, price, UInt64(sequence)))
    }
    return text
  }

  @Test func ndjson() throws {
    let text = Self.text(.ndjson)
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
    #expect(records[1] == Record(v: 1, symbol: "LONGSYMBOL", price: 0.25, milliseconds: 1_795_243_527_382, seq: 1))
    try Snapshot.expect(text)
  }

  @Test func csv() throws { try Snapshot.expect(Self.text(.csv)) }

  @Test func text() throws {
    #expect(Self.text(.auto) == Self.text(.text))
    try Snapshot.expect(Self.text(.text))
  }

  @Test func gapIsToldInItsPlace() {
    func gap(_ format: OutputFormat) -> String {
      TickerLines(format: format, profile: TickerViewTests.profile(columns: 80, ascii: true), symbols: ["A"]).gap(7)
    }
    #expect(gap(.ndjson) == "{\"v\":1,\"gap\":7}\n")
    #expect(gap(.csv).isEmpty)
    #expect(gap(.text).hasSuffix("7 updates are missing here\n"))
  }

  @Test func textInASCIIHasNoOtherCharacter() {
    let text = Self.text(.text, TickerViewTests.profile(columns: 80, ascii: true))
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains("v -1.00 %"))
  }

  @Test func aTimeBefore1970IsATimeOfDay() {
    var lines = TickerLines(format: .text, profile: TickerViewTests.profile(columns: 80), symbols: ["A"])
    let update = PriceUpdate(symbol: "A", price: 1, timestampMilliseconds: -1, sequence: 0)
    #expect(lines.line(update).hasPrefix("23:59:59.999Z  A"))
  }
}

import Foundation
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct PriceBoardTests {
  private static func trade(_ symbol: String, _ price: String, size: String = "0") throws -> Trade {
    Trade(
      symbol: symbol, price: try #require(ExactDecimal(price)), size: try #require(ExactDecimal(size)),
      time: Timestamp(nanosecondsSince1970: 1_000))
  }

  /// Three symbols after seventy updates, and one with no price.
  private static func board() throws -> PriceBoard {
    var board = PriceBoard(symbols: ["BTC", "ETH", "STABLE", "NEW"])
    for step in 0..<70 {
      board.apply(.value(try trade("BTC", "\(64_000 + step * step).50", size: "0.125")))
      board.apply(.value(try trade("ETH", "\(3_500 - step % 7 * 3 - step)", size: "1234.5")))
      board.apply(.value(try trade("STABLE", "1.0000")))
    }
    return board
  }

  @Test func theBoardKeepsTheFirstPriceAndTheNewestSixty() throws {
    var board = try Self.board()
    let row = try #require(board.rows.first)
    #expect(row.first?.description == "64000.50" && row.last?.description == "68761.50")
    #expect(row.history.count == 60 && row.history.first == 64_100.5)
    #expect(row.difference?.description == "4761.00" && row.volume == 8.75)
    #expect(abs(try #require(row.change) - 4_761 / 64_000.5) < 1e-12)
    #expect(board.updates == 210 && board.dropped == 0)
    board.apply(.value(try Self.trade("LATER", "1")))
    board.apply(StreamElement<Trade>.gap(5))
    #expect(board.rows.map(\.symbol) == ["BTC", "ETH", "STABLE", "NEW", "LATER"])
    #expect(board.updates == 211 && board.dropped == 5)
    board.restart()
    #expect(board.rows[0].change == 0 && board.rows[0].volume == 0 && board.rows[3].change == nil)
  }

  @Test func whatComesOutOfOrderIsTradedAndNoNews() throws {
    var board = PriceBoard(symbols: [])
    let (price, old) = (try #require(ExactDecimal("10")), try #require(ExactDecimal("9")))
    board.apply(.value(Trade(symbol: "A", price: price, size: price, time: .unixEpoch + .seconds(2), sequence: 2)))
    board.apply(
      .value(
        Trade(symbol: "A", price: old, size: price, time: .unixEpoch + .seconds(1), sequence: 1, isOutOfOrder: true)))
    #expect(board.rows[0].last == price && board.rows[0].time == .unixEpoch + .seconds(2) && board.rows[0].volume == 20)
  }

  private static func decoded<Record: Decodable>(_ json: String) throws -> Record {
    try JSONDecoder().decode(Record.self, from: Data(json.utf8))
  }

  /// The volume of a candle is its own, and the change counts from the first candle's open.
  @Test func candlesReplaceTheVolumeAndStatisticsTheFirstPrice() throws {
    var board = PriceBoard(historyLimit: 0)
    #expect(board.historyLimit == 1)
    for (open, close, volume) in [(1, 2, 0.5), (3, 4, 0.25)] {
      let candle: Candle = try Self.decoded(
        """
        {"symbol":"A","start":"1970-01-01T00:00:07Z","end":"1970-01-01T00:00:08Z","open":"\(open)","high":"9","low":"0","close":"\(close)","volume":\(volume),"tradeCount":1}
        """)
      board.apply(.value(candle))
    }
    #expect(board.rows[0].first?.description == "1" && board.rows[0].change == 3)
    board.restart()
    #expect(board.rows[0].volume == 0.25 && board.rows[0].candle?.volume == 0.25 && board.rows[0].history == [4])
    #expect(board.rows[0].change == 0 && board.rows[0].time == .unixEpoch + .seconds(7))
    let statistics: PriceStatistics = try Self.decoded(
      """
      {"symbol":"A","time":"1970-01-01T00:00:08Z","tradeCount":2,"mean":7.5,"variance":1,"lowest":"5","highest":"10","first":"5","last":"10"}
      """)
    board.apply(.value(statistics))
    #expect(board.rows[0].change == 1 && board.rows[0].statistics?.tradeCount == 2 && board.updates == 3)
  }
}

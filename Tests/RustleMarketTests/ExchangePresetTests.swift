import Foundation
import RustleMarket
import TestSupport
import Testing

/// The presets of the repository, on messages in the formats that the exchanges document.
@Suite(.releasesNativeObjects) struct ExchangePresetTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/RustleCommand/exchanges").standardized

  /// Reads messages by a preset's schema, and returns the trades as NDJSON and the counts.
  private func read(
    _ name: String, quotes: Bool = false, _ messages: String...
  ) async throws -> (lines: [String], counts: FeedCounts) {
    let preset = try ExchangePreset(path: Self.folder.appending(path: "\(name).json").path)
    let stream = try #require(quotes ? preset.quotes : preset.trades)
    #expect(preset.url.hasPrefix("wss://") && stream.unsubscribe != nil)
    let feed = try MarketFeed(.external(ExternalFeed(schema: stream.schema)))
    let trades = try await feed.trades(policy: .lossless())
    try await feed.run()
    for message in messages { try await feed.push(message: message) }
    try await feed.report(.closed(reason: nil))
    var lines: [String] = []
    for await case .value(let trade) in trades { lines.append(trade.json) }
    let counts = try await feed.counts
    await feed.shutDown()
    return (lines, counts)
  }

  @Test func binance() async throws {
    let trades = try await read(
      "binance", #"{"result":null,"id":1}"#,
      #"{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}"#,
      #"{"e":"trade","E":1672515782137,"s":"BNBBTC","t":12346,"p":"0.002","q":"1.5","b":88,"a":50,"T":1672515782137,"m":false,"M":true}"#
    )
    #expect(
      trades.lines == [
        #"{"v":1,"symbol":"BNBBTC","price":0.001,"t_ms":1672515782136,"seq":12345,"size":100,"side":"sell"}"#,
        #"{"v":1,"symbol":"BNBBTC","price":0.002,"t_ms":1672515782137,"seq":12346,"size":1.5,"side":"buy"}"#,
      ])
    #expect(trades.counts.malformed == 0 && trades.counts.others == 1)
    let quotes = try await read(
      "binance", quotes: true, #"{"result":null,"id":1}"#,
      #"{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}"#)
    let quote =
      #""bid":25.35190000,"bid_size":31.21000000,"ask":25.36520000,"ask_size":40.66000000,"mid":25.35855000,"spread":0.01330000}"#
    #expect(quotes.lines.count == 1 && quotes.lines.allSatisfy { $0.hasSuffix(quote) }, "\(quotes.lines)")
    #expect(quotes.counts.malformed == 0 && quotes.counts.others == 1)
  }

  @Test func coinbase() async throws {
    let match =
      #""maker_order_id":"ac928c66-ca53-498f-9c13-a110027a60e8","taker_order_id":"132fb6ae-456b-4654-b4e0-d681ac05cea1","time":"2014-11-07T08:19:27.028459Z","product_id":"BTC-USD","size":"5.23512","price":"400.23","side":"sell"}"#
    let trades = try await read(
      "coinbase", #"{"type":"subscriptions","channels":[{"name":"matches","product_ids":["BTC-USD"]}]}"#,
      #"{"type":"last_match","trade_id":9,"sequence":49,"# + match,
      #"{"type":"match","trade_id":10,"sequence":50,"# + match,
      #"{"type":"heartbeat","sequence":90,"last_trade_id":10,"product_id":"BTC-USD","time":"2014-11-07T08:19:28.464459Z"}"#
    )
    let line =
      #","size":5.23512,"side":"buy"}"#
    #expect(trades.lines.count == 2, "the maker sold")
    #expect(
      trades.lines.last
        == #"{"v":1,"symbol":"BTC-USD","price":400.23,"t_ns":1415348367028459000,"seq":10"# + line)
    #expect(trades.counts.malformed == 0 && trades.counts.others == 2 && trades.counts.gaps == 0)
    let quotes = try await read(
      "coinbase", quotes: true,
      #"{"type":"ticker","sequence":37475248783,"product_id":"ETH-USD","price":"1285.22","open_24h":"1310.79","volume_24h":"245532.79269678","low_24h":"1280.52","high_24h":"1313.8","volume_30d":"9788783.60117027","best_bid":"1285.04","best_bid_size":"0.46688654","best_ask":"1285.27","best_ask_size":"1.56637040","side":"buy","time":"2022-10-19T23:28:22.061769Z","trade_id":370843401,"last_size":"11.4396987"}"#
    )
    #expect(
      quotes.lines == [
        #"{"v":1,"symbol":"ETH-USD","price":1285.22,"t_ns":1666222102061769000,"size":11.4396987,"side":"buy","bid":1285.04,"bid_size":0.46688654,"ask":1285.27,"ask_size":1.56637040,"mid":1285.155,"spread":0.23}"#
      ])
  }

  @Test func kraken() async throws {
    let trades = try await read(
      "kraken", #"{"channel":"status","type":"update","data":[{"system":"online","api_version":"v2"}]}"#,
      #"{"method":"subscribe","result":{"channel":"trade","snapshot":false,"symbol":"MATIC/USD"},"success":true}"#,
      #"{"channel":"trade","type":"update","data":[{"symbol":"MATIC/USD","side":"sell","price":0.5117,"qty":40.0,"ord_type":"market","trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"},{"symbol":"MATIC/USD","side":"buy","price":0.5118,"qty":1,"ord_type":"limit","trade_id":4665907,"timestamp":"2023-09-25T07:49:38Z"}]}"#,
      #"{"channel":"heartbeat"}"#)
    #expect(
      trades.lines == [
        #"{"v":1,"symbol":"MATIC/USD","price":0.5117,"t_ns":1695628177708706000,"seq":4665906,"size":40.0,"side":"sell"}"#,
        #"{"v":1,"symbol":"MATIC/USD","price":0.5118,"t_ms":1695628178000,"seq":4665907,"size":1,"side":"buy"}"#,
      ])
    #expect(trades.counts.malformed == 0 && trades.counts.others == 3)
    let quotes = try await read(
      "kraken", quotes: true,
      #"{"channel":"ticker","type":"update","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10035,"ask_qty":740.0,"last":0.10035,"volume":997038.98383185,"vwap":0.10148,"low":0.09979,"high":0.10285,"change":-0.00017,"change_pct":-0.17}]}"#
    )
    #expect(quotes.lines.count == 1)
    #expect(
      quotes.lines[0].contains(
        #""bid":0.10025,"bid_size":740.0,"ask":0.10035,"ask_size":740.0,"mid":0.10030,"spread":0.00010}"#))
  }

  @Test func aNameStandsForAFileBesideTheCommand() throws {
    #expect(ExchangePreset.path(of: "kraken", command: "/p/bin/rustle") == "/p/share/rustle/exchanges/kraken.json")
    for path in ["./kraken", "kraken.json", "/a/b"] {
      #expect(ExchangePreset.path(of: path, command: "/p/bin/rustle") == path)
    }
    let folder = try ScratchFolder()
    for (text, got) in [("{\"url\":\"wss://a\"}", "one without trades"), ("[]", "another text"), ("", "another text")] {
      let path = try folder.write(Data(text.utf8), as: "a.json")
      let error = #expect(throws: FeedError.self) { try ExchangePreset(path: path) }
      #expect(
        error?.code == .unreadableFile && error?.message.hasSuffix("got \(got)") == true, "\(error?.message ?? "")")
    }
  }
}

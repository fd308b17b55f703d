internal import ArgumentParser
import RustleMarket

/// What the ticker makes of the prices.
struct TickerStreamOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What a reader gets that is slow: all updates, the latest of each symbol, or that sampled at --rate. (default: all)"
    ))
  var policy: Policy = .buffered

  @Option(
    help: "Candles of this length in place of prices: 250ms, 5s, 1m, 1h, 1d.", value: "interval",
    parse: MarketTime.interval(of: "an interval"))
  var candles: Duration?

  @Option(
    help: "How long a candle waits for updates that come late, at most 64 intervals. (default: 0)", value: "interval",
    parse: MarketTime.interval(of: "an interval, 0 or", allowsZero: true))
  var lateness: Duration?

  @Option(
    help:
      "Mean, deviation, range and change over the last while of this length in place of prices: 250ms, 5s, 1m, 1h, 1d.",
    value: "interval",
    parse: MarketTime.interval(of: "an interval"))
  var statistics: Duration?

  @Option(
    name: .customLong("alert"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Tell when a price is at a level or beyond: 'BTC>70000', 'BTC<60000'; with ~250 behind it, again once it was more than 250 back.",
      valueName: "symbol>level"),
    transform: { text in
      guard let threshold = PriceThreshold(text) else {
        throw ValidationError("expected an alert such as 'BTC>70000', 'BTC<60000' or 'BTC>70000~250', got '\(text)'")
      }
      return threshold
    })
  var alerts: [PriceThreshold] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Write every update to this file too, NDJSON that --replay reads.", valueName: "file"),
    completion: .file(extensions: ["ndjson"]))
  var record: String?

  @Flag(help: "Replace a file of that name.")
  var overwrite = false

  /// The policies by their names.
  enum Policy: String, ExpressibleByArgument, CaseIterable, Sendable {
    case buffered, conflated, sampled
  }

  func validate() throws {
    if candles != nil && statistics != nil { throw ValidationError("expected --candles or --statistics, got both") }
    if lateness != nil && candles == nil {
      throw ValidationError("--lateness: expected it with --candles, got it alone")
    }
    if let candles, let lateness, lateness > candles * 64 {
      let limit = MarketTime.text(interval: (candles * 64).wholeNanoseconds)
      throw ValidationError(
        "--lateness: expected 0 to \(limit), which is 64 intervals, got \(MarketTime.text(interval: lateness.wholeNanoseconds))"
      )
    }
    if overwrite && record == nil { throw ValidationError("--overwrite: expected it with --record, got it alone") }
  }
}

extension PriceThreshold {
  /// `BTC>70000`, `ETH<3000`, with `=` behind the sign or not, and with a hysteresis: `BTC>70000~250`; nil for any other text.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([^<>]+)([<>])=?([^~]*)(?:~(.*))?/), let level = ExactDecimal(match.3),
      let hysteresis = match.4.map({ ExactDecimal($0) }) ?? .zero, hysteresis >= .zero
    else { return nil }
    self.init(symbol: String(match.1), match.2 == ">" ? .above : .below, level, hysteresis: hysteresis)
  }
}

internal import ArgumentParser
import RustleMarket

/// The streams that the ticker makes of the prices.
struct TickerStreamOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Buffering for a slow reader: every update, the newest of each symbol, or the newest at --rate."
    ))
  var policy: Policy = .buffered

  @Option(
    help: "Write candles of this interval instead of trades: 250ms, 5s, 1m, 1h, 1d.", value: "interval",
    parse: MarketTime.interval(of: "an interval"))
  var candles: Duration?

  @Option(
    help: "Wait this long for late trades of a candle, at most 64 intervals. (default: 0)", value: "interval",
    parse: MarketTime.interval(of: "an interval, 0 or", allowsZero: true))
  var lateness: Duration?

  @Option(
    help:
      "Write mean, deviation, range and change over a moving window of this duration instead of trades: 250ms, 5s, 1m, "
      + "1h, 1d.",
    value: "interval",
    parse: MarketTime.interval(of: "an interval"))
  var statistics: Duration?

  @Option(
    name: .customLong("alert"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Report a price at or beyond a threshold: 'BTC>70000', 'BTC<60000'. With a hysteresis, 'BTC>70000~250', the alert "
        + "is rearmed once the price was more than 250 back.",
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
    help: ArgumentHelp("Record every trade to this file, as NDJSON for --replay.", valueName: "file"),
    completion: .file(extensions: ["ndjson"]))
  var record: String?

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  /// The names of the policies.
  enum Policy: String, ExpressibleByArgument, CaseIterable, Sendable {
    case buffered, conflated, sampled
  }

  func validate() throws {
    if candles != nil && statistics != nil { throw ValidationError("--candles cannot be used with --statistics") }
    if lateness != nil && candles == nil {
      throw ValidationError("--lateness requires --candles")
    }
    if let candles, let lateness, lateness > candles * 64 {
      let limit = MarketTime.text(interval: (candles * 64).wholeNanoseconds)
      throw ValidationError(
        "--lateness: expected 0 to \(limit), 64 intervals, got \(MarketTime.text(interval: lateness.wholeNanoseconds))"
      )
    }
    if overwrite && record == nil { throw ValidationError("--overwrite requires --record") }
  }
}

extension PriceThreshold {
  /// Parses `BTC>70000`, `ETH<3000`, with an optional `=` after the sign, and with a hysteresis: `BTC>70000~250`; nil for
  /// another text.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([^<>]+)([<>])=?([^~]*)(?:~(.*))?/), let level = ExactDecimal(match.3),
      let hysteresis = match.4.map({ ExactDecimal($0) }) ?? .zero, hysteresis >= .zero
    else { return nil }
    self.init(symbol: String(match.1), match.2 == ">" ? .above : .below, level, hysteresis: hysteresis)
  }
}

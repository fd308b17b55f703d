internal import ArgumentParser
import RustleMarket

/// What the ticker writes of its source.
struct TickerStreamOptions: ParsableArguments {
  @Option(
    help:
      "Buffering for a slow reader: many updates, of which the oldest are dropped; the newest of each symbol; or that at --rate."
  )
  var policy: Policy = .buffered

  @Option(
    "Write candles of one or several intervals instead of trades, such as 250ms, 5s, 1d, 1w, or 1m,5m,1h for three.",
    value: "interval,…",
    parse: { text in
      try text.split(separator: ",", omittingEmptySubsequences: false).map {
        let expected = "an interval such as 250ms, 5s, 1m, 1h, 1d or 1w"
        return try Parse.value(expected) { MarketCalendar.Period($0) }(String($0))
      }
    })
  var candles: [MarketCalendar.Period]?

  @Option("Begin days and weeks of candles at midnight in this time zone: Europe/Berlin. (default: UTC)", value: "zone")
  var zone: String?

  @Option(
    "Make candles of these hours only, in the time zone: mon-fri/09:30-16:00. Intervals begin with the session.",
    value: "days/hours",
    parse: Parse.value("a session such as mon-fri/09:30-16:00 or sun,mon/18:00-17:00") { MarketSession($0) })
  var session: MarketSession?

  @Option(
    "Wait this long for late trades of a candle, 0 to 64 times the shortest interval; with --zone, --session or 1w up "
      + "to 64m. (default: 0)", value: "interval",
    parse: Parse.interval("an interval, 0 or", allowsZero: true))
  var lateness: Duration?

  @Option(
    "Write mean, deviation, range and change over a moving window of this duration instead of trades: 250ms, 5s, 1m, "
      + "1h, 1d.", value: "interval", parse: Parse.interval("an interval"))
  var statistics: Duration?

  @Option(
    name: .customLong("alert"),
    "Report a price at or beyond a threshold: 'BTC>70000', 'BTC<60000'. With a hysteresis, 'BTC>70000~250', the alert "
      + "is rearmed once the price was more than 250 back.",
    value: "threshold",
    parse: Parse.value("an alert such as 'BTC>70000', 'BTC<60000' or 'BTC>70000~250'") { PriceThreshold($0) })
  var alerts: [PriceThreshold] = []

  @Option(
    "Record every trade to this file, as NDJSON for --replay.", value: "file", completion: .file(extensions: ["ndjson"])
  )
  var record: String?

  @Flag(help: "Replace an existing file of --record. Without it an existing file is an error.")
  var overwrite = false

  enum Policy: String, ExpressibleByArgument, CaseIterable, Sendable {
    case buffered, conflated, sampled
  }

  func validate() throws {
    _ = try selection()
    try Parse.reject((Set(candles ?? []).count < candles?.count ?? 0, "--candles: expected each interval once"))
  }

  /// The given options, for the rules between them.
  var given: TickerRules.Options {
    let given = [
      "candles": candles != nil, "statistics": statistics != nil, "lateness": lateness != nil, "zone": zone != nil,
      "session": session != nil, "record": record != nil, "overwrite": overwrite,
    ]
    return given.filter(\.value).mapValues { _ in [] }.merging(["policy": [policy.rawValue]]) { $1 }
  }

  private func selection() throws -> CandleSelection? {
    guard let candles else { return nil }
    return try Parse.checked(of: "--") {
      try CandleSelection(candles, zone: zone, session: session, lateness: lateness ?? .zero)
    }
  }

  func content() throws -> TickerPlan.Content {
    try selection().map { .candles($0) } ?? statistics.map { .statistics(over: $0) } ?? .trades
  }

  /// The buffering policy, for updates per second of the policy `sampled`; nil for the default.
  func policy(rate: Double) throws -> FeedPolicy? {
    switch policy {
    case .buffered: return nil
    case .conflated: return .conflated
    case .sampled:
      // The feed's range: 1 ms to 1 h.
      guard (1 / 3_600.0...1_000).contains(rate) else {
        throw ValidationError("--rate: expected 1/3600 to 1000 updates per second with --policy sampled, got \(rate)")
      }
      return .sampled(every: .seconds(1 / rate))
    }
  }
}

internal import ArgumentParser
import Foundation
import RustleMarket

#if WebSocket
internal import RustleWebSocket
#endif

/// The source of the ticker's prices, and the server for other processes.
struct TickerSourceOptions: ParsableArguments {
  @Option(
    parsing: .next,
    "Replay a recording, NDJSON or CSV, plain or compressed with gzip; - is standard input and requires --input.",
    value: "file", completion: .file(extensions: ["ndjson", "jsonl", "csv", "gz"]))
  var replay: String?

  @Option(
    "Receive prices from another process: host:port, unix:/path, or a WebSocket, ws://host/path or wss://host/path. "
      + "A lost connection is reestablished.", value: "address")
  var connect: String?

  @Option(
    "Receive the trades of an exchange: binance, coinbase, kraken, or a file with its URL, schema and messages.",
    value: "name|file", completion: .names(["binance", "coinbase", "kraken"], orFiles: ".json"))
  var exchange: String?

  @Option(
    name: .customLong("source"),
    "One of several sources, merged by time if all are files, else by arrival: name=file, name=exchange:NAME or "
      + "name=address. Its symbols are name:symbol. Repeatable.", value: "name=source",
    parse: Parse.value("a source such as a=prices.csv") {
      $0.wholeMatch(of: /([^:=]+)=(.+)/).map { Header(name: String($0.1), value: String($0.2)) }
    })
  var sources: [Header] = []

  @Flag(help: "Receive the exchange's quotes, bid and ask, instead of its trades. Requires --exchange.")
  var quotes = false

  @Option(
    "End after this number of failures to connect in a row, 1 or more; the loss of a connection that delivered prices is "
      + "a first one. (default: no limit)",
    value: "count", parse: Parse.integer("a number of attempts", in: 1...Int(UInt32.max)))
  var attempts: Int?

  @Option(
    "The longest wait before the next attempt to connect, 1ms to 1d. (default: 30s)", value: "interval",
    parse: MarketTime.interval(of: "an interval"))
  var backoffLimit: Duration?

  @Option(
    "Reconnect after this time without any data, 10ms to 1d; 0: never. (default: 30s)", value: "interval",
    parse: MarketTime.interval(of: "an interval, 0 or", allowsZero: true))
  var silenceLimit: Duration?

  @Flag(
    name: .customLong("renumbered"),
    help: "Continue the sequence numbers of a source that restarts them with each connection. Requires --connect.")
  var isRenumbered = false

  @Option(
    "Message that subscribes to symbols at a WebSocket: JSON with $symbols or $symbol; none: no message. "
      + "(default: {\"subscribe\":[\"BTC\",\"ETH\"]})", value: "message|none")
  var subscribe: String?

  @Option(
    "Message that unsubscribes from symbols: JSON with $symbols or $symbol; requires --subscribe with a message.",
    value: "message")
  var unsubscribe: String?

  @Option(
    name: .customLong("header"), "Header of the WebSocket's request. Repeatable.", value: "name: value",
    parse: Parse.value("a header such as 'Authorization: Bearer x'") {
      $0.wholeMatch(of: /([^:]+): *(.*)/).map { Header(name: String($0.1), value: String($0.2)) }
    })
  var headers: [Header] = []

  @Option(
    parsing: .next, "Trust the root certificates of this PEM file instead of the system's; requires wss://.",
    value: "file", completion: .file(extensions: ["pem", "crt"]))
  var roots: String?

  @Flag(help: "Accept any certificate: the peer is not authenticated. Requires wss://; for tests.")
  var insecure = false

  @Option(
    "Serve the prices to other processes at this address, host:port (port 0: a free one) or unix:/path.",
    value: "address")
  var serve: String?

  @Option(
    parsing: .next,
    "The token of --serve or --connect host:port, 16 to 512 bytes in the first line of this file; a client sends it first.",
    value: "file")
  var tokenFile: String?

  @Flag(
    help:
      "Serve an address that other machines reach, or a socket for every user of this machine, to clients without a token."
  )
  var allowAnyone = false

  @Option(help: ArgumentHelp("The recording's format, by default that of its extension.", valueName: "format"))
  var input: InputFormat?

  @Option(
    "Paths of a message's fields: symbol=PATH,price=PATH and, after further commas, size=PATH, side=PATH:BUY|SELL, "
      + "time=PATH:UNIT, seq=PATH, bid=PATH, bid_size=PATH, ask=PATH, ask_size=PATH, each=PATH, only=PATH:VALUE. With bid and "
      + "ask a price is not required: it is their middle. (default: those that this command writes)")
  var schema: String?

  @Option(
    "Replay at this multiple of the recorded pace, 0.001 to 1000000, or as fast as possible: max. A recording without "
      + "timestamps is replayed without waiting. (default: 1)",
    value: "factor|max",
    parse: { text in
      guard text != "max" else { return .asFastAsPossible }
      return .speed(try Parse.number("a factor (or max)", in: 0.001...1_000_000)(text))
    })
  var speed: ReplayFeed.Pace?

  @Flag(help: "Repeat the recording; its timestamps continue. A recording without timestamps is replayed once.")
  var loop = false

  @Option(
    "Begin at this time: 2026-01-31T09:30:00Z, a date, or milliseconds since 1970. (default: the start)", value: "time",
    parse: Parse.value("a time such as 2026-01-31T09:30:00Z, a date, or milliseconds since 1970", MarketTime.timestamp))
  var from: Timestamp?

  @Option(
    "End before this time, in a form of --from. (default: the end)", value: "time",
    parse: Parse.value("a time such as 2026-01-31T09:30:00Z, a date, or milliseconds since 1970", MarketTime.timestamp))
  var to: Timestamp?

  @Flag(help: "End with an error at the first malformed line of the recording, instead of skipping it.")
  var strict = false

  struct Header: Sendable, Hashable {
    var name: String
    var value: String
  }

  enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ndjson, csv
  }

  /// Standard input, as the system names it.
  static let standardInputPath = "/dev/stdin"

  static let certificateAdvice =
    "--roots <file> trusts the root certificates in a PEM file, --insecure accepts any certificate"

  func validate() throws {
    let (isReplayed, isMerged) = (replay != nil || !sources.isEmpty, !sources.isEmpty)
    let isConnected = connect != nil || exchange != nil || isMerged
    let isSecure = exchange != nil || isMerged || connect?.lowercased().hasPrefix("wss://") ?? false
    let isWebSocket = isSecure || connect?.lowercased().hasPrefix("ws://") ?? false
    let webSocket = "requires --connect ws://… or wss://…"
    let names = headers.map { $0.name.lowercased() }
    let repeated = names.firstRepeated.flatMap { name in headers.last { $0.name.lowercased() == name }?.name }
    try Parse.reject(
      (replay != nil && connect != nil, "--replay cannot be used with --connect"),
      (isMerged && name != "--source", "\(name) cannot be used with --source"),
      (
        Set(sources.map(\.name)).count < sources.count,
        "--source: expected each name once, got '\(sources.map(\.name).firstRepeated ?? "")' again"
      ),
      (exchange != nil && replay != nil, "--replay cannot be used with --exchange"),
      (exchange != nil && connect != nil, "--connect cannot be used with --exchange"),
      (
        exchange != nil && (schema ?? subscribe ?? unsubscribe) != nil,
        "--exchange has a schema and messages of its own: give another file to change them"
      ),
      (quotes && exchange == nil && !isMerged, "--quotes requires --exchange"),
      (isRenumbered && !isConnected, "--renumbered requires --connect"),
      (attempts != nil && !isConnected, "--attempts requires --connect"),
      (backoffLimit != nil && !isConnected, "--backoff-limit requires --connect"),
      (silenceLimit != nil && !isConnected, "--silence-limit requires --connect"),
      (allowAnyone && serve == nil, "--allow-anyone requires --serve"),
      (allowAnyone && tokenFile != nil, "--allow-anyone cannot be used with --token-file"),
      (
        tokenFile != nil && serve == nil && (!isMerged && connect == nil || isWebSocket && !isMerged),
        "--token-file requires --serve or --connect host:port; a WebSocket has --header"
      ),
      (subscribe != nil && !isWebSocket, "--subscribe \(webSocket)"),
      (unsubscribe != nil && !isWebSocket, "--unsubscribe \(webSocket)"),
      (!headers.isEmpty && !isWebSocket, "--header \(webSocket)"),
      (roots != nil && !isWebSocket, "--roots \(webSocket)"),
      (roots != nil && !isSecure, "--roots requires --connect wss://…; ws://… has no certificates"),
      (insecure && !isSecure, "--insecure requires --connect wss://…"),
      (insecure && roots != nil, "--insecure cannot be used with --roots"),
      (
        unsubscribe != nil && subscribe ?? "none" == "none",
        "--unsubscribe requires --subscribe with a message"
      ),
      (repeated != nil, "--header: expected each name once, got '\(repeated ?? "")' again"),
      (replay == "-" && input == nil, "--replay - requires --input ndjson or --input csv"),
      (schema != nil && !isReplayed && connect == nil, "--schema requires --replay or --connect"),
      (input != nil && !isReplayed, "--input requires --replay"),
      (speed != nil && !isReplayed, "--speed requires --replay"),
      (loop && !isReplayed, "--loop requires --replay"),
      (from != nil && !isReplayed, "--from requires --replay"),
      (to != nil && !isReplayed, "--to requires --replay"),
      (strict && !isReplayed, "--strict requires --replay"))
  }

  /// The token of `--token-file`; nil without it.
  func token() throws -> String? {
    guard let tokenFile else { return nil }
    let line = try TextFile.read(tokenFile, option: "--token-file").prefix { !$0.isNewline }
    guard (16...512).contains(line.utf8.count) else {
      throw CommandFailure(
        .badData, "--token-file: \(tokenFile): expected 16 to 512 bytes in the first line, got \(line.utf8.count)")
    }
    return String(line)
  }

  /// Who may connect to `--serve`.
  func access() throws -> FeedServer.Access { allowAnyone ? .anyone : try token().map { .token($0) } ?? .local }

  /// The option of the source.
  var name: String {
    replay != nil ? "--replay" : connect != nil ? "--connect" : exchange != nil ? "--exchange" : "--source"
  }

  /// The source of an element of `--source`, with the options of all.
  private func feed(_ place: String) throws -> FeedConfiguration? {
    var one = self
    one.sources = []
    if place.hasPrefix("exchange:") {
      one.exchange = String(place.dropFirst("exchange:".count))
    } else if place.wholeMatch(of: /(tcp|ws|wss):\/\/.+|unix:.+|[^\/]+:\d+/) != nil {
      one.connect = place
    } else {
      one.replay = place
    }
    return try one.feed()
  }

  /// The source of `--replay`, `--connect`, `--exchange` or `--source`; nil without them.
  func feed() throws -> FeedConfiguration? {
    if !sources.isEmpty {
      var feeds: [String: FeedConfiguration] = [:]
      for source in sources { feeds[source.name] = try self.feed(source.value) }
      return .merged(MergedFeed(feeds))
    }
    if let replay {
      return .replay(
        ReplayFeed(
          path: replay == "-" ? Self.standardInputPath : replay, format: input.map { $0 == .ndjson ? .ndjson : .csv },
          schema: schema, pace: speed ?? .speed(1), repeats: loop, from: from, to: to, isStrict: strict))
    }
    guard let connect = connect ?? exchange else { return nil }
    var backoff = LiveFeed.Backoff(attemptLimit: attempts)
    if let backoffLimit { (backoff.base, backoff.limit) = (min(backoff.base, backoffLimit), backoffLimit) }
    let silence = silenceLimit ?? .seconds(30)
    guard exchange != nil || connect.lowercased().hasPrefix("ws://") || connect.lowercased().hasPrefix("wss://") else {
      return .live(
        LiveFeed(
          FeedAddress(connect), schema: schema, silenceLimit: silence == .zero ? nil : silence, backoff: backoff,
          restartsNumbers: isRenumbered, token: try token()))
    }
    #if WebSocket
    let subscription: WebSocketSubscription =
      switch subscribe {
      case nil: .rustle
      case "none": .none
      case let message?: .messages(subscribe: message, unsubscribe: unsubscribe)
      }
    var feed =
      try exchange.map(webSocket(of:)) ?? WebSocketFeed(connect, schema: schema, subscription: subscription)
    feed.headers = Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first }
    feed.tls = WebSocketFeed.TLS(roots: roots.map { .file($0) } ?? .system, acceptsAnyCertificate: insecure)
    (feed.silenceLimit, feed.backoff) = (silence == .zero ? nil : silence, backoff)
    feed.restartsNumbers = isRenumbered
    return .webSocket(feed)
    #else
    throw ValidationError(
      "--connect: expected host:port or unix:/path, got \(connect): this command was built without WebSockets")
    #endif
  }

  #if WebSocket
  /// The source of an exchange.
  private func webSocket(of exchange: String) throws -> WebSocketFeed {
    let path = ExchangePreset.path(of: exchange, command: Bundle.main.executablePath ?? CommandLine.arguments[0])
    do {
      let preset = try ExchangePreset(path: path)
      if insecure || roots != nil, let url = preset.unencryptedURL(quotes: quotes) {
        throw CommandFailure(.usage, "\(insecure ? "--insecure" : "--roots") requires wss://…, got \(url) of \(path)")
      }
      if let feed = WebSocketFeed(preset, quotes: quotes) { return feed }
    } catch let error as FeedError {
      throw CommandFailure(
        .noInput, "--exchange: \(error.message)", advice: "choose binance, coinbase or kraken, or the path of a file")
    }
    throw CommandFailure(.usage, "--quotes: \(path): expected an exchange with quotes, got one without")
  }
  #endif
}

struct TickerStreamOptions: ParsableArguments {
  @Option(help: "Buffering for a slow reader: every update, the newest of each symbol, or the newest at --rate.")
  var policy: Policy = .buffered

  @Option(
    "Write candles of this interval instead of trades, or of several: 250ms, 5s, 1m,5m,1h, 1d, 1w.",
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
    "Make candles of these hours alone, in the time zone: mon-fri/09:30-16:00. Intervals begin with the session.",
    value: "days/hours",
    parse: Parse.value("a session such as mon-fri/09:30-16:00 or sun,mon/18:00-17:00") { MarketSession($0) })
  var session: MarketSession?

  @Option(
    "Wait this long for late trades of a candle, 0 to 64 times its interval. (default: 0)", value: "interval",
    parse: MarketTime.interval(of: "an interval, 0 or", allowsZero: true))
  var lateness: Duration?

  @Option(
    "Write mean, deviation, range and change over a moving window of this duration instead of trades: 250ms, 5s, 1m, "
      + "1h, 1d.", value: "interval", parse: MarketTime.interval(of: "an interval"))
  var statistics: Duration?

  @Option(
    name: .customLong("alert"),
    "Report a price at or beyond a threshold: 'BTC>70000', 'BTC<60000'. With a hysteresis, 'BTC>70000~250', the alert "
      + "is rearmed once the price was more than 250 back.",
    value: "symbol>level",
    parse: Parse.value("an alert such as 'BTC>70000', 'BTC<60000' or 'BTC>70000~250'") { PriceThreshold($0) })
  var alerts: [PriceThreshold] = []

  @Option(
    "Record every trade to this file, as NDJSON for --replay.", value: "file", completion: .file(extensions: ["ndjson"])
  )
  var record: String?

  @Flag(help: "Replace an existing file of --record; without it, one is an error.")
  var overwrite = false

  enum Policy: String, ExpressibleByArgument, CaseIterable, Sendable {
    case buffered, conflated, sampled
  }

  func validate() throws {
    let limit = try selection().map { $0.shortest * 64 } ?? .zero
    try Parse.reject(
      (candles != nil && statistics != nil, "--candles cannot be used with --statistics"),
      (lateness != nil && candles == nil, "--lateness requires --candles"),
      (zone != nil && candles == nil, "--zone requires --candles"),
      (session != nil && candles == nil, "--session requires --candles"),
      (Set(candles ?? []).count < candles?.count ?? 0, "--candles: expected each interval once"),
      (
        lateness ?? .zero > limit,
        "--lateness: expected at most \(MarketInterval(limit)) (64 candles), got \(MarketInterval(lateness ?? .zero))"
      ),
      (overwrite && record == nil, "--overwrite requires --record"))
  }

  private func selection() throws -> CandleSelection? {
    guard let candles else { return nil }
    do throws(FeedError) {
      return try CandleSelection(candles, zone: zone, session: session, lateness: lateness ?? .zero)
    } catch {
      throw ValidationError("--\(error.message)")
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
        throw ValidationError("--rate: expected 1/3600 to 1000 with --policy sampled, got \(rate)")
      }
      return .sampled(every: .seconds(1 / rate))
    }
  }
}

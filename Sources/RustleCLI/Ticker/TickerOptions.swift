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
    "Replay a recording, NDJSON or CSV, plain or compressed with gzip or zstd; - is standard input and requires --input.",
    value: "file", completion: .file(extensions: ["ndjson", "jsonl", "csv", "gz", "zst"]))
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

  @Flag(help: "Accept any certificate: the peer is not authenticated. Requires wss://.")
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
    let isMerged = !sources.isEmpty
    let all = isMerged ? sources.map { one(of: $0.value) } : [self]
    let isReplayed = all.contains { $0.replay != nil }
    let isConnected = all.contains { $0.connect != nil || $0.exchange != nil }
    let isSecure = all.contains { $0.exchange != nil || $0.connect?.hasScheme("wss") ?? false }
    let isWebSocket = isSecure || all.contains { $0.connect?.hasScheme("ws") ?? false }
    let isSocket = all.contains { $0.connect.map { !$0.hasScheme("ws") && !$0.hasScheme("wss") } ?? false }
    let isExchange = all.contains { $0.exchange != nil }
    let hasSchema = all.contains { ($0.replay ?? $0.connect) != nil }
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
      (quotes && !isExchange, "--quotes requires --exchange"),
      (isRenumbered && !isConnected, "--renumbered requires --connect"),
      (attempts != nil && !isConnected, "--attempts requires --connect"),
      (backoffLimit != nil && !isConnected, "--backoff-limit requires --connect"),
      (silenceLimit != nil && !isConnected, "--silence-limit requires --connect"),
      (allowAnyone && serve == nil, "--allow-anyone requires --serve"),
      (allowAnyone && tokenFile != nil, "--allow-anyone cannot be used with --token-file"),
      (
        tokenFile != nil && serve == nil && !isSocket,
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
      (schema != nil && !hasSchema, "--schema requires --replay or --connect"),
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
  private func one(of place: String) -> Self {
    var one = self
    one.sources = []
    if place.hasPrefix("exchange:") {
      one.exchange = String(place.dropFirst("exchange:".count))
    } else if place.wholeMatch(of: /(tcp|ws|wss):\/\/.+|unix:.+|[^\/]+:\d+/) != nil {
      one.connect = place
    } else {
      one.replay = place
    }
    return one
  }

  /// The source of `--replay`, `--connect`, `--exchange` or `--source`; nil without them.
  func feed() throws -> FeedConfiguration? {
    if !sources.isEmpty {
      var feeds: [String: FeedConfiguration] = [:]
      for source in sources { feeds[source.name] = try one(of: source.value).feed() }
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
    guard exchange != nil || connect.hasScheme("ws") || connect.hasScheme("wss") else {
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

extension String {
  fileprivate func hasScheme(_ scheme: String) -> Bool { lowercased().hasPrefix("\(scheme)://") }
}

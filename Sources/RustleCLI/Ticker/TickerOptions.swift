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
    "Receive prices from another process: host:port, unix:/path, a WebSocket, ws://host/path or wss://host/path, or NATS, "
      + "nats://host:port/prefix or tls://…, with several servers separated by commas. A lost connection is reestablished.",
    value: "address")
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

  @Option(
    "Begin with what a stream of NATS has: last, the newest price of each symbol; all; or what was published since a time in a form "
      + "of --from. (default: nothing)", value: "last|all|time", parse: { try TickerHistory($0) })
  var history: TickerHistory?

  @Flag(help: "Receive the exchange's quotes, bid and ask, instead of its trades. Requires --exchange.")
  var quotes = false

  @Option(
    "End after this number of failures to connect in a row, 1 or more; losing a connection that delivered prices counts as "
      + "the first. (default: no limit)",
    value: "count", parse: Parse.integer("a number of attempts", in: 1...Int(UInt32.max)))
  var attempts: Int?

  @Option(
    "The longest wait before the next attempt to connect, 1ms to 1d. (default: 30s)", value: "interval",
    parse: Parse.interval("an interval"))
  var backoffLimit: Duration?

  @Option(
    "Reconnect after this time without any data, 10ms to 1d; 0: never. (default: 30s)", value: "interval",
    parse: Parse.interval("an interval, 0 or", allowsZero: true))
  var silenceLimit: Duration?

  @Flag(
    name: .customLong("renumbered"),
    help:
      "The source restarts its sequence numbers with each connection; a restart is not counted as a sequence gap. Requires --connect."
  )
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
    parsing: .next, "Trust the root certificates of this PEM file instead of the system's; requires wss:// or tls://.",
    value: "file", completion: .file(extensions: ["pem", "crt"]))
  var roots: String?

  @Flag(help: "Accept any certificate: the peer is not authenticated. Requires wss://.")
  var insecure = false

  @Option(
    "Serve the prices to other processes at this address, host:port (port 0: a free one) or unix:/path.",
    value: "address")
  var serve: String?

  @Option(
    "Publish the prices on NATS, nats://host:port/prefix or tls://…, with several servers separated by commas: each as NDJSON with "
      + "the subject prefix.q.SYMBOL.",
    value: "address")
  var publish: String?

  @Option(
    parsing: .next, "Trust the root certificates of this PEM file instead of the system's; requires --publish tls://….",
    value: "file", completion: .file(extensions: ["pem", "crt"]))
  var publishRoots: String?

  @Option(
    parsing: .next,
    "What the servers of --publish ask for: a token or user:password in the first line of this file, or a NATS file of credentials.",
    value: "file")
  var publishTokenFile: String?

  @Option(
    "Keep published prices this long, 1s or more, in a stream of JetStream, which acknowledges each.",
    value: "interval",
    parse: Parse.interval("an interval"))
  var durable: Duration?

  @Option(
    "The servers that store each price of --durable, 1 to 5; a stream that exists keeps its own, which is noted. (default: 1)",
    value: "count", parse: Parse.integer("a number of servers", in: 1...5))
  var replicas: Int?

  @Option(
    "The published numbering, the same for standby publishers of the same prices; a higher one begins anew. (default: "
      + "0 for a connection or an exchange, otherwise the time of the start)",
    parse: Parse.value("a whole number from 0 to \(UInt64.max)") { UInt64($0) })
  var epoch: UInt64?

  @Option(
    parsing: .next,
    "The token of --serve, 16 to 512 bytes in the first line of this file, which its clients send first.",
    value: "file")
  var tokenFile: String?

  @Option(
    name: .customLong("peer-token-file"),
    "The token that --connect host:port sends to its peer, as --publish-token-file for NATS; of a --source that of the name: "
      + "name=file, repeatable.",
    value: "file", parse: { $0 })
  var peerTokenFiles: [String] = []

  @Flag(
    help:
      "Serve an address that other machines reach, or a socket for every user of this machine, to clients without a token."
  )
  var allowAnyone = false

  @Option(help: ArgumentHelp("The recording's format, by default that of its extension.", valueName: "format"))
  var input: InputFormat?

  @Option(
    "Paths of a message's fields: symbol=PATH,price=PATH and, after further commas, size=PATH, side=PATH:BUY|SELL, "
      + "time=PATH:UNIT, seq=PATH, bid=PATH, bid_size=PATH, ask=PATH, ask_size=PATH; each=PATH is a list of trades, and "
      + "only=PATH:VALUE leaves out messages with another value. With bid and ask a price is not required: it is their "
      + "middle. (default: the names that this command writes)")
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
    parse: Parse.time)
  var from: Timestamp?

  @Option(
    "End before this time, in a form of --from. (default: the end)", value: "time",
    parse: Parse.time)
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

  func validate() throws {
    let names = headers.map { $0.name.lowercased() }
    let repeated = names.firstRepeated.flatMap { name in headers.last { $0.name.lowercased() == name }?.name }
    let again = sources.map(\.name).firstRepeated
    try Parse.reject(
      (again != nil, "--source: expected each name once, got '\(again ?? "")' again"),
      (repeated != nil, "--header: expected each name once, got '\(repeated ?? "")' again"),
      (replay == "-" && input == nil, "--replay - requires --input ndjson or --input csv"))
  }

  /// The given options, for the rules between them.
  var given: TickerRules.Options {
    let texts = [
      "replay": replay, "connect": connect, "exchange": exchange, "subscribe": subscribe, "unsubscribe": unsubscribe,
      "roots": roots, "serve": serve, "token-file": tokenFile, "schema": schema, "publish": publish,
      "publish-roots": publishRoots, "publish-token-file": publishTokenFile,
    ]
    let others = [
      "quotes": quotes, "attempts": attempts != nil, "backoff-limit": backoffLimit != nil,
      "silence-limit": silenceLimit != nil, "history": history != nil, "durable": durable != nil,
      "replicas": replicas != nil, "epoch": epoch != nil,
      "renumbered": isRenumbered, "header": !headers.isEmpty,
      "insecure": insecure, "peer-token-file": !peerTokenFiles.isEmpty, "allow-anyone": allowAnyone,
      "input": input != nil, "speed": speed != nil, "loop": loop, "from": from != nil, "to": to != nil,
      "strict": strict,
    ]
    var given = texts.compactMapValues { $0.map { [$0] } }.merging(others.filter(\.value).mapValues { _ in [] }) { $1 }
    if !sources.isEmpty { given["source"] = sources.map { "\($0.name)=\($0.value)" } }
    return given
  }

  /// The token in the first line of a file.
  private func token(in file: String, of option: String) throws -> String {
    let line = try TextFile.read(file, option: option).prefix { !$0.isNewline }
    guard (16...512).contains(line.utf8.count) else {
      throw CommandFailure(
        .badData, "\(option): \(file): expected 16 to 512 bytes in the first line, got \(line.utf8.count)")
    }
    return String(line)
  }

  /// Who may connect to `--serve`.
  func access() throws -> FeedServer.Access {
    allowAnyone ? .anyone : try tokenFile.map { .token(try token(in: $0, of: "--token-file")) } ?? .local
  }

  /// The publication of `--publish`; nil without it.
  func publishing(from feed: FeedConfiguration?) throws -> TickerPlan.Publishing? {
    guard let publish else { return nil }
    guard SourceKind(address: publish).isNATS else {
      throw ValidationError("--publish: expected nats://host:port/prefix, got '\(publish)'")
    }
    let start = UInt64(Date.now.timeIntervalSince1970 * 1_000)
    let publishing = TickerPlan.Publishing(
      address: publish, age: durable, replicas: replicas ?? 1,
      epoch: epoch ?? (feed?.isConnection == true && !isRenumbered ? 0 : start), tokenFile: publishTokenFile,
      roots: publishRoots)
    try TickerPublication.check(publishing)
    return publishing
  }

  /// The options of one of several sources.
  private func one(of source: Header) -> Self {
    var one = self
    let files = peerTokenFiles.filter { $0.hasPrefix("\(source.name)=") }
    (one.sources, one.peerTokenFiles) = ([], files.map { String($0.dropFirst(source.name.count + 1)) })
    switch SourceKind(source: source.value) {
    case .exchange: one.exchange = String(source.value.dropFirst("exchange:".count))
    case .socket, .webSocket, .secureWebSocket, .nats, .secureNATS: one.connect = source.value
    case .file: one.replay = source.value
    }
    return one
  }

  /// The source of `--replay`, `--connect`, `--exchange` or `--source`; nil without them.
  func feed() throws -> FeedConfiguration? {
    if !sources.isEmpty {
      let kinds: Set<SourceKind> = [.socket, .nats, .secureNATS]
      let named = sources.filter { kinds.contains(SourceKind(source: $0.value)) }.map(\.name)
      let foreign = peerTokenFiles.first { file in !named.contains { file.hasPrefix("\($0)=") } }
      try Parse.reject(
        (foreign != nil, "--peer-token-file: expected NAME=file of a --source NAME=host:port, got '\(foreign ?? "")'"))
      var feeds: [String: FeedConfiguration] = [:]
      for source in sources {
        do {
          feeds[source.name] = try one(of: source).feed()
        } catch let failure as CommandFailure {
          let text = failure.message.replacing(#/^--(exchange|connect): /#, with: "")
          throw CommandFailure(failure.status, "--source \(source.name): \(text)", advice: failure.advice)
        }
      }
      return .merged(MergedFeed(feeds))
    }
    try Parse.reject((peerTokenFiles.count > 1, "--peer-token-file: expected one file, got \(peerTokenFiles.count)"))
    if let replay {
      return .replay(
        ReplayFeed(
          path: replay == "-" ? ReplayFeed.standardInputPath : replay,
          format: input.map { $0 == .ndjson ? .ndjson : .csv }, schema: schema, pace: speed ?? .speed(1), repeats: loop,
          from: from, to: to, isStrict: strict))
    }
    guard let connect = connect ?? exchange else { return nil }
    var backoff = LiveFeed.Backoff(attemptLimit: attempts)
    if let backoffLimit { (backoff.base, backoff.limit) = (min(backoff.base, backoffLimit), backoffLimit) }
    if exchange == nil, SourceKind(address: connect).isNATS {
      return try .nats(
        connect, tokenFile: peerTokenFiles.first, roots: SourceKind(address: connect) == .secureNATS ? roots : nil,
        schema: schema, history: history, silence: silenceLimit)
    }
    let silence = silenceLimit ?? .seconds(30)
    guard exchange != nil || SourceKind(address: connect) != .socket else {
      return .live(
        LiveFeed(
          FeedAddress(connect), schema: schema, silenceLimit: silence == .zero ? nil : silence, backoff: backoff,
          restartsNumbers: isRenumbered,
          token: try peerTokenFiles.first.map { try token(in: $0, of: "--peer-token-file") }))
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
        .noInput, "--exchange: \(error.message)", advice: "Choose binance, coinbase or kraken, or the path of a file.")
    }
    throw CommandFailure(.usage, "--quotes: \(path): expected an exchange with quotes, got one without")
  }
  #endif
}

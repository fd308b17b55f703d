/// The rules between a ticker's options: for a command line, and for a file that completes one. Options are named without dashes.
package enum TickerRules {
  /// The given options with their values, of which those that name a source, `subscribe` and `policy` are read.
  package typealias Options = [String: [String]]

  /// What an option requires.
  package enum Need: Sendable, Hashable {
    /// Another option, with a value other than this.
    case option(String, except: String? = nil)
    /// A source of one of these kinds.
    case source(Set<SourceKind>)
    /// Simulated prices, or this policy.
    case simulation(orPolicy: String? = nil)
  }

  /// An option that requires another.
  package struct Requirement: Sendable, Hashable {
    /// The option.
    package let option: String
    /// What it requires.
    package let need: Need
    /// The fault after the name of the option; `$source` is the option of the source.
    let fault: String
  }

  /// The options of which one excludes the others.
  package static let exclusions = [
    ["replay", "connect", "exchange", "source"], ["candles", "statistics"], ["insecure", "roots"],
    ["allow-anyone", "token-file"],
  ]

  /// The requirements, of which the first that is not met is the fault.
  package static let requirements: [Requirement] =
    all(["quotes"], .source([.exchange]), "requires --exchange")
    + all(
      ["renumbered", "attempts", "backoff-limit", "silence-limit"],
      .source([.socket, .webSocket, .secureWebSocket, .exchange, .nats, .secureNATS]), "requires --connect")
    + all(
      ["renumbered", "attempts", "backoff-limit"], .source([.socket, .webSocket, .secureWebSocket, .exchange]),
      "cannot be used with nats://…")
    + all(["history"], .source([.nats, .secureNATS]), "requires --connect nats://…")
    + all(["durable", "epoch", "publish-roots", "publish-token-file"], .option("publish"), "requires --publish")
    + all(["replicas"], .option("durable"), "requires --durable")
    + all(["allow-anyone"], .option("serve"), "requires --serve")
    + all(["token-file"], .option("serve"), "requires --serve; a peer's token is that of --peer-token-file")
    + all(
      ["peer-token-file"], .source([.socket, .nats, .secureNATS]),
      "requires --connect host:port or nats://…; a WebSocket has --header")
    + all(
      ["unsubscribe", "subscribe"], .source([.webSocket, .secureWebSocket]), "requires --connect ws://… or wss://…")
    + all(
      ["header"], .source([.webSocket, .secureWebSocket, .exchange]), "requires --connect ws://… or wss://…")
    + all(
      ["roots"], .source([.secureWebSocket, .exchange, .secureNATS]),
      "requires --connect wss://… or tls://…; ws://… and nats://… have no certificates")
    + all(["insecure"], .source([.secureWebSocket, .exchange]), "requires --connect wss://…")
    + all(["unsubscribe"], .option("subscribe", except: "none"), "requires --subscribe with a message")
    + all(
      ["schema"], .source([.file, .socket, .webSocket, .secureWebSocket, .nats, .secureNATS]),
      "requires --replay or --connect")
    + all(["input", "speed", "loop", "from", "to", "strict"], .source([.file]), "requires --replay")
    + all(["lateness", "zone", "session"], .option("candles"), "requires --candles")
    + all(["overwrite"], .option("record"), "requires --record")
    + all(["seed", "brownian"], .simulation(), "cannot be used with $source")
    + all(["rate"], .simulation(orPolicy: "sampled"), "with $source requires --policy sampled")

  private static func all(_ options: [String], _ need: Need, _ fault: String) -> [Requirement] {
    options.map { Requirement(option: $0, need: need, fault: fault) }
  }

  /// The options that name a source.
  private static let sources = exclusions[0]

  /// The first fault of options; nil: none.
  package static func fault(in options: Options) -> String? {
    for group in exclusions {
      let given = group.filter { options[$0] != nil }
      if given.count > 1 { return "--\(given[0]) cannot be used with --\(given[1])" }
    }
    guard let unmet = requirements.first(where: { options[$0.option] != nil && !isMet($0.need, in: options) }) else {
      return nil
    }
    if options["exchange"] != nil, ["schema", "subscribe", "unsubscribe"].contains(unmet.option) {
      return "--exchange has a schema and messages of its own: pass another file to change them"
    }
    let source = sources.first { options[$0] != nil } ?? ""
    return "--\(unmet.option) \(unmet.fault.replacing("$source", with: "--\(source)"))"
  }

  /// The options of a file that those of a command line replace or exclude.
  package static func excluded(from file: Options, by given: Options) -> Set<String> {
    var excluded = Set(given.keys)
    for group in exclusions + [["json", "format"]] where group.contains(where: { given[$0] != nil }) {
      excluded.formUnion(group)
    }
    let rest = file.filter { !excluded.contains($0.key) }.merging(given) { $1 }
    for rule in requirements where !isMet(rule.need, in: rest) {
      if given.keys.contains(where: deciding(rule.need).contains) { excluded.insert(rule.option) }
    }
    return excluded
  }

  private static func isMet(_ need: Need, in options: Options) -> Bool {
    switch need {
    case .option(let name, let value): options[name].map { value == nil || $0.last != value } ?? false
    case .source(let kinds): !kinds.isDisjoint(with: SourceKind.all(in: options))
    case .simulation(let policy):
      !sources.contains { options[$0] != nil } || policy != nil && options["policy"]?.last == policy
    }
  }

  /// The options that decide whether a need is met.
  private static func deciding(_ need: Need) -> Set<String> {
    switch need {
    case .option(let name, _): Set(exclusions.first { $0.contains(name) } ?? []).union([name])
    case .source: Set(sources)
    case .simulation: Set(sources + ["policy"])
    }
  }
}

/// The kind of a source on a command line.
package enum SourceKind: Sendable, Hashable, CaseIterable {
  case file, socket, webSocket, secureWebSocket, nats, secureNATS, exchange

  /// Whether it is NATS.
  package var isNATS: Bool { self == .nats || self == .secureNATS }

  /// The kind of an address of `--connect`.
  package init(address: String) {
    let address = address.lowercased()
    let kinds: [(String, Self)] = [
      ("wss://", .secureWebSocket), ("ws://", .webSocket), ("nats://", .nats), ("tls://", .secureNATS),
    ]
    self = kinds.first { address.hasPrefix($0.0) }?.1 ?? .socket
  }

  /// The kind of a source of several: `exchange:NAME`, an address, or a file.
  package init(source: String) {
    if source.hasPrefix("exchange:") {
      self = .exchange
    } else if source.wholeMatch(of: /(?i)(tcp|ws|wss|nats|tls):\/\/.+|unix:.+|[^\/]+:\d+/) != nil {
      self.init(address: source)
    } else {
      self = .file
    }
  }

  /// The kinds of the sources of a command line.
  static func all(in options: TickerRules.Options) -> Set<Self> {
    var kinds = Set((options["connect"] ?? []).map(Self.init(address:)))
    if options["replay"] != nil { kinds.insert(.file) }
    if options["exchange"] != nil { kinds.insert(.exchange) }
    for source in options["source"] ?? [] { kinds.insert(Self(source: String(source.drop { $0 != "=" }.dropFirst()))) }
    return kinds
  }
}

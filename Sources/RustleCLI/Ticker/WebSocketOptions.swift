internal import ArgumentParser
import RustleMarket

#if WebSocket
internal import RustleWebSocket
#endif

/// The options of a WebSocket as a source of prices.
struct WebSocketOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Message that subscribes to symbols at a WebSocket: JSON with $symbols or $symbol; none: no message. "
        + "(default: {\"subscribe\":[\"BTC\",\"ETH\"]})",
      valueName: "message|none"))
  var subscribe: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Message that unsubscribes from symbols; requires --subscribe.", valueName: "message"))
  var unsubscribe: String?

  @Option(
    name: .customLong("header"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Header of the WebSocket's request. Repeatable.", valueName: "name: value"),
    transform: Self.header)
  var headers: [Header] = []

  @Option(
    help: ArgumentHelp(
      "Root certificates for a WebSocket, in PEM. (default: the system's)", valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var roots: String?

  struct Header: Sendable, Hashable {
    var name: String
    var value: String
  }

  static func isWebSocket(_ address: String) -> Bool {
    let lower = address.lowercased()
    return lower.hasPrefix("ws://") || lower.hasPrefix("wss://")
  }

  private static func header(_ text: String) throws -> Header {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      throw ValidationError("expected a header such as 'Authorization: Bearer x', got '\(text)'")
    }
    let value = text[text.index(after: colon)...].drop { $0 == " " }
    return Header(name: String(text[..<colon]), value: String(value))
  }

  /// Checks the options of a WebSocket.
  func validate(at address: String?) throws {
    for (option, isGiven) in [
      ("--subscribe", subscribe != nil), ("--unsubscribe", unsubscribe != nil), ("--header", !headers.isEmpty),
      ("--roots", roots != nil),
    ] where isGiven && !(address.map(Self.isWebSocket) ?? false) {
      throw ValidationError("\(option) requires --connect ws://… or wss://…")
    }
    if roots != nil, let address, !address.lowercased().hasPrefix("wss://") {
      throw ValidationError("--roots requires --connect wss://…; ws://… has no certificates")
    }
    if unsubscribe != nil && subscribe ?? "none" == "none" {
      throw ValidationError("--unsubscribe requires --subscribe with a message")
    }
    let names = headers.map { $0.name.lowercased() }
    if Set(names).count < names.count { throw ValidationError("--header: expected each name once, got one again") }
  }

  #if WebSocket
  /// The source of a WebSocket.
  func source(at url: String, schema: String?, restartsNumbers: Bool) throws -> FeedConfiguration {
    let subscription: WebSocketSubscription =
      switch subscribe {
      case nil: .rustle
      case "none": .none
      case let message?: .messages(subscribe: message, unsubscribe: unsubscribe)
      }
    return .webSocket(
      WebSocketFeed(
        url, schema: schema, subscription: subscription,
        headers: Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first },
        tls: WebSocketFeed.TLS(roots: roots.map { .file($0) } ?? .system), restartsNumbers: restartsNumbers))
  }
  #else
  /// Rejects a WebSocket, in a command built without WebSockets.
  func source(at url: String, schema: String?, restartsNumbers: Bool) throws -> FeedConfiguration {
    throw ValidationError("--connect: expected host:port or unix:/path, as this command was built without WebSockets")
  }
  #endif
}

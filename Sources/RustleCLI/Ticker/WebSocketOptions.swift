internal import ArgumentParser
import RustleMarket

#if WebSocket
internal import RustleWebSocket
#endif

/// How a WebSocket that prices are taken from is spoken to.
struct WebSocketOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "What a WebSocket at --connect is sent for symbols, a JSON text with $symbols or $symbol in it; none: nothing. "
        + "(default: {\"subscribe\":[\"BTC\",\"ETH\"]})",
      valueName: "message|none"))
  var subscribe: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The same for symbols that are wanted no more, with --subscribe.", valueName: "message"))
  var unsubscribe: String?

  @Option(
    name: .customLong("header"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A header of the request for a WebSocket; can be given again.", valueName: "name: value"),
    transform: Self.header)
  var headers: [Header] = []

  @Option(
    help: ArgumentHelp(
      "Certificates in PEM that a WebSocket's has to lead to. (default: those of the system)", valueName: "file"),
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

  /// Checks what belongs to a WebSocket.
  func validate(at address: String?) throws {
    for (option, isGiven) in [
      ("--subscribe", subscribe != nil), ("--unsubscribe", unsubscribe != nil), ("--header", !headers.isEmpty),
      ("--roots", roots != nil),
    ] where isGiven && !(address.map(Self.isWebSocket) ?? false) {
      throw ValidationError("\(option): expected it with --connect ws://… or wss://…, got it without")
    }
    if roots != nil, let address, !address.lowercased().hasPrefix("wss://") {
      throw ValidationError("--roots: expected it with --connect wss://…, got ws://…, which has no certificates")
    }
    if unsubscribe != nil && subscribe ?? "none" == "none" {
      throw ValidationError("--unsubscribe: expected --subscribe with a message, got none")
    }
    let names = headers.map { $0.name.lowercased() }
    if Set(names).count < names.count { throw ValidationError("--header: expected each name once, got one again") }
  }

  #if WebSocket
  /// The source at a WebSocket.
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
  /// The source at a WebSocket: none, in a command that was built without.
  func source(at url: String, schema: String?, restartsNumbers: Bool) throws -> FeedConfiguration {
    throw ValidationError("--connect: expected host:port or unix:/path, as this command was built without WebSockets")
  }
  #endif
}

#if WebSocket
internal import RustleFiles
internal import RustleMarket

/// The messages that subscribe to symbols at the peer of a ``WebSocketFeed``, sent after each connection and each change of the
/// consumers' subscriptions.
public enum WebSocketSubscription: Sendable, Hashable {
  /// No messages: the URL selects the symbols.
  case none
  /// The whole subscription, replacing the previous one: `{"subscribe":["BTC","ETH"]}`, or `{"subscribe":"all"}`.
  case rustle
  /// The changes: added symbols by `subscribe`, removed ones by `unsubscribe`.
  ///
  /// In a text, `$symbols` is replaced by a JSON array of names, `["BTC","ETH"]`: one message for all. `$symbol` is replaced by
  /// a name, escaped for a JSON string: one message for each; `$lower` by it in lower case. `$each(TEXT)` is TEXT for each name,
  /// separated by commas: one message for all. `$$` is a dollar sign. For example
  ///
  ///     {"op":"subscribe","channel":"ticker","ids":$symbols}
  ///     {"op":"subscribe","args":["ticker.$symbol"]}
  ///     {"op":"subscribe","args":[$each("$lower@trade")]}
  ///
  /// - Parameters:
  ///   - subscribe: the message for added names.
  ///   - unsubscribe: the message for removed names; nil: the peer continues to send them, and they are skipped.
  ///   - all: a message without names, for consumers of all symbols; nil: such consumers receive what the peer sends anyway.
  case messages(subscribe: String, unsubscribe: String? = nil, all: String? = nil)
}

/// Names as JSON text.
enum JSONText {
  /// An array of strings.
  static func list(_ names: [String]) -> String { "[" + names.map(string).joined(separator: ",") + "]" }

  /// The content of a string between its quotation marks. By scalars: a combining mark would join the quotation mark.
  static func inner(_ name: String) -> String { String(string(name).unicodeScalars.dropFirst().dropLast()) }

  private static func string(_ name: String) -> String {
    var text = ByteText()
    text.append(json: name)
    return text.string
  }
}

/// The subscription messages to a peer, and the subscription sent over the present connection.
struct SubscriptionMessages: Hashable, Sendable {
  private enum Way: Hashable, Sendable {
    case none
    case rustle
    case templates(subscribe: SubscriptionTemplate, unsubscribe: SubscriptionTemplate?, all: String?)
  }

  private let way: Way
  /// The subscription that was sent; nil: none yet.
  private var reported: FeedSubscription?

  /// - Throws: `FeedError.Code.malformedTemplate`.
  init(_ subscription: WebSocketSubscription) throws(FeedError) {
    switch subscription {
    case .none: way = .none
    case .rustle: way = .rustle
    case .messages(let subscribe, let unsubscribe, let all):
      var leaving: SubscriptionTemplate?
      if let unsubscribe { leaving = try SubscriptionTemplate(unsubscribe, field: "unsubscribe") }
      way = .templates(
        subscribe: try SubscriptionTemplate(subscribe, field: "subscribe"), unsubscribe: leaving, all: all)
    }
  }

  /// Begins a new connection, whose peer has no subscription.
  mutating func restart() { reported = nil }

  /// Returns the messages that change the sent subscription to this one.
  mutating func messages(for change: FeedSubscription) -> [String] {
    let before = reported
    reported = change
    guard before != change else { return [] }
    switch way {
    case .none: return []
    // Other names change nothing for a peer that sends all.
    case .rustle where change.isAll && before?.isAll == true: return []
    case .rustle: return ["{\"subscribe\":\(change.isAll ? "\"all\"" : JSONText.list(change.symbols))}"]
    case .templates(let subscribe, let unsubscribe, let all):
      let (known, wanted) = (Set(before?.symbols ?? []), Set(change.symbols))
      var messages = unsubscribe?.messages(for: (before?.symbols ?? []).filter { !wanted.contains($0) }) ?? []
      messages += subscribe.messages(for: change.symbols.filter { !known.contains($0) })
      if let all, change.isAll, before?.isAll != true { messages.append(all) }
      return messages
    }
  }
}
#endif

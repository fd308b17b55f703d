#if WebSocket
internal import Foundation
internal import RustleMarket

/// How the peer of a ``WebSocketFeed`` is told which symbols are wanted: after each connection, and whenever the consumers change
/// their wishes.
public enum WebSocketSubscription: Sendable, Hashable {
  /// Not at all: the URL says it.
  case none
  /// All that is wanted, in place of what was said before: `{"subscribe":["BTC","ETH"]}`, or `{"subscribe":"all"}`.
  case rustle
  /// What has come to be wanted by `subscribe`, what is wanted no more by `unsubscribe`.
  ///
  /// In a text `$symbols` stands for a JSON list of names, `["BTC","ETH"]`: one message for all. `$symbol` stands for a name as
  /// it is within a JSON string: a message for each. `$$` is a dollar sign. For example
  ///
  ///     {"op":"subscribe","channel":"ticker","ids":$symbols}
  ///     {"op":"subscribe","args":["ticker.$symbol"]}
  ///
  /// - Parameters:
  ///   - subscribe: the message for names that are new.
  ///   - unsubscribe: that for names that are wanted no more; nil: the peer goes on to send them, and they are passed over.
  ///   - all: a message without names, for consumers that want all; nil: such consumers get what is sent anyway.
  case messages(subscribe: String, unsubscribe: String? = nil, all: String? = nil)
}

/// The text of a message with places for names.
struct SubscriptionTemplate: Hashable {
  private enum Part: Hashable {
    case text(String)
    case symbol
    case symbols
  }

  private var parts: [Part] = []

  /// - Parameter field: what the text is, for the refusal.
  /// - Throws: `FeedError.Code.malformedTemplate`.
  init(_ text: String, field: String) throws(FeedError) {
    func refusal(_ expected: String) -> FeedError {
      FeedError(code: .malformedTemplate, message: "\(field): expected \(expected), got '\(text.prefix(80))'")
    }
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      if dollar > rest.startIndex { parts.append(.text(String(rest[..<dollar]))) }
      rest = rest[rest.index(after: dollar)...]
      // The longer one first: it begins with the other.
      if rest.hasPrefix("symbols") {
        parts.append(.symbols)
        rest = rest.dropFirst("symbols".count)
      } else if rest.hasPrefix("symbol") {
        parts.append(.symbol)
        rest = rest.dropFirst("symbol".count)
      } else if rest.hasPrefix("$") {
        parts.append(.text("$"))
        rest = rest.dropFirst()
      } else {
        throw refusal("$symbol, $symbols or $$ at each dollar sign")
      }
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    switch (parts.contains(.symbol), parts.contains(.symbols)) {
    case (false, false): throw refusal("$symbol or $symbols in it")
    case (true, true): throw refusal("one of $symbol and $symbols, not both")
    default: break
    }
  }

  /// The messages for these names: one, or one for each; none for no name.
  func messages(for symbols: [String]) -> [String] {
    if symbols.isEmpty { return [] }
    if parts.contains(.symbols) {
      let list = JSONText.list(symbols)
      return [message { _ in list }]
    }
    return symbols.map { symbol in
      let name = JSONText.inner(symbol)
      return message { _ in name }
    }
  }

  private func message(_ replacement: (Part) -> String) -> String {
    parts.map { part in
      if case .text(let text) = part { text } else { replacement(part) }
    }.joined()
  }
}

/// Names as JSON has them.
enum JSONText {
  /// A list of strings.
  static func list(_ names: [String]) -> String { "[" + names.map { "\"\(inner($0))\"" }.joined(separator: ",") + "]" }

  /// What stands between the quotation marks of a string (RFC 8259, section 7). A symbol has no control characters, but for what
  /// Unicode says is none.
  static func inner(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<"\u{20}": text += String(format: "\\u%04x", scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

/// What is said to a peer, and what it was told over the present connection.
struct SubscriptionMessages: Hashable {
  private enum Way: Hashable {
    case none
    case rustle
    case templates(subscribe: SubscriptionTemplate, unsubscribe: SubscriptionTemplate?, all: String?)
  }

  private let way: Way
  /// What the peer knows; nil: nothing yet.
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

  /// A new connection: its peer knows nothing.
  mutating func restart() { reported = nil }

  /// What is to be sent now that this is wanted.
  mutating func messages(for change: FeedSubscription) -> [String] {
    let before = reported
    reported = change
    guard before != change else { return [] }
    switch way {
    case .none: return []
    // A peer that sends all is told nothing new by other names.
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

#if WebSocket
internal import RustleMarket

/// The text of a message with placeholders for names.
struct SubscriptionTemplate: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case symbol
    case lower
    case symbols
    /// The parts for each name, separated by commas.
    case each([Part])

    var isForAll: Bool {
      switch self {
      case .symbols, .each: true
      case .text, .symbol, .lower: false
      }
    }

    var isForOne: Bool { self == .symbol || self == .lower }
  }

  private let parts: [Part]

  /// - Parameter field: the name of the text, for the error.
  /// - Throws: `FeedError.Code.malformedTemplate`.
  init(_ text: String, field: String) throws(FeedError) {
    func refusal(_ expected: String) -> FeedError {
      FeedError(code: .malformedTemplate, message: "\(field): expected \(expected), got '\(text.prefix(80))'")
    }
    guard let parts = Self.parts(of: text[...]) else {
      throw refusal("$symbol, $lower, $symbols, $each(…) or $$ at each dollar sign")
    }
    switch (parts.contains(where: \.isForOne), parts.contains(where: \.isForAll)) {
    case (false, false): throw refusal("$symbol or $symbols in it")
    case (true, true): throw refusal("one of $symbol and $symbols, not both")
    default: break
    }
    self.parts = parts
  }

  /// Returns the parts of a text; nil: a dollar sign is malformed.
  private static func parts(of text: Substring) -> [Part]? {
    var (rest, parts) = (text, [Part]())
    // The longer placeholder first: it begins with the other.
    let names: [(String, Part)] = [
      ("symbols", .symbols), ("symbol", .symbol), ("lower", .lower), ("$", .text("$")),
    ]
    while let dollar = rest.firstIndex(of: "$") {
      if dollar > rest.startIndex { parts.append(.text(String(rest[..<dollar]))) }
      rest = rest[rest.index(after: dollar)...]
      if let (name, part) = names.first(where: { rest.hasPrefix($0.0) }) {
        parts.append(part)
        rest = rest.dropFirst(name.count)
      } else if rest.hasPrefix("each("), let end = rest.firstIndex(of: ")"),
        let inner = Self.parts(of: rest[..<end].dropFirst("each(".count)), inner.contains(where: \.isForOne),
        !inner.contains(where: \.isForAll)
      {
        parts.append(.each(inner))
        rest = rest[end...].dropFirst()
      } else {
        return nil
      }
    }
    return rest.isEmpty ? parts : parts + [.text(String(rest))]
  }

  /// Returns the messages for these names: one, or one for each; none without names.
  func messages(for symbols: [String]) -> [String] {
    if symbols.isEmpty { return [] }
    if parts.contains(where: \.isForAll) { return [Self.text(of: parts, symbols)] }
    return symbols.map { Self.text(of: parts, [$0]) }
  }

  private static func text(of parts: [Part], _ symbols: [String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .symbol: JSONText.inner(symbols.first ?? "")
      case .lower: JSONText.inner((symbols.first ?? "").lowercased())
      case .symbols: JSONText.list(symbols)
      case .each(let inner): symbols.map { text(of: inner, [$0]) }.joined(separator: ",")
      }
    }.joined()
  }
}
#endif

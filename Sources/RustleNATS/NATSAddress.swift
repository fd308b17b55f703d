#if NATS
internal import Foundation
public import RustleMarket

/// Servers of NATS, and the prefix of the subjects that a feed's trades have there.
public struct NATSAddress: Sendable, Hashable {
  /// The URLs of servers: `nats://host:port`, with a user and a password, or a token, before the host. The others of a cluster are learned
  /// from the first that answers.
  public var servers: [String]
  /// The prefix: words of letters, digits, `-` and `_`, separated by dots. Trades of a symbol have the subject `PREFIX.q.SYMBOL`.
  public var prefix: String

  /// Creates an address, which is checked when it is used.
  public init(servers: [String], prefix: String) { (self.servers, self.prefix) = (servers, prefix) }

  /// Creates an address from a URL with the prefix as its path: `nats://host:port/prefix`.
  ///
  /// - Throws: ``/RustleMarket/FeedError/Code/malformedAddress``.
  public init(_ text: String) throws(FeedError) {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    self.init(servers: [parts.prefix(3).joined(separator: "/")], prefix: parts.count > 3 ? String(parts[3]) : "")
    try check()
  }

  /// The address without users and passwords.
  var origin: String {
    let names = servers.map { server in
      guard let url = URLComponents(string: server), let host = url.host else { return "nats" }
      return "\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(url.port ?? 4_222)"
    }
    return "nats://\(names.joined(separator: ","))/\(prefix)"
  }

  /// - Throws: `FeedError.Code.malformedAddress`.
  func check() throws(FeedError) {
    func refusal(_ expected: String, _ got: String) -> FeedError {
      FeedError(code: .malformedAddress, message: "address: expected \(expected), got '\(got.prefix(80))'")
    }
    if servers.isEmpty { throw refusal("nats://host:port", "") }
    for server in servers {
      guard let url = URLComponents(string: server), url.scheme?.lowercased() == "nats", url.host?.isEmpty == false,
        (1...65_535).contains(url.port ?? 4_222), ["", "/"].contains(url.path),
        url.query == nil
      else {
        // What is before the host may be a secret.
        throw refusal("nats://host:port", server.contains("@") ? "…\(server.drop { $0 != "@" })" : server)
      }
    }
    guard prefix.wholeMatch(of: /[A-Za-z0-9_\-]+(\.[A-Za-z0-9_\-]+)*/) != nil else {
      throw refusal("a prefix of letters, digits, - and _ after nats://host:port/", prefix)
    }
  }

  /// The subject of all symbols.
  var allSymbols: String { "\(prefix).q.>" }

  /// The subject of a symbol.
  func subject(of symbol: String) -> String { "\(prefix).q.\(NATSSymbol.encoded(symbol))" }

  /// The name of the prefix's stream, in which a dot may not stand.
  var stream: String { "rustle-\(prefix.replacing(".", with: "="))" }
}

/// Symbols as one word of a subject: bytes that have a meaning there, or are not ASCII, are percent-encoded.
enum NATSSymbol {
  static func encoded(_ symbol: String) -> String {
    if symbol.utf8.allSatisfy(isPlain) { return symbol }
    return symbol.utf8.map { byte in
      if isPlain(byte) { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// The symbol of a word; nil for a malformed one.
  static func decoded(_ word: some StringProtocol) -> String? { word.removingPercentEncoding }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !".*>%".utf8.contains(byte)
  }
}
#endif

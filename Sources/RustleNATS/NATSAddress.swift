#if NATS
internal import Foundation
public import RustleMarket

/// Servers of NATS, and the prefix of the subjects that a feed's trades have there.
public struct NATSAddress: Sendable, Hashable {
  /// What a server asks for. In a token, a name and a password `"`, `\` and control characters may not stand.
  public enum Credentials: Sendable, Hashable {
    /// A token.
    case token(String)
    /// A user's name and password.
    case user(String, password: String)
    /// The path of a file with a user's JWT and the seed of its NKey.
    case file(String)
  }

  /// The URLs of servers: `nats://host:port`, or `tls://host:port`, to which connections are encrypted and whose certificates have to
  /// be valid for the host. The others of a cluster are learned from the first that answers.
  public var servers: [String]
  /// The prefix: words of letters, digits, `-` and `_`, separated by dots. Trades of a symbol have the subject `PREFIX.q.SYMBOL`.
  public var prefix: String
  /// What the servers ask for; nil: nothing.
  public var credentials: Credentials?
  /// The path of a PEM file with the root certificates that are trusted instead of the system's.
  public var roots: String?

  /// Creates an address, which is checked when it is used.
  public init(servers: [String], prefix: String, credentials: Credentials? = nil, roots: String? = nil) {
    (self.servers, self.prefix) = (servers, prefix)
    (self.credentials, self.roots) = (credentials, roots)
  }

  /// Creates an address from a URL with the prefix as its path, and several servers separated by commas:
  /// `nats://host:port,host:port/prefix`.
  ///
  /// - Throws: ``/RustleMarket/FeedError/Code/malformedAddress``.
  public init(_ text: String, credentials: Credentials? = nil, roots: String? = nil) throws(FeedError) {
    // A secret may have any character.
    if text.contains("@") { throw Self.withCredentials(text) }
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let hosts = parts.count > 2 ? parts[2].split(separator: ",", omittingEmptySubsequences: false) : [""]
    self.init(
      servers: hosts.map { "\(parts[0])//\($0)" }, prefix: parts.count > 3 ? String(parts[3]) : "",
      credentials: credentials, roots: roots)
    try check()
  }

  /// Whether connections are encrypted.
  var isEncrypted: Bool { servers.contains { $0.lowercased().hasPrefix("tls://") } }

  /// The address without credentials.
  var origin: String {
    let names = servers.map { server in
      guard let url = URLComponents(string: server), let host = url.host else { return "nats" }
      return "\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(url.port ?? 4_222)"
    }
    return "\(isEncrypted ? "tls" : "nats")://\(names.joined(separator: ","))/\(prefix)"
  }

  /// - Throws: `FeedError.Code.malformedAddress`.
  func check() throws(FeedError) {
    func refusal(_ expected: String, _ got: String) -> FeedError {
      FeedError(code: .malformedAddress, message: "address: expected \(expected), got '\(got.prefix(80))'")
    }
    if servers.isEmpty { throw refusal("nats://host:port", "") }
    for server in servers {
      if server.contains("@") { throw Self.withCredentials(server) }
      guard let url = URLComponents(string: server), ["nats", "tls"].contains(url.scheme?.lowercased()),
        url.host?.isEmpty == false, (1...65_535).contains(url.port ?? 4_222), ["", "/"].contains(url.path),
        url.query == nil, !server.contains(",")
      else { throw refusal("nats://host:port or tls://host:port", server) }
    }
    if Set(servers.map { $0.lowercased().hasPrefix("tls://") }).count > 1 {
      throw refusal("servers that are all encrypted or none", servers.joined(separator: ","))
    }
    if roots != nil, !isEncrypted { throw refusal("tls://host:port for root certificates", servers[0]) }
    let secrets: [(name: String, text: String)] =
      switch credentials {
      case .token(let token): [("token", token)]
      case .user(let name, let password): [("name", name), ("password", password)]
      case .file, nil: []
      }
    // libnats writes them into JSON as they are.
    for (name, text) in secrets where text.utf8.contains(where: { $0 < 0x20 || "\"\\".utf8.contains($0) }) {
      throw FeedError(
        code: .malformedAddress, message: #"address: expected a \#(name) without ", \ and control characters"#)
    }
    guard prefix.wholeMatch(of: /[A-Za-z0-9_\-]+(\.[A-Za-z0-9_\-]+)*/) != nil else {
      throw refusal("a name of letters, digits, - and _ after nats://host:port/", prefix)
    }
  }

  /// The refusal of an address with credentials, which other users of the machine see in a command line.
  private static func withCredentials(_ text: String) -> FeedError {
    let host = text.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return FeedError(
      code: .malformedAddress, message: "address: expected credentials apart from it, got '…@\(host.prefix(80))'")
  }

  /// The subject of all symbols.
  var allSymbols: String { "\(prefix).q.>" }

  /// The subject of a symbol.
  func subject(of symbol: String) -> String { "\(prefix).q.\(NATSSymbol.encoded(symbol))" }

  /// The name of the prefix's stream, in which a dot may not stand.
  var stream: String { "rustle-\(prefix.replacing(".", with: "="))" }
}

/// Symbols as one word of a subject: bytes that have a meaning there or in JSON, or are not ASCII, are percent-encoded.
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
    (0x21...0x7E).contains(byte) && !".*>%\"\\".utf8.contains(byte)
  }
}
#endif

internal import NIOCore

/// What a trusted proxy says about a client.
///
/// A client may have sent the same headers: only what trusted proxies appended counts, which is at the end. A header that the proxy does
/// not write is passed on as the client wrote it, so only one way of saying it is read.
public struct Forwarded: Sendable, Hashable {
  /// The client's IP address; nil: the proxy names none.
  public let address: String?
  /// Whether the client uses https.
  public let isSecure: Bool

  /// - Parameters:
  ///   - list: `X-Forwarded-For`, all its lines.
  ///   - scheme: `X-Forwarded-Proto`, all its lines.
  ///   - trusted: the addresses of the proxies.
  public init(for list: String, protocol scheme: String, trusted: Set<String>) {
    address = Self.client(Self.parts(of: list, ",").map(Self.address), trusted)
    isSecure = Self.parts(of: scheme, ",").last?.lowercased() == "https"
  }

  /// - Parameters:
  ///   - header: `Forwarded` (RFC 7239), all its lines.
  ///   - trusted: the addresses of the proxies.
  public init(header: String, trusted: Set<String>) {
    let elements = Self.parts(of: header, ",").map { element in
      Self.parts(of: element, ";").map { $0.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } } }
    }
    func value(_ name: String, _ element: [[String]]) -> String? {
      element.first { $0.count == 2 && $0[0].lowercased() == name }?[1].filter { $0 != "\"" }
    }
    address = Self.client(elements.map { value("for", $0).flatMap(Self.address) }, trusted)
    isSecure = elements.last.flatMap { value("proto", $0) }?.lowercased() == "https"
  }

  /// The IP address of a text without quotes, brackets, port and zone, in its usual form; nil for other text.
  public static func address(_ text: String) -> String? {
    let text = text.filter { !$0.isWhitespace && $0 != "\"" }
    var bare = text[...]
    if text.hasPrefix("[") {
      bare = bare.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      bare = bare.prefix { $0 != ":" }
    }
    return try? SocketAddress(ipAddress: String(bare.prefix { $0 != "%" }), port: 0).ipAddress
  }

  /// The last address that is no proxy's, as each proxy appends the one before it. Before one that cannot be read nothing is known.
  private static func client(_ addresses: [String?], _ trusted: Set<String>) -> String? {
    addresses.last { $0.map { !trusted.contains($0) } ?? true } ?? addresses.first ?? nil
  }

  /// A letter of the client's that combines with the proxy's separator would hide it: no address has one.
  private static func parts(of text: String, _ separator: Character) -> [String] {
    let text = String(text.unicodeScalars.map { $0.isASCII ? Character($0) : "?" })
    return text.split(separator: separator).map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
  }
}

/// What a trusted proxy says about a client.
public struct Forwarded: Sendable, Hashable {
  /// The client's IP address; nil: the proxy does not say.
  public let address: String?
  /// Whether the client uses https.
  public let isSecure: Bool

  /// Reads the headers that the proxy in front of the server has set, or added to.
  ///
  /// A client may have sent the same headers: only what trusted proxies appended counts, which is at the end.
  ///
  /// - Parameters:
  ///   - list: `X-Forwarded-For`.
  ///   - scheme: `X-Forwarded-Proto`.
  ///   - forwarded: `Forwarded` (RFC 7239), which counts if it is there.
  ///   - trusted: the addresses of the proxies.
  public init(for list: String, protocol scheme: String, forwarded: String, trusted: Set<String>) {
    var addresses = list.split(separator: ",").map { Self.address(String($0)) }
    var schemes = scheme.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
    if !forwarded.isEmpty {
      let elements = forwarded.split(separator: ",").map { element in
        element.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } } }
      }
      func values(_ name: String) -> [String] {
        elements.compactMap { $0.first { $0.count == 2 && $0[0].lowercased() == name }?[1] }
      }
      (addresses, schemes) = (values("for").map(Self.address), values("proto").map { $0.lowercased() })
    }
    address = addresses.last { !trusted.contains($0) } ?? addresses.first
    isSecure = schemes.last == "https"
  }

  /// An address without quotes, brackets and port.
  private static func address(_ text: String) -> String {
    let text = text.filter { $0 != " " && $0 != "\"" }
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : text
  }
}

internal import HTTPTypes
internal import NIOHTTP1
internal import StudioCore

/// Reverse proxies whose headers say who the client is, and whether it uses https.
public struct TrustedProxies: Sendable, Hashable {
  /// Their IP addresses.
  public var addresses: Set<String> = []
  /// Whether they write `Forwarded` (RFC 7239); otherwise they write `X-Forwarded-For` and `X-Forwarded-Proto`. The other headers are
  /// ignored: a proxy passes on what the client wrote there.
  public var readsForwarded = false

  /// None.
  public init() {}

  /// What a peer says about the client of a request; nil: it is no trusted proxy.
  func forwarded(_ head: HTTPRequest, peer: String) -> Forwarded? {
    forwarded(peer) { name in HTTPField.Name(name).flatMap { head.headerFields[$0] } ?? "" }
  }

  /// What a peer says about the client of an upgrade; nil: it is no trusted proxy.
  func forwarded(_ head: HTTPRequestHead, peer: String) -> Forwarded? {
    forwarded(peer) { head.headers[$0].joined(separator: ", ") }
  }

  /// - Parameter lines: all lines of a header, as one.
  private func forwarded(_ peer: String, _ lines: (String) -> String) -> Forwarded? {
    guard addresses.contains(peer) else { return nil }
    if readsForwarded { return Forwarded(header: lines("Forwarded"), trusted: addresses) }
    return Forwarded(for: lines("X-Forwarded-For"), protocol: lines("X-Forwarded-Proto"), trusted: addresses)
  }
}

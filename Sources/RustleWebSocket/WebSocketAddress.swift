#if WebSocket
internal import Foundation
internal import RustleMarket

/// The parts of a WebSocket's URL (RFC 6455, section 3).
struct WebSocketAddress: Hashable {
  let isSecure: Bool
  let host: String
  let port: Int
  /// The path and the query of the request.
  let target: String
  /// The URL without its query, which may hold a secret.
  let origin: String

  /// The host of the request's header, with the port where it is not the default.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// - Throws: `FeedError.Code.malformedAddress`.
  init(_ text: String) throws(FeedError) {
    func refusal(_ expected: String) -> FeedError {
      // A query may hold a secret, and so may the user before the host.
      var shown = text.prefix { $0 != "?" }
      if let at = shown.lastIndex(of: "@") { shown = "…" + shown[at...] }
      shown = shown.prefix(80)
      return FeedError(code: .malformedAddress, message: "url: expected \(expected), got '\(shown)'")
    }
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), ["ws", "wss"].contains(scheme)
    else { throw refusal("ws://host/path or wss://host/path") }
    guard url.user == nil && url.password == nil else { throw refusal("no user in it") }
    guard url.fragment == nil else { throw refusal("no fragment in it") }
    guard let named = url.percentEncodedHost, !named.isEmpty, !named.contains("%") else {
      throw refusal("a host")
    }
    isSecure = scheme == "wss"
    guard (1...65_535).contains(url.port ?? 80) else { throw refusal("a port of 1 to 65535") }
    port = url.port ?? (isSecure ? 443 : 80)
    host = named.hasPrefix("[") && named.hasSuffix("]") ? String(named.dropFirst().dropLast()) : named
    let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
    target = path + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    let name = host.contains(":") ? "[\(host)]" : host
    origin = "\(scheme)://\(name)\(url.port.map { ":\($0)" } ?? "")\(path == "/" ? "" : path)"
  }
}
#endif

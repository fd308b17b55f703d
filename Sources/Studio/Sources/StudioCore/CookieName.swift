/// The names of the server's cookies.
public enum CookieName {
  /// What names begin with over https: browsers take such a cookie only from this host, over https, for all paths.
  private static let securePrefix = "__Host-"

  /// The name with the port of a request's host. A browser sends the cookies of all ports of a host: those of another server are not this
  /// one's.
  ///
  /// - Parameters:
  ///   - host: `Host` of the request; without a port the name has none.
  ///   - isSecure: whether the client uses https: then the cookie needs `Secure` and the path `/`.
  public static func of(_ name: String, host: String?, isSecure: Bool) -> String {
    let name = isSecure ? securePrefix + name : name
    guard let host, let colon = host.lastIndex(of: ":"), let port = UInt16(host[host.index(after: colon)...]) else {
      return name
    }
    return "\(name)_\(port)"
  }

  /// The values of a cookie in the header `Cookie`.
  ///
  /// By bytes: a letter that combines with a separator, as of a cookie that somebody planted, would hide it.
  public static func values(of name: String, in header: String?) -> [String] {
    (header ?? "").utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
      let sides = pair.drop { $0 == UInt8(ascii: " ") }.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      // A name that is empty is another one: by it a prefix as __Host- would be evaded.
      guard sides.count == 2, !sides[1].isEmpty, sides[0].elementsEqual(name.utf8) else { return nil }
      return String(decoding: sides[1], as: UTF8.self)
    }
  }
}

/// The names of the server's cookies.
public enum CookieName {
  /// The name with the port of a request's host. A browser sends the cookies of all ports of a host: those of another server are not this
  /// one's.
  ///
  /// - Parameter host: `Host` of the request; without a port the name stays as it is.
  public static func of(_ name: String, host: String?) -> String {
    guard let host, let colon = host.lastIndex(of: ":"), let port = UInt16(host[host.index(after: colon)...]) else {
      return name
    }
    return "\(name)_\(port)"
  }
}

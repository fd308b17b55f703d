/// Who may talk to the server: the checks of each request, before its route is looked at.
///
/// A page of another site can make a browser send requests here, with cookies, also to a loopback address. So the host's name, the
/// origin, and what the browser says about the request's site are checked on every route, and a token is asked for on a network.
public struct AccessRules: Sendable {
  /// What is known of a request from its head.
  public struct Head: Sendable {
    /// GET, POST and so on.
    public var method: String
    /// `Host`, with its port.
    public var host: String?
    /// `Origin`.
    public var origin: String?
    /// `Sec-Fetch-Site`.
    public var fetchSite: String?
    /// Whether `Sec-Fetch-Mode` says that a person opens the page, as by a link of another one.
    public var isNavigation = false
    /// `Content-Type`.
    public var contentType: String?
    /// The token of the cookie.
    public var cookieToken: String?
    /// Whether any cookie was sent.
    public var hasCookies = false
    /// Whether it asks for a WebSocket.
    public var isUpgrade = false

    /// A request without headers.
    public init(method: String) { self.method = method }
  }

  /// Why a request is refused.
  public enum Refusal: Error, Sendable, Hashable {
    /// The name of the host is none of the server's: 421.
    case host
    /// The request comes from another site: 403.
    case site
    /// There is no token, or another one: 401.
    case token
    /// The method is none of the server's: 405.
    case method
    /// The body is no JSON: 415.
    case contentType

    /// The HTTP status.
    public var status: Int {
      switch self {
      case .host: 421
      case .site: 403
      case .token: 401
      case .method: 405
      case .contentType: 415
      }
    }

    /// The reason for a person.
    public var message: String {
      switch self {
      case .host: "expected a host name of this server; allow others with --allow-host"
      case .site: "expected a request from this server's own page"
      case .token: "expected the token: open the address that the server printed"
      case .method: "expected one of the methods \(AccessRules.methods.joined(separator: ", "))"
      case .contentType: "expected the content type application/json"
      }
    }
  }

  /// The methods of the server's routes.
  public static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  private let hosts: Set<String>
  /// The token that requests need; nil: none.
  public let token: String?

  /// - Parameters:
  ///   - hosts: the names and addresses, without port, by which the server is reached, besides those of the loopback.
  ///   - token: what requests need; nil: nothing.
  public init(hosts: some Sequence<String>, token: String?) {
    self.hosts = Set(hosts.map { $0.lowercased() } + ["localhost", "127.0.0.1", "[::1]"])
    self.token = token
  }

  /// The reason to refuse a request; nil: none.
  public func refusal(of head: Head) -> Refusal? {
    guard let host = head.host, hosts.contains(Self.name(ofHost: host)) else { return .host }
    let isOwn = head.origin.map { $0 == "http://\(host)" || $0 == "https://\(host)" }
    let isForeign = head.fetchSite.map { $0 != "same-origin" && $0 != "none" } ?? false
    if head.isUpgrade {
      // Programs send no origin, browsers always do.
      if isForeign || isOwn == false || isOwn == nil && head.hasCookies { return .site }
    } else if isForeign, !head.isNavigation {
      return .site
    } else if head.method != "GET", head.method != "HEAD" {
      if head.isNavigation || isOwn == false { return .site }
      guard Self.methods.contains(head.method) else { return .method }
      let type = head.contentType?.split(separator: ";").first.map { $0.lowercased() }
      // A deletion has mostly no body; no form of another site sends one.
      if head.method == "DELETE", type == nil { return tokenRefusal(of: head) }
      if type?.trimmingSpaces() != "application/json" { return .contentType }
    }
    return tokenRefusal(of: head)
  }

  private func tokenRefusal(of head: Head) -> Refusal? {
    token.map { Self.isEqual(head.cookieToken ?? "", $0) } == false ? .token : nil
  }

  /// Whether a given token is the server's; false without one.
  public func accepts(_ given: String) -> Bool { token.map { Self.isEqual(given, $0) } ?? false }

  /// Whether an address is one of this machine alone, so that no token is needed.
  public static func isLoopback(_ address: String) -> Bool {
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return address == "localhost" || address == "::1" || address == "[::1]"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
  }

  /// A token of 256 bits in hexadecimal digits.
  public static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The host without its port, in lower case; of what has another form all of it, which is no name.
  private static func name(ofHost host: String) -> String {
    let host = host.lowercased()
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
    guard let end, end < host.endIndex else { return host }
    let port = host[end...].dropFirst()
    let isPort = host[end] == ":" && !port.isEmpty && port.allSatisfy { $0.isASCII && $0.isNumber }
    return isPort ? String(host[..<end]) : host
  }

  /// Compares in a time that does not depend on where they differ.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

import StudioCore
import Testing

@Suite struct AccessRulesTests {
  private typealias Head = AccessRules.Head
  private let rules = AccessRules(hosts: ["studio.local"], token: nil)

  private func head(_ method: String = "GET", _ change: (inout Head) -> Void = { _ in }) -> Head {
    var head = Head(method: method)
    head.host = "127.0.0.1:8420"
    head.contentType = "application/json"
    change(&head)
    return head
  }

  @Test(arguments: [
    "localhost", "localhost:8420", "127.0.0.1:8420", "[::1]:8420", "studio.local", "STUDIO.LOCAL:80",
  ]) func ownHostsAreAccepted(host: String) {
    #expect(rules.refusal(of: head { $0.host = host }) == nil)
  }

  @Test(arguments: [
    nil, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8420", "studio.local.", "[::2]:8420",
  ]) func otherHostsAreMisdirectedOnEveryRoute(host: String?) {
    for method in ["GET", "HEAD", "POST"] {
      #expect(rules.refusal(of: head(method) { $0.host = host }) == .host)
    }
    #expect(rules.refusal(of: head { ($0.host, $0.isUpgrade) = (host, true) }) == .host)
    #expect(AccessRules.Refusal.host.status == 421)
  }

  @Test func upgradesOfOtherOriginsAreRefused() {
    func refusal(_ origin: String?, cookies: Bool = false) -> AccessRules.Refusal? {
      rules.refusal(of: head { ($0.origin, $0.hasCookies, $0.isUpgrade) = (origin, cookies, true) })
    }
    #expect(refusal("http://127.0.0.1:8420", cookies: true) == nil && refusal("https://127.0.0.1:8420") == nil)
    // Programs send neither an origin nor cookies.
    #expect(refusal(nil) == nil && refusal(nil, cookies: true) == .site)
    for origin in ["http://evil.example", "null", "http://127.0.0.1:9000", "http://localhost:8420", ""] {
      #expect(refusal(origin) == .site, "\(origin)")
    }
  }

  @Test func upgradesOfPagesOfOtherSitesAreRefused() {
    func refusal(_ site: String?) -> AccessRules.Refusal? {
      rules.refusal(of: head { ($0.fetchSite, $0.origin, $0.isUpgrade) = (site, "http://127.0.0.1:8420", true) })
    }
    for site in [nil, "none", "same-origin"] { #expect(refusal(site) == nil) }
    for site in ["cross-site", "same-site", "same-origin, cross-site", ""] { #expect(refusal(site) == .site) }
  }

  @Test func changesFromOtherSitesAreRefused() {
    func refusal(_ site: String?, _ origin: String?) -> AccessRules.Refusal? {
      rules.refusal(of: head("POST") { ($0.fetchSite, $0.origin) = (site, origin) })
    }
    for site in [nil, "none", "same-origin"] {
      #expect(refusal(site, nil) == nil && refusal(site, "http://127.0.0.1:8420") == nil)
      #expect(refusal(site, "http://evil.example") == .site && refusal(site, "null") == .site)
    }
    for site in ["cross-site", "same-site", "other"] { #expect(refusal(site, nil) == .site) }
    // A page of another site holds no connection here; a person may follow its link, which changes nothing.
    #expect(rules.refusal(of: head { $0.fetchSite = "cross-site" }) == .site)
    #expect(rules.refusal(of: head { ($0.fetchSite, $0.isNavigation) = ("cross-site", true) }) == nil)
    #expect(
      rules.refusal(of: head("POST") { ($0.fetchSite, $0.isNavigation) = ("cross-site", true) }) == .site)
    for host in ["[::1]x.evil", "localhost:80@evil", "localhost:"] {
      #expect(rules.refusal(of: head { $0.host = host }) == .host, "\(host)")
    }
    #expect(AccessRules.Refusal.site.status == 403)
  }

  @Test func bodiesAreJSON() {
    func refusal(_ type: String?) -> AccessRules.Refusal? { rules.refusal(of: head("POST") { $0.contentType = type }) }
    #expect(refusal("application/json") == nil && refusal("Application/JSON; charset=utf-8") == nil)
    for type in [nil, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
      #expect(refusal(type) == .contentType)
    }
    #expect(AccessRules.Refusal.contentType.status == 415)
    // A deletion has mostly no body, and none of another kind.
    #expect(rules.refusal(of: head("DELETE") { $0.contentType = nil }) == nil)
    #expect(rules.refusal(of: head("DELETE") { $0.contentType = "text/plain" }) == .contentType)
    #expect(rules.refusal(of: head("DELETE") { ($0.contentType, $0.origin) = (nil, "http://evil.example") }) == .site)
    #expect(rules.refusal(of: head("PUT") { $0.contentType = nil }) == .contentType)
  }

  @Test func methodsWithoutARouteAreNotAllowed() {
    for method in ["TRACE", "OPTIONS", "PATCH", "CONNECT", "BREW", "get"] {
      #expect(rules.refusal(of: head(method)) == .method)
      #expect(rules.refusal(of: head(method) { $0.origin = "http://evil.example" }) == .site)
    }
    #expect(AccessRules.Refusal.method.status == 405)
  }

  @Test func aTokenIsNeededOnEveryRoute() {
    let token = AccessRules.newToken()
    let rules = AccessRules(hosts: ["192.168.1.20"], token: token)
    for method in ["GET", "POST", "DELETE"] {
      for given in [nil, "", String(token.dropLast()), token + "0", String(token.reversed())] {
        #expect(rules.refusal(of: head(method) { $0.cookieToken = given }) == .token)
      }
      #expect(rules.refusal(of: head(method) { $0.cookieToken = token }) == nil)
    }
    #expect(rules.accepts(token) && !rules.accepts("") && !self.rules.accepts(""))
    #expect(AccessRules.Refusal.token.status == 401)
  }

  @Test func tokensHave256RandomBits() {
    let tokens = Set((0..<100).map { _ in AccessRules.newToken() })
    #expect(tokens.count == 100 && tokens.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func loopbackAddressesNeedNoToken() {
    #expect(["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"].allSatisfy(AccessRules.isLoopback))
    #expect(
      ![
        "0.0.0.0", "192.168.1.20", "::", "127.evil.example", "127.", "127.0.0", "127.0.0.256", "127.0.0.+1",
        "example.org",
      ].contains { AccessRules.isLoopback($0) })
  }
}

import StudioCore
import Testing

@Suite struct CookieNameTests {
  @Test(
    arguments: [
      ("127.0.0.1:8420", "a_8420"), ("[::1]:8421", "a_8421"), ("studio.example.org", "a"), ("[::1]", "a"),
      ("8420", "a"),
      ("host:", "a"), ("host:70000", "a"), (nil, "a"),
    ] as [(String?, String)])
  func aNameHasThePortOfItsHostAndThePrefixOfHTTPS(host: String?, name: String) {
    #expect(CookieName.of("a", host: host, isSecure: false) == name)
    #expect(CookieName.of("a", host: host, isSecure: true) == "__Host-\(name)")
  }

  /// U+05B0 combines with what stands before it, U+0600 with what follows.
  @Test(
    arguments: [
      ("a=1", ["1"]), ("b=2; a=1;a=3", ["1", "3"]), ("a=1; a=\u{5B0}2", ["1", "\u{5B0}2"]),
      ("b=\u{600}; a=1", ["1"]), ("a=1=2", ["1=2"]), ("a", []), ("a=", []), ("aa=1; A=2", []),
      ("=a=1; ==a=2; a==3", ["=3"]), (nil, []),
    ] as [(String?, [String])])
  func everyValueOfACookieIsFound(header: String?, values: [String]) {
    #expect(CookieName.values(of: "a", in: header) == values)
  }
}

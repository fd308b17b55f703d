import StudioCore
import Testing

@Suite struct CookieNameTests {
  @Test(
    arguments: [
      ("127.0.0.1:8420", "a_8420"), ("[::1]:8421", "a_8421"), ("studio.example.org", "a"), ("[::1]", "a"),
      ("8420", "a"),
      ("host:", "a"), ("host:70000", "a"), (nil, "a"),
    ] as [(String?, String)])
  func aNameHasThePortOfItsHost(host: String?, name: String) { #expect(CookieName.of("a", host: host) == name) }
}

import StudioCore
import Testing

struct ForwardedTests {
  private func read(_ list: String = "", _ scheme: String = "", _ forwarded: String = "") -> Forwarded {
    Forwarded(for: list, protocol: scheme, forwarded: forwarded, trusted: ["10.0.0.1", "10.0.0.2"])
  }

  @Test func theLastAddressThatIsNoProxyIsTheClient() {
    #expect(read("192.0.2.1").address == "192.0.2.1" && read("192.0.2.1:4711").address == "192.0.2.1")
    #expect(read("198.51.100.9, 192.0.2.1").address == "192.0.2.1")
    #expect(read("198.51.100.9, 192.0.2.1, 10.0.0.2").address == "192.0.2.1")
    #expect(read("2001:db8::1").address == "2001:db8::1" && read("[2001:db8::1]:80").address == "2001:db8::1")
    #expect(read().address == nil && read("10.0.0.1").address == "10.0.0.1")
  }

  @Test func theStandardHeaderCountsIfItIsThere() {
    let both = read("198.51.100.9", "http", "for=\"[2001:db8::1]:4711\";proto=https;by=10.0.0.1")
    #expect(both == Forwarded(for: "2001:db8::1", protocol: "https", forwarded: "", trusted: []))
    #expect(both.isSecure && both.address == "2001:db8::1")
    #expect(read("", "", "For=198.51.100.9, FOR = 192.0.2.1 ;Proto=HTTPS").address == "192.0.2.1")
  }

  @Test func theSchemeOfTheNearestProxyCounts() {
    #expect(read("", "https").isSecure && read("", "HTTPS").isSecure && read("", "http, https").isSecure)
    #expect(!read().isSecure && !read("", "https, http").isSecure && !read("", "", "for=192.0.2.1").isSecure)
  }
}

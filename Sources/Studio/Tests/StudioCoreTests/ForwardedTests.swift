import StudioCore
import Testing

struct ForwardedTests {
  private static let proxies: Set<String> = ["10.0.0.1", "10.0.0.2"]

  private func read(_ list: String, _ scheme: String = "") -> Forwarded {
    Forwarded(for: list, protocol: scheme, trusted: Self.proxies)
  }

  private func read(header: String) -> Forwarded { Forwarded(header: header, trusted: Self.proxies) }

  @Test func theLastAddressThatIsNoProxyIsTheClient() {
    #expect(read("192.0.2.1").address == "192.0.2.1" && read("192.0.2.1:4711").address == "192.0.2.1")
    #expect(read("198.51.100.9, 192.0.2.1").address == "192.0.2.1")
    #expect(read("198.51.100.9, 192.0.2.1, 10.0.0.2").address == "192.0.2.1")
    #expect(read("2001:db8::1").address == "2001:db8::1" && read("[2001:db8::1]:80").address == "2001:db8::1")
    #expect(read("").address == nil && read(" , ").address == nil && read("10.0.0.1").address == "10.0.0.1")
  }

  @Test func theStandardHeaderSaysTheSame() {
    let both = read(header: "for=\"[2001:db8::1]:4711\";proto=https;by=10.0.0.1")
    #expect(both == read("2001:db8::1", "https") && both.isSecure && both.address == "2001:db8::1")
    #expect(read(header: "For=198.51.100.9, FOR = 192.0.2.1 ;Proto=\"HTTPS\"") == read("192.0.2.1", "https"))
    #expect(read(header: "for=198.51.100.9;proto=https, for=192.0.2.1, for=10.0.0.2;proto=http").address == "192.0.2.1")
    // The nearest proxy names nobody: what stands before is the client's own.
    #expect(read(header: "for=198.51.100.9;proto=https, by=10.0.0.1") == read("", ""))
  }

  @Test func whatIsNoAddressIsNobody() {
    let texts = [
      "unknown", "_hidden", "made-up-1", "1.2.3", "0x7f.1", "300.0.0.1", "[", "::g", "/tmp/socket",
      "192.0.2.1 192.0.2.2",
      String(repeating: "a", count: 4_000),
    ]
    for text in texts {
      #expect(read(text).address == nil && read("198.51.100.9, \(text)").address == nil, "\(text.prefix(20))")
      #expect(read(header: "for=\"\(text)\"").address == nil, "\(text.prefix(20))")
      #expect(read(header: "for=198.51.100.9, for=\(text)").address == nil, "\(text.prefix(20))")
    }
    #expect(Forwarded.address("2001:0DB8:0::1%eth0") == "2001:db8::1" && Forwarded.address("[::1") == "::1")
  }

  /// U+0600 combines with what follows, U+05B0 with what stands before it.
  @Test(arguments: ["\u{600}", "\u{5B0}", "\u{200D}", "\u{110BD}"]) func noLetterHidesWhatAProxyAppends(letter: String)
  {
    for text in ["198.51.100.9, \(letter)", "198.51.100.9\(letter)", letter] {
      #expect(read("\(text), 192.0.2.1").address == "192.0.2.1" && read("\(text),192.0.2.1").address == "192.0.2.1")
      #expect(read(header: "for=198.51.100.9;x=\(text), for=192.0.2.1").address == "192.0.2.1")
      #expect(read(header: "for=198.51.100.9;x=\(text),for=192.0.2.1;proto=http").address == "192.0.2.1")
    }
    #expect(!read("", "https\(letter),http").isSecure && !read(header: "proto=https;x=\(letter),proto=http").isSecure)
  }

  @Test func theSchemeOfTheNearestProxyCounts() {
    #expect(read("", "https").isSecure && read("", "HTTPS").isSecure && read("", "http, https").isSecure)
    #expect(!read("", "").isSecure && !read("", "https, http").isSecure && !read(header: "for=192.0.2.1").isSecure)
    #expect(!read(header: "proto=https, for=192.0.2.1;proto=http").isSecure)
  }
}

#if NATS
import Foundation
import RustleNATS
import TestSupport
import Testing

/// Servers that are encrypted, and that ask for credentials.
@Suite(.releasesNativeObjects) struct NATSSecurityTests {
  /// Publishes a trade at an address and reads it there.
  private static func passesATrade(at address: NATSAddress) async throws {
    let source = try await NATSRun.Source(NATSPublisher(address))
    var reader = try await NATSRun.Reader(NATSFeed(address))
    try await reader.state(NATSRun.isConnected)
    try await source.push(NATSRun.trades(0..<1))
    #expect(try await reader.next() == NATSRun.trade(0))
    #expect(try await source.end().failed == 0)
    await reader.feed.shutDown()
  }

  /// The reason why there is no connection.
  private static func refusal(at address: NATSAddress) async throws -> String? {
    let feed = try MarketFeed(.nats(NATSFeed(address, reconnectWait: .milliseconds(10))))
    let states = try await feed.connectionStates()
    try await feed.run()
    var refusal: String?
    loop: for await case .value(let state) in states {
      switch state {
      case .connected: break loop
      case .reconnecting(_, _, let reason), .closed(let reason?):
        refusal = reason
        break loop
      default: continue
      }
    }
    await feed.shutDown()
    return refusal
  }

  @Test func anEncryptedServerHasToHaveATrustedCertificateOfItsHost() async throws {
    let folder = try ScratchFolder()
    let (certificate, key) = (folder.url.appending(path: "c.pem").path, folder.url.appending(path: "k.pem").path)
    try Data(TestCertificate.certificate.utf8).write(to: URL(filePath: certificate))
    try Data(TestCertificate.key.utf8).write(to: URL(filePath: key))
    let server = try NATSServer("--tls", "--tlscert", certificate, "--tlskey", key)
    try await Self.passesATrade(at: NATSAddress("tls://localhost:\(server.port)/p", roots: certificate))
    // The system does not trust it; it is not of this host; a client does not encrypt; there are no such roots.
    for address in [
      try NATSAddress("tls://localhost:\(server.port)/p"),
      try NATSAddress("tls://127.0.0.1:\(server.port)/p", roots: certificate),
      try NATSAddress("nats://localhost:\(server.port)/p"),
      try NATSAddress("tls://localhost:\(server.port)/p", roots: key),
    ] {
      #expect(try await Self.refusal(at: address) != nil, "\(address.servers)")
    }
  }

  @Test(arguments: [
    (["--user", "a", "--pass", "b:c"], NATSAddress.Credentials.user("a", password: "b:c")),
    (["--auth", "secret"], .token("secret")),
  ]) func aServerAsksForCredentials(options: [String], credentials: NATSAddress.Credentials) async throws {
    let server = try NATSServer(options: options)
    let address = NATSAddress(servers: [server.url], prefix: "p", credentials: credentials)
    try await Self.passesATrade(at: address)
    for wrong in [nil, NATSAddress.Credentials.user("a", password: "b"), .token("c")] {
      var address = address
      address.credentials = wrong
      #expect(try await Self.refusal(at: address) != nil)
    }
  }

  @Test func whatIsNotPublishedForWantOfCredentialsSaysSo() async throws {
    let server = try NATSServer(options: ["--auth", "secret"])
    let address = NATSAddress(servers: [server.url], prefix: "p", credentials: .token("other"))
    let source = try await NATSRun.Source(NATSPublisher(address))
    try await source.push(NATSRun.trades(0..<1))
    let counts = try await source.end()
    #expect(counts.failed == 1 && counts.reason?.lowercased().contains("authorization") == true, "\(counts)")
  }

  /// libnats writes them into JSON as they are, which servers do not read.
  @Test(arguments: ["a\"b", "a\\b", "a\tb", "a\u{1}b"]) func credentialsThatNoServerReadsAreRefused(text: String) {
    for credentials in [NATSAddress.Credentials.token(text), .user(text, password: "p"), .user("u", password: text)] {
      let error = #expect(throws: FeedError.self) { try NATSAddress("nats://a/p", credentials: credentials) }
      #expect(error?.code == .malformedAddress && error?.message.contains(text) == false)
    }
  }

  /// A user signs the server's nonce with the seed of the file, whose JWT the account has signed, and that of the account the operator.
  @Test func aServerOfAnOperatorAsksForAUsersCredentials() async throws {
    let folder = try ScratchFolder()
    let configuration = """
      operator: "\(TestCredentials.operatorToken)"
      resolver: MEMORY
      resolver_preload: { \(TestCredentials.account): "\(TestCredentials.accountToken)" }
      authorization { timeout: 60 }
      """
    let server = try NATSServer(
      options: ["-c", try folder.write(Data(configuration.utf8), as: "server.conf")], hasStore: false)
    func address(_ credentials: String?) throws -> NATSAddress {
      let file = try credentials.map { try folder.write(Data($0.utf8), as: "\($0.hashValue).creds") }
      return NATSAddress(servers: [server.url], prefix: "p", credentials: file.map { .file($0) })
    }
    try await Self.passesATrade(at: address(TestCredentials.user))
    let (user, stranger) = (TestCredentials.user, TestCredentials.stranger)
    let (token, seed) = (user.prefix { $0 != "\n" }, "-----BEGIN USER")
    // None; of an account that the operator has not signed; the seed of another user; no file of credentials.
    let mixed = try #require(user.range(of: seed)).lowerBound
    let others = try #require(stranger.range(of: seed)).lowerBound
    let wrongs: [String?] = [nil, stranger, String(user[..<mixed] + stranger[others...]), String(token)]
    for wrong in wrongs {
      #expect(try await Self.refusal(at: address(wrong)) != nil, "\(wrong?.prefix(80) ?? "")")
    }
  }

  /// It used to end a subscription for good, as what a server says of a connection that it has taken did.
  @Test(arguments: [("Authentication Timeout", false), ("maximum subscriptions exceeded", true)], [false, true])
  func aServerThatEndsAConnectionIsAskedAgain(reason: (String, Bool), later: Bool) async throws {
    let server = try NATSServer()
    func end() throws -> Process { try server.endConnection(reason.0, isAnswered: reason.1) }
    if !later { server.kill() }
    let first = later ? nil : try end()
    let reader = try await NATSRun.Reader(NATSFeed(server.address(), reconnectWait: .milliseconds(10)))
    if later {
      try await reader.state(NATSRun.isConnected)
      server.kill()
    }
    let other = try first ?? end()
    other.waitUntilExit()
    try server.restart()
    let source = try await NATSRun.Source(NATSPublisher(server.address()))
    // Its newest is sent again until it is read.
    try await source.push(NATSRun.trades(0..<1))
    var trades = reader
    #expect(try await trades.next() == NATSRun.trade(0))
    #expect(try await source.end().failed == 0)
    await reader.feed.shutDown()
  }

  /// It says so, which is no refusal for good.
  @Test func aServerThatIsFullIsAskedAgain() async throws {
    let folder = try ScratchFolder()
    let server = try NATSServer("-c", try folder.write(Data("max_connections: 1".utf8), as: "server.conf"))
    let first = try await NATSRun.Reader(NATSFeed(server.address()))
    try await first.state(NATSRun.isConnected)
    let second = try await NATSRun.Reader(NATSFeed(server.address(), reconnectWait: .milliseconds(10)))
    try await second.state(NATSRun.isLost)
    await first.feed.shutDown()
    try await second.state(NATSRun.isConnected)
    await second.feed.shutDown()
  }
}
#endif

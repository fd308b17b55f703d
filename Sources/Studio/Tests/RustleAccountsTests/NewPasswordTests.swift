import Foundation
import Testing

@testable import RustleAccounts

struct NewPasswordTests {
  @Test func aNewPasswordEndsOtherSessions() async throws {
    let test = try await TestAccounts()
    let (first, other) = (try await test.register(), try await test.logIn())
    func change(_ current: String, _ new: String) async throws -> Accounts.Login {
      try await test.accounts.changePassword(from: current, to: new, first, client: test.client)
    }
    #expect(await refusal { try await change("another password", "analytical engine") } == .credentials)
    #expect(await refusal { try await change(TestAccounts.password, "password") } == .validation)
    let login = try await change(TestAccounts.password, "analytical engine")
    #expect(try await test.accounts.signedIn(token: other.token) == nil)
    #expect(try await test.accounts.sessions(first).map(\.id) == [login.session.id])
    #expect(await refusal { try await test.logIn() } == .credentials)
    _ = try await test.logIn("analytical engine")
  }

  @Test func whatWasVerifiedBeforeAResetOpensNothing() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let verified = try #require(try await test.accounts.store.account(id: first.account.id))
    let token = try await test.accounts.resetToken(onTerminalFor: "ada@example.org")
    try await test.accounts.resetPassword(token: token, password: "analytical engine", from: test.client)
    // A login under way: its new hash replaces nothing, and its session does not begin.
    try await test.accounts.store.replaceHash("a hash of the old password", of: verified)
    let session = test.accounts.makeSession(verified, test.client).session
    let old = LoginProof.password(generation: verified.generation)
    #expect(
      await refusal { try await test.accounts.store.insert(session, by: old, replacing: nil, noting: .test) }
        == .credentials)
    #expect(try await test.accounts.sessions(first).isEmpty)
    _ = try await test.logIn("analytical engine")
  }

  @Test func aLinkSetsThePasswordOnce() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let sent = try await [
      test.accounts.resetToken(address: "ADA@example.org", from: test.client),
      test.accounts.resetToken(address: "ada@example.org", from: test.client),
    ]
    let tokens = sent.compactMap { $0?.token }
    #expect(tokens.count == 2 && sent.allSatisfy { $0?.address == "Ada@example.org" })
    func reset(_ token: String, _ password: String = "analytical engine") async throws {
      try await test.accounts.resetPassword(token: token, password: password, from: test.client)
    }
    // A password that is refused does not use the link.
    #expect(await refusal { try await reset(tokens[0], "password") } == .validation)
    #expect(await refusal { try await reset("nonsense") } == .link)
    try await reset(tokens[0])
    for token in tokens { #expect(await refusal { try await reset(token) } == .link) }
    #expect(try await test.accounts.sessions(first).isEmpty)
    _ = try await test.logIn("analytical engine")
  }

  @Test func aLinkHoldsForHalfAnHour() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let token = try await test.accounts.resetToken(onTerminalFor: "ada@example.org")
    test.clock.advance(by: 30 * 60)
    #expect(
      await refusal {
        try await test.accounts.resetPassword(token: token, password: "analytical engine", from: test.client)
      } == .link)
    #expect(await refusal { try await test.accounts.resetToken(onTerminalFor: "bob@example.org") } == .notFound)
  }

  @Test func aResetTakesWhatOthersLinked() async throws {
    let test = try await TestAccounts()
    let theirs = Identity(issuer: "https://p.example", subject: "eve")
    try await test.accounts.link(theirs, try await test.register(), from: test.client)
    func reset(_ address: String) async throws -> Int {
      let token = try await test.accounts.resetToken(address: address, from: test.client)?.token
      return try await test.accounts.resetPassword(
        token: try #require(token), password: "analytical engine", from: test.client
      ).removed
    }
    #expect(try await reset("ada@example.org") == 1)
    let login = try await test.logIn("analytical engine")
    let ada = Accounts.SignedIn(account: login.account, session: login.session)
    #expect(try await test.accounts.identities(ada).isEmpty)
    #expect(login.account.isVerified)
    #expect(
      try await test.accounts.audit(ada).suffix(3).map(\.what) == ["password reset", "providers removed", "login"])
    // Theirs is another account from now on.
    #expect(try await test.accounts.logIn(theirs, address: nil, from: test.client).account.id != ada.account.id)
  }

  /// Who had a session of it may have linked theirs, and it has a password from now on.
  @Test func aResetTakesThemFromAnAccountOfAProviderToo() async throws {
    let test = try await TestAccounts()
    let own = Identity(issuer: "https://p.example", subject: "bob")
    let bob = try await test.accounts.logIn(own, address: "bob@example.org", from: test.client)
    #expect(bob.isNew && bob.account.isVerified)
    let theirs = Identity(issuer: "https://p.example", subject: "eve")
    try await test.accounts.link(
      theirs, Accounts.SignedIn(account: bob.account, session: bob.session), from: test.client)
    let token = try await test.accounts.resetToken(address: "bob@example.org", from: test.client)?.token
    let done = try await test.accounts.resetPassword(
      token: try #require(token), password: "analytical engine", from: test.client)
    #expect((done.account.id, done.removed) == (bob.account.id, 2))
    for identity in [own, theirs] {
      #expect(try await test.accounts.logIn(identity, address: nil, from: test.client).account.id != bob.account.id)
    }
  }

  @Test func aLinkOfTheTerminalVerifiesNoAddress() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    #expect(!ada.account.isVerified)
    let token = try await test.accounts.resetToken(onTerminalFor: "ada@example.org")
    _ = try await test.accounts.resetPassword(token: token, password: "analytical engine", from: test.client)
    let login = try await test.logIn("analytical engine")
    #expect(!login.account.isVerified)
  }
}

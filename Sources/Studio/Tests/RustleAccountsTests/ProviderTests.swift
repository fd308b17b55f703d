import Foundation
import Testing

@testable import RustleAccounts

struct ProviderTests {
  private static let now = 1_800_000_000.0

  private func provider(_ change: [String: Any] = [:]) throws -> IdentityProvider {
    var fields: [String: Any] = ["name": "P", "issuer": "https://p.example/o", "client": "studio", "secret": "s"]
    fields.merge(change) { $1 }
    return try JSONDecoder().decode(IdentityProvider.self, from: JSONSerialization.data(withJSONObject: fields))
  }

  private func fault(_ change: [String: Any] = [:]) throws -> String? {
    var fields: [String: Any] = [
      "iss": "https://p.example/o", "sub": "7", "aud": "studio", "exp": Self.now + 300, "iat": Self.now, "nonce": "n",
    ]
    fields.merge(change) { $1 }
    fields = fields.filter { !($0.value is NSNull) }
    let claims = try JSONDecoder().decode(IDTokenClaims.self, from: JSONSerialization.data(withJSONObject: fields))
    return claims.fault(of: try provider(), nonce: "n", now: Self.now)
  }

  @Test func claimsAreChecked() throws {
    #expect(try fault() == nil && fault(["aud": ["studio"], "azp": "studio"]) == nil)
    #expect(try fault(["aud": ["other", "studio"], "azp": "studio"]) == nil)
    for issuer in ["https://p.example/o/", "https://p.example", "http://p.example/o", ""] {
      #expect(try fault(["iss": issuer]) == "iss", "\(issuer)")
    }
    #expect(try fault(["aud": "other"]) == "aud" && fault(["aud": [String]()]) == "aud")
    #expect(try fault(["aud": ["studio", "other"]]) == "azp" && fault(["azp": "other"]) == "azp")
    #expect(try fault(["exp": Self.now - 60]) == "exp" && fault(["exp": Self.now - 59]) == nil)
    #expect(try fault(["iat": Self.now + 61]) == "iat" && fault(["iat": Self.now - 61]) == "iat")
    #expect(try fault(["iat": Self.now + 60]) == nil && fault(["iat": Self.now - 60]) == nil)
    #expect(try fault(["nonce": "m"]) == "nonce" && fault(["nonce": NSNull()]) == "nonce")
    #expect(try fault(["sub": ""]) == "sub" && fault(["sub": String(repeating: "x", count: 256)]) == "sub")
    #expect(try fault(["sub": "7\0"]) == "sub" && fault(["sub": "\u{E9}"]) == "sub")
    for missing in ["iss", "sub", "aud", "exp", "iat"] {
      #expect(throws: (any Error).self, "\(missing)") { try fault([missing: NSNull()]) }
    }
  }

  @Test func configurationsThatAreNotSafeAreRefused() throws {
    #expect(try provider().algorithm == "RS256" && provider(["issuer": "http://127.0.0.1:9/o"]).scopes == ["email"])
    for change in [
      ["algorithm": "HS256"], ["algorithm": "none"], ["issuer": "http://p.example/o"], ["issuer": "p.example"],
    ] {
      #expect(throws: AccountRefusal.self, "\(change)") { try provider(change) }
    }
  }

  @Test func theExampleOfThePageIsAConfiguration() throws {
    var folder = URL(filePath: #filePath)
    for _ in 0..<5 { folder.deleteLastPathComponent() }
    let page = try String(contentsOf: folder.appending(path: "docs/accounts.md"), encoding: .utf8)
    let example = try #require(page.split(separator: "```json").last?.split(separator: "```").first)
    let providers = try JSONDecoder().decode([String: IdentityProvider].self, from: Data(example.utf8))
    #expect(providers["google"]?.endpoints == nil && providers["google"]?.algorithm == "RS256")
    #expect(providers["facebook"]?.endpoints?.token.hasPrefix("https://graph.facebook.com/") == true)
    #expect(providers["google"]?.authentication == .basic && providers["facebook"]?.authentication == .post)
  }

  @Test func aSignInIsOfOneBrowserAndOnce() {
    let clock = TestClock()
    let logins = PendingLogins(now: { clock.now })
    let (cookie, login) = logins.begin(provider: "p", returnPath: nil, account: nil)
    #expect(Set([cookie, login.state, login.nonce, login.verifier]).count == 4 && login.verifier.utf8.count == 43)
    #expect(logins.end(cookie: nil, state: login.state) == nil && logins.end(cookie: "x", state: login.state) == nil)
    #expect(logins.end(cookie: cookie, state: login.state) == login)
    #expect(logins.end(cookie: cookie, state: login.state) == nil)
    // A forged state ends the sign-in.
    let second = logins.begin(provider: "p", returnPath: nil, account: nil)
    #expect(logins.end(cookie: second.cookie, state: login.state) == nil)
    #expect(logins.end(cookie: second.cookie, state: second.login.state) == nil)
    let late = logins.begin(provider: "p", returnPath: nil, account: nil)
    clock.advance(by: PendingLogins.lifetime)
    #expect(logins.end(cookie: late.cookie, state: late.login.state) == nil)
  }

  @Test func theChallengeIsThatOfRFC7636() {
    // Appendix B.
    let bytes = Data("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".utf8)
    #expect(Sodium.sha256(bytes).base64URL == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func onlyPathsOfThisServerAreReturnedTo() {
    for path in ["/", "/#/equalizer", "/a?b=c"] { #expect(PendingLogins.safePath(path) == path) }
    for path in [
      "", "//evil.example", "/\\evil.example", "https://evil.example", "evil", "/\r\nX: y", "/ a", "/\u{E9}",
    ] {
      #expect(PendingLogins.safePath(path) == nil, "\(path)")
    }
  }

  @Test func anIdentityIsNoAddress() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let (first, second) = (
      Identity(issuer: "https://p.example", subject: "1"), Identity(issuer: "https://q.example", subject: "1")
    )
    // The same address as an account's does not open it.
    #expect(
      await refusal { try await test.accounts.logIn(first, address: "ada@example.org", from: test.client) } == .taken)
    try await test.accounts.link(first, ada, from: test.client)
    #expect(try await test.accounts.logIn(first, address: nil, from: test.client).account.id == ada.account.id)
    let other = try await test.accounts.logIn(second, address: nil, from: test.client)
    #expect(other.account.address == "1@q.example" && other.account.id != ada.account.id && !other.account.hasPassword)
    #expect(
      try await test.accounts.logIn(second, address: "x@example.org", from: test.client).account.id == other.account.id)
    let stranger = Accounts.SignedIn(account: other.account, session: other.session)
    #expect(await refusal { try await test.accounts.link(first, stranger, from: test.client) } == .taken)
    try await test.accounts.link(second, stranger, from: test.client)
    #expect(try await test.accounts.identities(stranger) == [second])
    let longer = Identity(issuer: first.issuer, subject: first.subject + "\0")
    #expect(await refusal { try await test.accounts.logIn(longer, address: nil, from: test.client) } == .validation)
    #expect(await refusal { try await test.accounts.link(longer, ada, from: test.client) } == .validation)
    // Without a password nobody signs in by one, and a link for one goes to no label: the owner of such a mailbox is somebody else.
    #expect(await refusal { try await test.logIn("", "1@q.example") } == .credentials)
    #expect(try await test.accounts.resetToken(address: "1@q.example", from: test.client) == nil)
    let changed = try await test.accounts.changePassword(
      from: "", to: "analytical engine", stranger, client: test.client)
    #expect(try await test.logIn("analytical engine", "1@q.example").account.id == changed.account.id)
    #expect(try await test.accounts.resetToken(address: "1@q.example", from: test.client) == nil)
    #expect(!test.accounts.admitsNotice(to: changed.account) && test.accounts.admitsNotice(to: ada.account))
    let named = Identity(issuer: first.issuer, subject: "2")
    _ = try await test.accounts.logIn(named, address: "bob@example.org", from: test.client)
    #expect(try await test.accounts.resetToken(address: "bob@example.org", from: test.client) != nil)
  }

  @Test func nobodyKeepsAnIdentityOutByRegisteringItsLabel() async throws {
    let test = try await TestAccounts()
    let stranger = try await test.register("1@p.example")
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let login = try await test.accounts.logIn(identity, address: nil, from: test.client)
    #expect(login.isNew && login.account.id != stranger.account.id)
    #expect(login.account.address == "\(login.account.handle)@p.example")
    #expect(try await test.accounts.logIn(identity, address: nil, from: test.client).account.id == login.account.id)
  }

  @Test func twoFirstSignInsAtOnceAreOfOneAccount() async throws {
    let test = try await TestAccounts { $0.limits[.signUp] = RateLimit(burst: 200, period: 1) }
    for subject in 0..<10 {
      let identity = Identity(issuer: "https://p.example", subject: "\(subject)")
      let logins = try await withThrowingTaskGroup(of: Accounts.Login.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await test.accounts.logIn(identity, address: "\(subject)@example.org", from: test.client)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(logins.map(\.account.id)).count == 1 && logins.count(where: \.isNew) == 1)
    }
  }

  @Test func anAccountWithoutAPasswordIsChangedSoonAfterTheSignIn() async throws {
    let test = try await TestAccounts()
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let login = try await test.accounts.logIn(identity, address: "bob@example.org", from: test.client)
    let signedIn = Accounts.SignedIn(account: login.account, session: login.session)
    func setPassword(_ signedIn: Accounts.SignedIn) async -> AccountRefusal.Code? {
      await refusal {
        try await test.accounts.changePassword(from: "", to: "analytical engine", signedIn, client: test.client)
      }
    }
    test.clock.advance(by: 601)
    #expect(await refusal { try await test.accounts.delete(password: "", signedIn, from: test.client) } == .credentials)
    // A first password is a new way in.
    #expect(await setPassword(signedIn) == .credentials)
    // Of a clock that was set back the sign-in is not of the last minutes either.
    test.clock.advance(by: -1_300)
    #expect(await setPassword(signedIn) == .credentials)
    test.clock.advance(by: 1_300)
    #expect(
      await refusal { try await test.accounts.confirm(password: "", signedIn, from: test.client) } == .credentials)
    let fresh = try await test.accounts.logIn(identity, address: nil, from: test.client)
    let other = try await test.accounts.logIn(
      Identity(issuer: identity.issuer, subject: "2"), address: nil, from: test.client)
    #expect(await setPassword(Accounts.SignedIn(account: other.account, session: other.session)) == nil)
    try await test.accounts.confirm(
      password: "", Accounts.SignedIn(account: fresh.account, session: fresh.session), from: test.client)
    let again = try await test.accounts.logIn(identity, address: nil, from: test.client)
    try await test.accounts.delete(
      password: "", Accounts.SignedIn(account: again.account, session: again.session), from: test.client)
    #expect(try await test.accounts.store.account(identity: identity) == nil)
  }

  @Test func aSessionThatHasEndedChangesNoWaysOfSigningIn() async throws {
    let test = try await TestAccounts()
    let (kept, late) = (
      Identity(issuer: "https://p.example", subject: "1"), Identity(issuer: "https://p.example", subject: "2")
    )
    let owner = try await test.register()
    // Read before the reset, and written after it.
    let thief = try await test.logIn()
    let token = try await test.accounts.resetToken(onTerminalFor: owner.account.address)
    try await test.accounts.resetPassword(token: token, password: "analytical engine", from: test.client)
    let ended = Accounts.SignedIn(account: thief.account, session: thief.session)
    #expect(await refusal { try await test.accounts.link(late, ended, from: test.client) } == .signedOut)
    let login = try await test.logIn("analytical engine")
    let ada = Accounts.SignedIn(
      account: try #require(try await test.accounts.signedIn(token: login.token)).account, session: login.session)
    try await test.accounts.link(kept, ada, from: test.client)
    #expect(await refusal { try await test.accounts.unlink(kept, ended, from: test.client) } == .signedOut)
    #expect(try await test.accounts.identities(ada) == [kept])
  }

  @Test func theLastWayOfSigningInIsNotRemoved() async throws {
    let test = try await TestAccounts()
    let one = Identity(issuer: "https://p.example", subject: "1")
    let two = Identity(issuer: "https://p.example", subject: "2")
    let login = try await test.accounts.logIn(one, address: nil, from: test.client)
    let ada = Accounts.SignedIn(account: login.account, session: login.session)
    func remove(_ identity: Identity) async -> AccountRefusal.Code? {
      await refusal { try await test.accounts.unlink(identity, ada, from: test.client) }
    }
    #expect(await remove(one) == .conflict)
    try await test.accounts.link(two, ada, from: test.client)
    #expect(await remove(one) == nil)
    #expect(await remove(one) == .notFound)
    #expect(await remove(two) == .conflict)
    #expect(try await test.accounts.identities(ada) == [two])
    // Nor is another account's, and with a password the last one is no last way.
    let bob = try await test.register("bob@example.org")
    #expect(await refusal { try await test.accounts.unlink(two, bob, from: test.client) } == .notFound)
    try await test.accounts.link(one, bob, from: test.client)
    try await test.accounts.unlink(one, bob, from: test.client)
    #expect(try await test.accounts.identities(bob).isEmpty)
  }
}

import Foundation
import Synchronization
import Testing

@testable import RustleAccounts

struct SessionTests {
  @Test func sessionsEndWithDisuseAndAge() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let (idle, used) = (try await test.logIn(), try await test.logIn())
    test.clock.advance(by: 13 * 86_400)
    #expect(try await test.accounts.signedIn(token: used.token) != nil)
    test.clock.advance(by: 86_400)
    #expect(try await test.accounts.signedIn(token: idle.token) == nil)
    for _ in 0..<7 {
      #expect(try await test.accounts.signedIn(token: used.token) != nil)
      test.clock.advance(by: 10 * 86_400)
    }
    #expect(try await test.accounts.signedIn(token: used.token) != nil)
    test.clock.advance(by: 6 * 86_400)
    #expect(try await test.accounts.signedIn(token: used.token) == nil)
    try await test.accounts.sweep()
    #expect(try await test.accounts.store.sessions(of: used.account.id).isEmpty)
  }

  @Test func aSessionThatListensIsInUse() async throws {
    let test = try await TestAccounts()
    let (ada, idle) = (try await test.register(), try await test.logIn())
    let id = try await test.accounts.subscribe(ada) { _ in }
    for _ in 0..<20 {
      test.clock.advance(by: 86_400)
      try await test.accounts.sweep()
    }
    #expect(try await test.accounts.sessions(ada).map(\.id) == [ada.session.id] && id != nil)
    #expect(try await test.accounts.signedIn(token: idle.token) == nil)
  }

  @Test func aSessionThatIsOverIsNotRevivedByItsListener() async throws {
    let test = try await TestAccounts { $0.idleTime = 300 }
    let login = try await test.accounts.register(
      address: "ada@example.org", password: TestAccounts.password, from: test.client)
    let ended = Mutex(0)
    let ada = Accounts.SignedIn(account: login.account, session: login.session)
    _ = try await test.accounts.subscribe(ada) { if $0 == .ended { ended.withLock { $0 += 1 } } }
    test.clock.advance(by: 299)
    try await test.accounts.sweep()
    test.clock.advance(by: 299)
    #expect(try await test.accounts.signedIn(token: login.token) != nil && ended.withLock { $0 } == 0)
    test.clock.advance(by: 300)
    #expect(try await test.accounts.signedIn(token: login.token) == nil)
    try await test.accounts.sweep()
    #expect(try await test.accounts.signedIn(token: login.token) == nil && ended.withLock { $0 } == 1)
  }

  @Test func aShortIdleTimeCountsFromTheLastUse() async throws {
    let test = try await TestAccounts { $0.idleTime = 40 }
    _ = try await test.register()
    let login = try await test.logIn()
    for _ in 0..<4 {
      test.clock.advance(by: 30)
      #expect(try await test.accounts.signedIn(token: login.token) != nil)
    }
    test.clock.advance(by: 40)
    #expect(try await test.accounts.signedIn(token: login.token) == nil)
  }

  @Test func anAccountHasSoManySessions() async throws {
    let test = try await TestAccounts { $0.limits[.network] = RateLimit(burst: 1_000, period: 1) }
    _ = try await test.register()
    var logins: [Accounts.Login] = []
    for _ in 0..<Accounts.maximumSessionCount {
      test.clock.advance(by: 1)
      logins.append(try await test.logIn())
    }
    // The first one is in use, and listens; the second one is not.
    test.clock.advance(by: 100)
    let first = try #require(try await test.accounts.signedIn(token: logins[0].token))
    let heard = Mutex<[AccountEvent]>([])
    let second = Accounts.SignedIn(account: logins[1].account, session: logins[1].session)
    _ = try await test.accounts.subscribe(second) { event in heard.withLock { $0.append(event) } }
    // Also one of a clock that was set back is there.
    test.clock.advance(by: -86_400)
    let newest = try await test.logIn()
    #expect(heard.withLock(\.self) == [.ended])
    #expect(try await test.accounts.sessions(first).count == Accounts.maximumSessionCount)
    #expect(try await test.accounts.signedIn(token: newest.token) != nil)
    #expect(try await test.accounts.signedIn(token: logins[1].token) == nil)
    #expect(try await test.accounts.signedIn(token: logins[2].token) != nil)
  }

  @Test func sessionsAreListedAndEnded() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let others = [try await test.logIn(), try await test.logIn()]
    let ended = Mutex(0)
    for other in others {
      let signedIn = Accounts.SignedIn(account: other.account, session: other.session)
      let id = try await test.accounts.subscribe(signedIn) { if $0 == .ended { ended.withLock { $0 += 1 } } }
      #expect(id != nil)
    }
    #expect(try await test.accounts.sessions(first).count == 3)
    try await test.accounts.endSession(id: others[0].session.id, first, from: test.client)
    #expect(try await test.accounts.signedIn(token: others[0].token) == nil && ended.withLock { $0 } == 1)
    for id in ["", "00", "zz", String(repeating: "0", count: 16)] {
      #expect(await refusal { try await test.accounts.endSession(id: id, first, from: test.client) } == .notFound)
    }
    try await test.accounts.endOtherSessions(first, from: test.client)
    #expect(try await test.accounts.sessions(first).map(\.id) == [first.session.id] && ended.withLock { $0 } == 2)
    try await test.accounts.logOut(first)
    #expect(try await test.accounts.sessions(first).isEmpty)
    // Nothing is subscribed in a session that has ended.
    #expect(try await test.accounts.subscribe(first) { _ in } == nil)
  }

  @Test func aSessionOfAnotherAccountIsNotEnded() async throws {
    let test = try await TestAccounts()
    let (ada, bob) = (try await test.register(), try await test.register("bob@example.org"))
    #expect(
      await refusal { try await test.accounts.endSession(id: ada.session.id, bob, from: test.client) } == .notFound)
    #expect(try await test.accounts.sessions(ada).count == 1)
  }

  @Test func aSessionThatHasEndedChangesNoPassword() async throws {
    let test = try await TestAccounts()
    let (first, other) = (try await test.register(), try await test.logIn())
    try await test.accounts.endSession(id: other.session.id, first, from: test.client)
    let ended = Accounts.SignedIn(account: other.account, session: other.session)
    #expect(
      await refusal {
        try await test.accounts.changePassword(
          from: TestAccounts.password, to: "analytical engine", ended, client: test.client)
      } == .signedOut)
    _ = try await test.logIn()
  }

  @Test func aDisabledAccountSignsNobodyIn() async throws {
    let test = try await TestAccounts()
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let login = try await test.accounts.register(
      address: "ada@example.org", password: TestAccounts.password, from: test.client)
    let ada = Accounts.SignedIn(account: login.account, session: login.session)
    try await test.accounts.link(identity, ada, from: test.client)
    let link = try #require(try await test.accounts.resetToken(address: "ada@example.org", from: test.client)?.token)
    let ended = Mutex(0)
    _ = try await test.accounts.subscribe(ada) { if $0 == .ended { ended.withLock { $0 += 1 } } }
    // As the command does, in a process of its own.
    let command = try await test.reopened()
    try await command.setDisabled(true, onTerminalFor: "ADA@example.org")
    #expect(ended.withLock { $0 } == 0)
    try await test.accounts.endMissing()
    #expect(ended.withLock { $0 } == 1)
    #expect(try await test.accounts.signedIn(token: login.token) == nil)
    #expect(await refusal { try await test.logIn() } == .disabled)
    #expect(await refusal { try await test.logIn("another password") } == .credentials)
    #expect(await refusal { try await test.accounts.logIn(identity, address: nil, from: test.client) } == .disabled)
    #expect(await refusal { try await test.accounts.save("eq", base: 0, value: Data(), device: "", ada) } == .signedOut)
    #expect(
      await refusal {
        try await test.accounts.resetPassword(token: link, password: "analytical engine", from: test.client)
      } == .link)
    #expect(try await test.accounts.resetToken(address: "ada@example.org", from: test.client) == nil)
    #expect(await refusal { try await test.accounts.resetToken(onTerminalFor: "ada@example.org") } == .disabled)
    try await command.setDisabled(false, onTerminalFor: "ada@example.org")
    _ = try await test.logIn()
    #expect(await refusal { try await command.setDisabled(true, onTerminalFor: "bob@example.org") } == .notFound)
  }
}

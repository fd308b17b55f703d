import Foundation
import Synchronization
import Testing

@testable import RustleAccounts

struct AccountsTests {
  @Test func whoRegistersIsSignedIn() async throws {
    let test = try await TestAccounts()
    let login = try await test.accounts.register(
      address: " Ada@example.org ", password: TestAccounts.password, from: test.client)
    let signedIn = try #require(try await test.accounts.signedIn(token: login.token))
    #expect(signedIn.account.address == "Ada@example.org" && signedIn.session.agent == "Tests")
    #expect(login.token.utf8.count == 43 && signedIn.session.hash != Data(login.token.utf8))
    #expect(try await test.accounts.signedIn(token: "") == nil)
    #expect(try await test.accounts.signedIn(token: String(login.token.dropLast())) == nil)
    #expect(await refusal { try await test.register("ADA@EXAMPLE.ORG") } == .taken)
  }

  @Test func ofAHundredRegistrationsAtOnceOneIsMade() async throws {
    let test = try await TestAccounts { $0.limits[.signUp] = RateLimit(burst: 200, period: 1) }
    let codes = await withTaskGroup(of: AccountRefusal.Code?.self) { group in
      for index in 0..<100 {
        group.addTask {
          // Turned away by the queue of hashes, they come again.
          while true {
            let code = await refusal {
              try await test.register(index.isMultiple(of: 2) ? "ada@example.org" : "ADA@example.org")
            }
            if code != .busy { return code }
            await Task.yield()
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .taken || $0 == .limit } == 99)
  }

  @Test func anUnknownAddressIsRefusedAsAWrongPasswordIs() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    func error(_ address: String) async -> AccountRefusal? {
      do { _ = try await test.logIn("another password", address) } catch { return error as? AccountRefusal }
      return nil
    }
    let (wrong, unknown) = (await error("ada@example.org"), await error("bob@example.org"))
    #expect(wrong == unknown && wrong?.code == .credentials)
    #expect(try await test.logIn().account.address == "Ada@example.org")
  }

  @Test func aTextThatIsNoAddressIsAnUnknownOne() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    // GRDB binds a text up to its first NUL: each of these would be ada's, with a limit of its own.
    for index in 0..<6 {
      #expect(
        await refusal { try await test.logIn(TestAccounts.password, "ada@example.org\0\(index)") } == .credentials)
    }
    #expect(try await test.accounts.resetToken(address: "ada@example.org\0", from: test.client) == nil)
    #expect(await refusal { try await test.accounts.resetToken(onTerminalFor: "ada@example.org\0") } == .notFound)
    #expect(await refusal { try await test.accounts.store.account(address: "ada@example.org\0") } == .validation)
    for (name, device) in [("eq\0", ""), ("eq", "d\0")] {
      #expect(
        await refusal { try await test.accounts.save(name, base: 0, value: Data(), device: device, ada) } == .validation
      )
    }
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
      await refusal { try await test.accounts.store.insert(session, by: old, replacing: nil) } == .credentials)
    #expect(try await test.accounts.sessions(first).isEmpty)
    _ = try await test.logIn("analytical engine")
  }

  @Test func nothingBeginsInADeletedAccount() async throws {
    let test = try await TestAccounts()
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let ada = try await test.register()
    try await test.accounts.link(identity, ada, from: test.client)
    try await test.accounts.delete(password: TestAccounts.password, ada, from: test.client)
    let session = test.accounts.makeSession(ada.account, test.client).session
    for proof in [LoginProof.password(generation: ada.account.generation), .identity(identity)] {
      #expect(
        await refusal { try await test.accounts.store.insert(session, by: proof, replacing: nil) } == .credentials)
    }
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

  @Test(arguments: ["session", "password"])
  func whatEndedAfterTheCheckDeletesNoAccount(what: String) async throws {
    let test = try await TestAccounts()
    let (first, other) = (try await test.register(), try await test.logIn())
    if what == "session" {
      try await test.accounts.endSession(id: other.session.id, first, from: test.client)
    } else {
      let token = try await test.accounts.resetToken(onTerminalFor: "ada@example.org")
      try await test.accounts.resetPassword(token: token, password: "analytical engine", from: test.client)
    }
    // It was verified against what the account had before.
    let ended = Accounts.SignedIn(account: other.account, session: other.session)
    #expect(
      await refusal {
        try await test.accounts.delete(password: TestAccounts.password, ended, from: test.client)
      } == .signedOut)
    _ = try await test.logIn(what == "session" ? TestAccounts.password : "analytical engine")
  }

  @Test func aBusyServerCountsNoTries() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let gate = DispatchSemaphore(value: 0)
    let codes = await withTaskGroup(of: [AccountRefusal.Code?].self) { group in
      for _ in 0...PasswordHasher.capacity {
        group.addTask {
          if await refusal({ try await test.accounts.hasher.run { gate.wait() } }) == nil { return [] }
          // All the others wait: nothing more is accepted.
          var codes: [AccountRefusal.Code?] = []
          for _ in 0..<8 {
            codes.append(await refusal { try await test.logIn() })
            codes.append(await refusal { try await test.register("bob@example.org") })
          }
          for _ in 0..<PasswordHasher.capacity { gate.signal() }
          return codes
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(codes == Array(repeating: .busy, count: 16))
    _ = try await test.logIn()
  }

  @Test func aBusyServerCountsNoTryBetweenAPasswordAndItsChange() async throws {
    let test = try await TestAccounts { $0.limits[.network] = RateLimit(burst: 1, period: 3_600) }
    let ada = try await test.register()
    for _ in 0..<2 {
      let code = await refusal {
        try await test.accounts.confirm(TestAccounts.password, ada, test.client) {
          throw AccountRefusal(.busy, "expected fewer passwords")
        }
      }
      #expect(code == .busy)
    }
    let changed = try await test.accounts.changePassword(
      from: TestAccounts.password, to: "analytical engine", ada, client: test.client)
    #expect(changed.account.id == ada.account.id)
    #expect(await refusal { try await test.logIn("analytical engine") } == .limit)
  }

  @Test func guessesPushNoLoginOutOfTheAudit() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let store = try SQLiteStore(path: test.path, auditLength: 3)
    for at in 0..<5 {
      for account in [ada.account.id, nil] {
        try await store.note(AuditEntry(at: Int64(at), what: "login refused", from: ""), of: account)
      }
    }
    let entries = try await store.audit(of: ada.account.id)
    #expect(entries.map(\.what) == ["register"] + Array(repeating: "login refused", count: 3))
    #expect(entries.dropFirst().map(\.at) == [2, 3, 4])
  }

  @Test func whoGuessesFromOutsideDoesNotKeepTheOwnerFromTheAccount() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    for _ in 0..<5 { _ = await refusal { try await test.logIn("another password") } }
    #expect(await refusal { try await test.logIn() } == .limit)
    func delete(_ password: String) async -> AccountRefusal.Code? {
      await refusal { try await test.accounts.delete(password: password, first, from: test.client) }
    }
    // The session has a limit of its own.
    for _ in 0..<5 { #expect(await delete("another password") == .credentials) }
    #expect(await delete(TestAccounts.password) == .limit)
    test.clock.advance(by: 10)
    #expect(await delete(TestAccounts.password) == nil)
  }

  @Test func aLoginReplacesThePresentSession() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let planted = try await test.logIn()
    let login = try await test.accounts.logIn(
      address: "ada@example.org", password: TestAccounts.password, from: test.client, replacing: planted.token)
    #expect(login.token != planted.token)
    #expect(try await test.accounts.signedIn(token: planted.token) == nil)
    #expect(try await test.accounts.signedIn(token: login.token) != nil)
  }

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

  @Test func aResetTakesWhatOthersLinked() async throws {
    let test = try await TestAccounts()
    let theirs = Identity(issuer: "https://p.example", subject: "eve")
    try await test.accounts.link(theirs, try await test.register(), from: test.client)
    func reset(_ address: String) async throws -> Int {
      let token = try await test.accounts.resetToken(address: address, from: test.client)?.token
      return try await test.accounts.resetPassword(
        token: try #require(token), password: "analytical engine", from: test.client)
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
    // An account that a provider has made keeps it.
    let own = Identity(issuer: "https://p.example", subject: "bob")
    let bob = try await test.accounts.logIn(own, address: "bob@example.org", from: test.client)
    #expect(bob.isNew && bob.account.isVerified)
    #expect(try await reset("bob@example.org") == 0)
    let again = try await test.accounts.logIn(own, address: nil, from: test.client)
    #expect(!again.isNew && again.account.id == bob.account.id && again.account.hasPassword)
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

  @Test func threeMailsAnHourAreSent() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    func count(_ tries: Int) async throws -> Int {
      var count = 0
      for _ in 0..<tries where try await test.accounts.resetToken(address: "ada@example.org", from: test.client) != nil
      { count += 1 }
      return count
    }
    #expect(try await count(10) == 3)
    test.clock.advance(by: 3_600)
    #expect(try await count(10) == 1)
    #expect(try await test.accounts.resetToken(address: "bob@example.org", from: test.client) == nil)
  }

  @Test func aCheaperHashIsReplacedAtTheNextLogin() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let dearer = try await test.reopened { $0.hashMemory = 64 }
    _ = try await dearer.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
    let stored = try await dearer.store.account(id: first.account.id)
    #expect(stored?.password?.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$") == true)
    // The session lives on.
    #expect(try await dearer.sessions(first).count == 2)
  }

  @Test func loginsAtOnceAfterTheCostWasRaisedAllGetIn() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let dearer = try await test.reopened { $0.hashMemory = 64 }
    let stale = try #require(try await dearer.store.account(id: first.account.id))
    let codes = await withTaskGroup(of: AccountRefusal.Code?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          await refusal {
            try await dearer.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == [nil, nil, nil, nil])
    // One that was verified before the first of them, whichever order they had, and what it confirms.
    let session = dearer.makeSession(stale, test.client)
    let proof = LoginProof.password(generation: stale.generation)
    try await dearer.store.insert(session.session, by: proof, replacing: nil)
    _ = try await dearer.changePassword(
      from: TestAccounts.password, to: "analytical engine", first, client: test.client)
    #expect(
      await refusal { try await dearer.store.insert(session.session, by: proof, replacing: nil) } == .credentials)
  }

  @Test func bruteForceLeavesTheOwnersSession() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    var (refused, limited) = (0, 0)
    for index in 0..<1_000 {
      let code = await refusal { try await test.logIn("guess number \(index)") }
      if code == .credentials { refused += 1 } else if code == .limit { limited += 1 }
      test.clock.advance(by: 0.06)
    }
    #expect(refused <= 11 && refused + limited == 1_000)
    #expect(try await test.accounts.save("eq", base: 0, value: Data(), device: "", first).setting.revision == 1)
  }

  @Test func whoKnowsThePasswordIsNotLimited() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    for _ in 0..<10 { _ = try await test.logIn() }
    for _ in 0..<4 { #expect(await refusal { try await test.logIn("another password") } == .credentials) }
    _ = try await test.logIn()
    #expect(await refusal { try await test.logIn("another password") } == .credentials)
    #expect(await refusal { try await test.logIn() } == .limit)
  }

  @Test func limitsOutliveARestart() async throws {
    let test = try await TestAccounts()
    for _ in 0..<5 { _ = await refusal { try await test.logIn() } }
    #expect(await refusal { try await test.logIn() } == .limit)
    try await test.accounts.close()
    let again = try await test.reopened()
    #expect(
      await refusal {
        try await again.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
      } == .limit)
  }

  @Test func theFileIsTheOwnersAlone() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    let folder = URL(filePath: test.path).deletingLastPathComponent()
    #expect(try mode(folder.path) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("accounts.sqlite-wal"))
    for name in names { #expect(try mode(folder.appending(path: name).path) == 0o600, "\(name)") }
    let copy = folder.appending(path: "copy.sqlite").path
    try await test.accounts.backup(to: copy)
    #expect(try mode(copy) == 0o600)
  }

  @Test func nothingOfADeletedAccountStays() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register("ada.lovelace@example.org")
    _ = try await test.register("bob@example.org")
    for index in 0..<50 {
      let saved = try await test.accounts.save(
        "eq/presets/\(index)", base: 0, value: Data("lovelace's".utf8), device: "lovelace's", ada)
      #expect(saved.setting.revision == 1)
      test.clock.advance(by: 1)
    }
    _ = try await test.accounts.resetToken(onTerminalFor: "ada.lovelace@example.org")
    #expect(
      await refusal { try await test.accounts.delete(password: "another password", ada, from: test.client) }
        == .credentials)
    #expect(try await test.accounts.audit(ada).map(\.what) == ["register", "reset link", "password refused"])
    try await test.accounts.delete(password: TestAccounts.password, ada, from: test.client)
    #expect(try await test.accounts.store.account(id: ada.account.id) == nil)
    #expect(await refusal { try await test.accounts.save("eq", base: 0, value: Data(), device: "", ada) } == .signedOut)
    let folder = URL(filePath: test.path).deletingLastPathComponent()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      for trace in [Data("lovelace".utf8), ada.account.id, ada.session.hash] {
        #expect(bytes.range(of: trace) == nil, "\(name)")
      }
      #expect(!name.hasSuffix(".sqlite") || bytes.range(of: Data("bob@example.org".utf8)) != nil)
    }
    _ = try await test.register("ada.lovelace@example.org")
  }

  @Test func clientsAreKnownByTheirNetwork() {
    func network(_ address: String) -> String { AccountClient(address: address, agent: "").network }
    #expect(network("192.0.2.7") == "192.0.2.7" && network("::ffff:192.0.2.7") == "192.0.2.7")
    #expect(network("2001:DB8:1:2:3:4:5:6") == "2001:db8:1:2::/64" && network("2001:db8:1:2::9") == "2001:db8:1:2::/64")
    #expect(network("::1") == "0:0:0:0::/64" && network("fe80::1%eth0") == "fe80:0:0:0::/64")
    #expect(AccountClient(address: "", agent: "a\r\nb" + String(repeating: "x", count: 300)).agent.count == 200)
  }
}

import Foundation
import GRDB
import Testing

@testable import RustleAccounts

struct AccountFileTests {
  @Test func nothingBeginsInADeletedAccount() async throws {
    let test = try await TestAccounts()
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let ada = try await test.register()
    try await test.accounts.link(identity, ada, from: test.client)
    try await test.accounts.delete(password: TestAccounts.password, ada, from: test.client)
    let session = test.accounts.makeSession(ada.account, test.client).session
    for proof in [LoginProof.password(generation: ada.account.generation), .identity(identity)] {
      #expect(
        await refusal { try await test.accounts.store.insert(session, by: proof, replacing: nil, noting: .test) }
          == .credentials)
    }
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

  @Test func whatAReaderKeptOfADeletedAccountIsWipedLater() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register("ada.lovelace@example.org")
    let store = try SQLiteStore(path: test.path, longestWait: 0.1)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: test.path, configuration: configuration)
    try await reader.writeWithoutTransaction { database in
      try database.beginTransaction(.deferred)
      _ = try Row.fetchOne(database, sql: "SELECT * FROM account")
    }
    _ = try await store.delete(ada.account, from: ada.session.hash, noting: .test)
    func log() throws -> Data { try Data(contentsOf: URL(filePath: test.path + "-wal")) }
    #expect(try log().range(of: Data("lovelace".utf8)) != nil)
    try await reader.writeWithoutTransaction { try $0.rollback() }
    _ = try await store.sweep(at: 0, idleSince: 0)
    #expect(try log().range(of: Data("lovelace".utf8)) == nil)
  }

  /// Nothing that a program knew of the log outlives it.
  @Test func theNextProgramWipesWhatOneThatEndedCouldNot() async throws {
    let test = try await TestAccounts()
    _ = try await test.register("ada.lovelace@example.org")
    func log() throws -> Data { try Data(contentsOf: URL(filePath: test.path + "-wal")) }
    #expect(try log().range(of: Data("lovelace".utf8)) != nil)
    let next = try SQLiteStore(path: test.path)
    _ = try await next.sweep(at: 0, idleSince: 0)
    #expect(try log().range(of: Data("lovelace".utf8)) == nil)
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
    // Nothing is written over, and nothing is left of what cannot be written.
    let before = try Data(contentsOf: URL(filePath: copy))
    for path in [copy, folder.appending(path: "none/copy.sqlite").path, folder.path] {
      #expect(await refusal { try await test.accounts.backup(to: path) } == .storage, "\(path)")
    }
    #expect(try Data(contentsOf: URL(filePath: copy)) == before)
  }

  @Test func whatIsNoFileStaysAsItIs() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    #expect(await refusal { try SQLiteStore(path: folder.path) } == .storage)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o755)
    // A link to a file is as good as the file.
    let link = folder.appending(path: "link.sqlite")
    try Data().write(to: folder.appending(path: "file.sqlite"))
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: folder.appending(path: "file.sqlite"))
    #expect(await refusal { try SQLiteStore(path: link.path) } == nil)
  }

  @Test(arguments: [false, true]) func nothingIsAcknowledgedInAFileThatIsGone(isReplaced: Bool) async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let copy = test.folder.appending(path: "copy.sqlite").path
    try await test.accounts.backup(to: copy)
    func save(_ base: Int64) async -> AccountRefusal.Code? {
      await refusal { try await test.accounts.save("tuner", base: base, value: Data("1".utf8), device: "", ada) }
    }
    #expect(await save(0) == nil)
    try FileManager.default.removeItem(atPath: test.path)
    if isReplaced { try FileManager.default.moveItem(atPath: copy, toPath: test.path) }
    #expect(await save(1) == .storage)
  }

  @Test func aFullDiskIsNamedAndChangesNothing() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let store = try SQLiteStore(path: test.path)
    try await store.pool.writeWithoutTransaction { database in
      // As many pages as it has.
      let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(count)")
    }
    do {
      _ = try await store.save(
        "tuner", of: ada.account.id, base: 0, value: Data(count: 100_000), device: "", at: 1, committed: { _ in })
      Issue.record("expected a refusal")
    } catch let error as AccountRefusal {
      #expect(error.code == .storage && error.message == "cannot write the accounts: database or disk is full")
    }
    #expect(try await store.setting("tuner", of: ada.account.id).revision == 0)
  }

  @Test func aFileThatCannotBeWrittenIsNamed() async throws {
    let test = try await TestAccounts()
    let store = try SQLiteStore(path: test.path)
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") }
    do {
      try await store.note(.test, of: nil)
      Issue.record("expected a refusal")
    } catch let error as AccountRefusal {
      #expect(
        error.code == .storage && error.message == "cannot write the accounts: attempt to write a readonly database")
    }
  }

  @Test func whatCannotBeNotedDoesNotHappen() async throws {
    let test = try await TestAccounts()
    let (accounts, client) = (test.accounts, test.client)
    let identity = Identity(issuer: "https://p.example", subject: "1")
    let other = Identity(issuer: "https://p.example", subject: "2")
    let (ada, second) = (try await test.register(), try await test.logIn())
    try await accounts.link(identity, ada, from: client)
    let (link, before) = (
      try await accounts.resetToken(onTerminalFor: "ada@example.org"), try await accounts.audit(ada)
    )
    let pool = try SQLiteStore(path: test.path).pool
    try await pool.write { database in
      try database.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT missing(); END")
    }
    let works: [@Sendable () async throws -> Void] = [
      { _ = try await accounts.changePassword(from: TestAccounts.password, to: "analytical", ada, client: client) },
      { _ = try await accounts.resetPassword(token: link, password: "analytical", from: client) },
      {
        _ = try await accounts.logIn(
          address: "ada@example.org", password: TestAccounts.password, from: client, replacing: second.token)
      }, { try await accounts.delete(password: TestAccounts.password, ada, from: client) },
      { try await accounts.logOut(ada) }, { try await accounts.endOtherSessions(ada, from: client) },
      { try await accounts.endSession(id: second.session.id, ada, from: client) },
      { try await accounts.link(other, ada, from: client) }, { try await accounts.unlink(identity, ada, from: client) },
      { try await accounts.setDisabled(true, onTerminalFor: "ada@example.org") },
    ]
    for (index, work) in works.enumerated() { #expect(await refusal(work) == .storage, "\(index)") }
    try await pool.write { try $0.execute(sql: "DROP TRIGGER full") }
    #expect(try await accounts.signedIn(token: second.token) != nil)
    #expect(try await accounts.sessions(ada).count == 2)
    #expect(try await accounts.identities(ada) == [identity])
    #expect(try await accounts.audit(ada) == before)
    _ = try await test.logIn()
    try await accounts.resetPassword(token: link, password: "analytical engine", from: client)
  }

  @Test func whoWaitsForAnotherProgramDoesNotWaitInTurn() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let store = try SQLiteStore(path: test.path, longestWait: 0.5)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: test.path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
    let entry = AuditEntry(at: 1, what: "test", from: "")
    let refused = await withTaskGroup(of: AccountRefusal?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            try await store.note(entry, of: nil)
            return nil
          } catch { return error as? AccountRefusal }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refused.allSatisfy { $0?.status == 503 && $0?.retryAfter == 5 })
    // A task that begins late waits as well.
    #expect((1..<10).contains(store.waits.count))
    try await other.writeWithoutTransaction { try $0.rollback() }
    try await store.note(entry, of: ada.account.id)
    #expect(try await store.audit(of: ada.account.id).map(\.what) == ["register", "test"])
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
}

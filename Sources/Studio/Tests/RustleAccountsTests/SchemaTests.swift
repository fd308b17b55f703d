import Foundation
import GRDB
import Testing

@testable import RustleAccounts

struct SchemaTests {
  @Test(arguments: 0..<Schema.versions.count) func everyOlderFileIsBroughtUpToDate(version: Int) async throws {
    let test = try await TestAccounts()
    let path = test.folder.appending(path: "old.sqlite").path
    let id = Data(repeating: 1, count: 16)
    do {
      let queue = try DatabaseQueue(path: path)
      try Schema.migrate(queue, to: version)
      if version > 0 {
        try await queue.write { database in
          try database.execute(
            sql: "INSERT INTO account(id, email, password, created) VALUES (?, 'ada@example.org', NULL, 5)",
            arguments: [id])
          try database.execute(
            sql:
              "INSERT INTO setting(account, name, revision, value, changed, device) VALUES (?, 'eq', 7, x'01', 6, 'd')",
            arguments: [id])
        }
      }
      try queue.close()
    }
    let store = try SQLiteStore(path: path)
    if version > 0 {
      #expect(try await store.account(address: "ADA@example.org")?.id == id)
      let setting = Setting(name: "eq", revision: 7, value: Data([1]), device: "d", changed: 6)
      #expect(try await store.setting("eq", of: id) == setting)
    }
    // What the newest version has can be used.
    try await store.create(
      Account(id: Data([2]), address: "bob@example.org", password: "x", created: 1), Identity(issuer: "i", subject: "s")
    )
    try await store.insert(reset: Data([3]), of: Data([2]), expires: 9, isMailed: true, noting: .test)
    #expect(try await store.account(ofReset: Data([3]), at: 8)?.id == Data([2]))
    let done = try await store.reset(Data([3]), password: "y", noting: .test, ofRemoved: .test)
    #expect(done == PasswordReset(sessions: [], removed: 1))
    #expect(try await store.account(id: Data([2]))?.isVerified == true)
    try await store.pool.write { try SQLiteStore.insert($0, Identity(issuer: "i", subject: "s"), Data([2])) }
    #expect(try await store.account(identity: Identity(issuer: "i", subject: "s"))?.id == Data([2]))
    let present = try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(present == Schema.versions.count)
  }

  @Test(arguments: 4..<6) func labelsOfOlderFilesAreNoAddresses(version: Int) async throws {
    let test = try await TestAccounts()
    let path = test.folder.appending(path: "old.sqlite").path
    // With the entry that each has of its making, whether it has a password by now, and whether its address is one.
    let accounts: [(made: String, password: String?, isAddress: Bool)] = [
      ("register", "x", true), ("register by a provider", nil, false), ("register by a provider", "x", false),
    ]
    do {
      let queue = try DatabaseQueue(path: path)
      try Schema.migrate(queue, to: version)
      try await queue.write { database in
        for (number, (made, password, _)) in accounts.enumerated() {
          let id = Data([UInt8(number)])
          try database.execute(
            sql: "INSERT INTO account(id, email, password, created) VALUES (?, ?, ?, 5)",
            arguments: [id, "\(number)@p.example", password])
          // Who registered an address has an identity of its host, too.
          try SQLiteStore.insert(database, Identity(issuer: "https://p.example", subject: "\(number)"), id)
          for what in [made, "login by a provider"] {
            try database.execute(
              sql: "INSERT INTO audit(account, at, what, network) VALUES (?, 5, ?, '')", arguments: [id, what])
          }
        }
        guard version > 4 else { return }
        try database.execute(
          sql: "INSERT INTO account(id, email, password, created, verified) VALUES (x'09', 'v@p.example', 'x', 5, 1)")
      }
      try queue.close()
    }
    let store = try SQLiteStore(path: path)
    for (number, account) in accounts.enumerated() {
      let present = try await store.account(address: "\(number)@p.example")
      #expect(present?.hasAddress == account.isAddress, "\(number)")
    }
    if version > 4 { #expect(try await store.account(address: "v@p.example")?.hasAddress == true) }
  }

  @Test func programsThatBeginAtOnceMakeItTogether() async throws {
    let test = try await TestAccounts()
    for round in 0..<30 {
      let path = test.folder.appending(path: "\(round).sqlite").path
      try Schema.migrate(try DatabaseQueue(path: path), to: round % Schema.versions.count)
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 { group.addTask { _ = try SQLiteStore(path: path) } }
        try await group.waitForAll()
      }
    }
  }

  @Test func aFileOfANewerProgramIsRefused() async throws {
    let test = try await TestAccounts()
    let path = test.folder.appending(path: "new.sqlite").path
    do {
      let queue = try DatabaseQueue(path: path)
      try Schema.migrate(queue)
      try await queue.write {
        try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('\(Schema.versions.count + 1)')")
      }
      try queue.close()
    }
    #expect(throws: AccountRefusal.self) { try SQLiteStore(path: path) }
    try Data("no database, however long it may be, is like this".utf8).write(to: URL(filePath: path))
    #expect(throws: AccountRefusal.self) { try SQLiteStore(path: path) }
  }
}

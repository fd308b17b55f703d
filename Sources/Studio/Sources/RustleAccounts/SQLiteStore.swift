internal import Foundation
internal import GRDB

/// Accounts in one SQLite file, which nobody else on the system may read.
struct SQLiteStore: AccountStore {
  /// Entries of one kind that an account's audit keeps, and entries that belong to no account.
  private let auditLength: Int

  /// Where the file is, and which one it is.
  let path: String
  let identity: FileIdentity?
  let pool: DatabasePool
  let waits = WriterWaits()
  private let leftovers = Leftovers()

  /// Opens or makes the file.
  ///
  /// - Throws: ``AccountRefusal`` of the code `storage`, or an error of the file system.
  init(path: String, auditLength: Int = 1_000, longestWait: Double = 5) throws {
    self.auditLength = auditLength
    let url = URL(filePath: path)
    let folder = url.deletingLastPathComponent()
    let files = FileManager.default
    if !files.fileExists(atPath: folder.path) {
      try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // Made before SQLite does, whose permissions depend on the process's umask; its other files get those of this one.
    if !files.fileExists(atPath: path) {
      guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw AccountRefusal(.storage, "cannot make \(path): check its folder")
      }
    }
    // A folder that only its owner may read and write cannot be entered.
    self.path = url.resolvingSymlinksInPath().path
    let kind = try files.attributesOfItem(atPath: self.path)[.type] as? FileAttributeType
    guard kind == .typeRegular else { throw AccountRefusal(.storage, "cannot use \(path): expected a file") }
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    // The command, while the server runs.
    configuration.busyMode = .timeout(longestWait)
    configuration.prepareDatabase { database in
      // An acknowledged save outlives a loss of power; a deleted account leaves no bytes behind.
      try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
    }
    do {
      pool = try Self.open(path, configuration, within: longestWait)
      identity = FileIdentity(path: self.path)
    } catch let error as DatabaseError {
      throw AccountRefusal(.storage, "cannot use \(path): \(Self.text(of: error))")
    }
  }

  /// Opens the file with its newest schema. While another program makes the file, SQLite does not wait at each of its locks: it is
  /// opened once more then.
  private static func open(
    _ path: String, _ configuration: Configuration, within seconds: Double
  ) throws -> DatabasePool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      do {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try Schema.migrate(pool)
        return pool
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  func create(_ account: Account, _ identity: Identity?) async throws {
    do {
      try await write { database in
        try Self.refuseNUL([account.address])
        try database.execute(
          sql: "INSERT INTO account(id, email, password, created, verified, labelled) VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [
            account.id, account.address, account.password, account.created, account.isVerified, account.isLabelled,
          ])
        if let identity { try Self.insert(database, identity, account.id) }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw AccountRefusal(.taken, "email: expected an address without an account", field: "email")
    }
  }

  func account(address: String) async throws -> Account? {
    try Self.refuseNUL([address])
    return try await pool.read { try Account.fetch($0, "email = ?", [address]) }
  }

  func account(id: Data) async throws -> Account? { try await pool.read { try Account.fetch($0, "id = ?", [id]) } }

  func account(identity: Identity) async throws -> Account? {
    try await pool.read { try Self.account($0, identity) }
  }

  static func account(_ database: Database, _ identity: Identity) throws -> Account? {
    try refuseNUL([identity.issuer, identity.subject])
    return try Account.fetch(
      database, "id = (SELECT account FROM identity WHERE issuer = ? AND subject = ?)",
      [identity.issuer, identity.subject])
  }

  func insert(_ identity: Identity, of account: Account, from session: Data, noting entry: AuditEntry) async throws {
    do {
      try await write { database in
        try Self.require(database, session, of: account)
        try Self.insert(database, identity, account.id)
        try note(database, entry, account.id)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw AccountRefusal(.taken, "expected an identity without an account")
    }
  }

  func identities(of account: Data) async throws -> [Identity] {
    try await pool.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM identity WHERE account = ?", arguments: [account]).map {
        Identity(issuer: $0["issuer"], subject: $0["subject"])
      }
    }
  }

  func remove(_ identity: Identity, of account: Account, from session: Data, noting entry: AuditEntry) async throws {
    try await write { database in
      try Self.require(database, session, of: account)
      guard let owner = try Self.account(database, identity), owner.id == account.id else {
        throw AccountRefusal(.notFound, "expected an identity of the account")
      }
      let count = try Int.fetchOne(
        database, sql: "SELECT COUNT(*) FROM identity WHERE account = ?", arguments: [account.id])
      guard owner.hasPassword || count != 1 else {
        throw AccountRefusal(.conflict, "expected another way to sign in to remain; set a password first")
      }
      try database.execute(
        sql: "DELETE FROM identity WHERE issuer = ? AND subject = ?", arguments: [identity.issuer, identity.subject])
      try note(database, entry, account.id)
    }
  }

  static func insert(_ database: Database, _ identity: Identity, _ account: Data) throws {
    try refuseNUL([identity.issuer, identity.subject])
    try database.execute(
      sql: "INSERT INTO identity(issuer, subject, account) VALUES (?, ?, ?)",
      arguments: [identity.issuer, identity.subject, account])
  }

  func replaceHash(_ hash: String, of account: Account) async throws {
    try await write { database in
      try database.execute(
        sql: "UPDATE account SET password = ? WHERE id = ? AND password IS ?",
        arguments: [hash, account.id, account.password])
    }
  }

  func changePassword(
    _ hash: String, of account: Account, from old: Data, to new: DeviceSession, noting entry: AuditEntry
  ) async throws -> [Data] {
    try await write { database in
      try Self.require(database, old, of: account)
      try Self.setPassword(database, hash, of: account.id)
      // A link that was sent before sets no other password after it.
      try database.execute(sql: "DELETE FROM reset WHERE account = ?", arguments: [account.id])
      let ended = try Self.endSessions(database, account.id, .all)
      try Self.insert(database, new)
      try note(database, entry, account.id)
      return ended
    }
  }

  func delete(_ account: Account, from session: Data, noting entry: AuditEntry) async throws -> [Data] {
    let sessions = try await write { database in
      try Self.require(database, session, of: account)
      let sessions = try Self.endSessions(database, account.id, .all)
      try database.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [account.id])
      try note(database, entry, nil)
      return sessions
    }
    await emptyLog()
    return sessions
  }

  /// Empties the log of transactions, which still has the pages of before. While somebody reads, as a backup does, it stays, until the next
  /// sweep.
  private func emptyLog() async {
    do {
      _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      leftovers.set(false)
    } catch { leftovers.set(true) }
  }

  static func setPassword(_ database: Database, _ hash: String, of account: Data) throws {
    try database.execute(
      sql: "UPDATE account SET password = ?, generation = generation + 1 WHERE id = ?", arguments: [hash, account])
  }

  static func holds(_ database: Database, _ proof: LoginProof, _ account: Data) throws -> Bool {
    switch proof {
    case .password(let generation):
      try Account.fetch(database, "id = ? AND generation = ?", [account, generation]) != nil
    case .identity(let identity): try Self.account(database, identity)?.id == account
    }
  }

  /// Refuses a session that has ended, and an account whose password is another one since it was verified.
  static func require(_ database: Database, _ session: Data, of account: Account) throws {
    guard try holds(database, .password(generation: account.generation), account.id),
      try Row.fetchOne(database, sql: "SELECT 1 FROM session WHERE hash = ?", arguments: [session]) != nil
    else { throw AccountRefusal(.signedOut, "expected a session, which ended meanwhile: sign in") }
  }

  /// GRDB binds a text up to its first NUL: another row would be found.
  static func refuseNUL(_ texts: [String]) throws {
    guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw AccountRefusal(.validation, "expected texts without U+0000")
    }
  }

  func setDisabled(_ isDisabled: Bool, account: Data, noting entry: AuditEntry) async throws -> [Data] {
    try await write { database in
      try note(database, entry, account)
      try database.execute(sql: "UPDATE account SET disabled = ? WHERE id = ?", arguments: [isDisabled, account])
      guard isDisabled else { return [] }
      try database.execute(sql: "DELETE FROM reset WHERE account = ?", arguments: [account])
      return try Self.endSessions(database, account, .all)
    }
  }

  func note(_ entry: AuditEntry, of account: Data?) async throws {
    try await write { try note($0, entry, account) }
  }

  func note(_ database: Database, _ entry: AuditEntry, _ account: Data?) throws {
    try Self.refuseNUL([entry.what, entry.from])
    // An account that was deleted meanwhile has no audit.
    try database.execute(
      sql: """
        INSERT INTO audit(account, at, what, network) SELECT ?1, ?2, ?3, ?4
        WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM account WHERE id = ?1)
        """, arguments: [account, entry.at, entry.what, entry.from])
    try database.execute(
      sql: """
        DELETE FROM audit WHERE account IS ?1 AND (?1 IS NULL OR what = ?2) AND id <= (
          SELECT id FROM audit WHERE account IS ?1 AND (?1 IS NULL OR what = ?2)
          ORDER BY id DESC LIMIT 1 OFFSET \(auditLength))
        """, arguments: [account, entry.what])
  }

  func audit(of account: Data) async throws -> [AuditEntry] {
    try await pool.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM audit WHERE account = ? ORDER BY id", arguments: [account]).map {
        AuditEntry(at: $0["at"], what: $0["what"], from: $0["network"])
      }
    }
  }

  func buckets() async throws -> [String: TokenBucket] {
    try await pool.read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM attempt")
      return Dictionary(
        rows.map { ($0["key"], TokenBucket(tokens: $0["tokens"], at: $0["at"])) }, uniquingKeysWith: { _, last in last }
      )
    }
  }

  func setBuckets(_ buckets: [String: TokenBucket]) async throws {
    try await write { database in
      try database.execute(sql: "DELETE FROM attempt")
      for (key, bucket) in buckets {
        try database.execute(
          sql: "INSERT INTO attempt(key, tokens, at) VALUES (?, ?, ?)", arguments: [key, bucket.tokens, bucket.at])
      }
    }
  }

  func sweep(at time: Int64, idleSince: Int64) async throws -> [Data] {
    if leftovers.exist { await emptyLog() }
    return try await write { database in
      try database.execute(sql: "DELETE FROM reset WHERE expires <= ?", arguments: [time])
      return try Data.fetchAll(
        database, sql: "DELETE FROM session WHERE expires <= ? OR seen <= ? RETURNING hash",
        arguments: [time, idleSince])
    }
  }

  func backup(to path: String) async throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else {
      throw AccountRefusal(.storage, "cannot make \(path): expected no file there")
    }
    // SQLite writes into an empty file that is there; one that it makes can be read by others meanwhile.
    guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw AccountRefusal(.storage, "cannot make \(path): check its folder")
    }
    do {
      try await pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    } catch let error as DatabaseError {
      try? files.removeItem(atPath: path)
      throw AccountRefusal(.storage, "cannot write \(path): \(Self.text(of: error))")
    }
  }

  static func text(of error: DatabaseError) -> String {
    error.message ?? "SQLite's error \(error.resultCode.rawValue)"
  }
}

extension Account {
  static func fetch(_ database: Database, _ condition: String, _ arguments: StatementArguments) throws
    -> Account?
  {
    try Row.fetchOne(database, sql: "SELECT * FROM account WHERE \(condition)", arguments: arguments).map { row in
      Account(
        id: row["id"], address: row["email"], password: row["password"], created: row["created"],
        generation: row["generation"], isVerified: row["verified"], isLabelled: row["labelled"],
        isDisabled: row["disabled"])
    }
  }
}

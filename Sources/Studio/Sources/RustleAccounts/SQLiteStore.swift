internal import Foundation
internal import GRDB

/// Accounts in one SQLite file, which nobody else on the system may read.
struct SQLiteStore: AccountStore {
  /// Entries of one kind that an account's audit keeps, and entries that belong to no account.
  private let auditLength: Int

  private let pool: DatabasePool

  /// Opens or makes the file.
  ///
  /// - Throws: ``AccountRefusal`` of the code `storage`, or an error of the file system.
  init(path: String, auditLength: Int = 1_000) throws {
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
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    var configuration = Configuration()
    configuration.maximumReaderCount = 4
    // The command, while the server runs.
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      // An acknowledged save outlives a loss of power; a deleted account leaves no bytes behind.
      try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
    }
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
      try Schema.migrate(pool)
    } catch let error as DatabaseError {
      throw AccountRefusal(
        .storage, "cannot use \(path): \(error.message ?? "SQLite's error \(error.resultCode.rawValue)")")
    }
  }

  func create(_ account: Account, _ identity: Identity?) async throws {
    do {
      try await pool.write { database in
        try Self.refuseNUL([account.address])
        try database.execute(
          sql: "INSERT INTO account(id, email, password, created, verified) VALUES (?, ?, ?, ?, ?)",
          arguments: [account.id, account.address, account.password, account.created, account.isVerified])
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

  private static func account(_ database: Database, _ identity: Identity) throws -> Account? {
    try refuseNUL([identity.issuer, identity.subject])
    return try Account.fetch(
      database, "id = (SELECT account FROM identity WHERE issuer = ? AND subject = ?)",
      [identity.issuer, identity.subject])
  }

  func insert(_ identity: Identity, of account: Data) async throws {
    do {
      try await pool.write { try Self.insert($0, identity, account) }
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

  func remove(_ identity: Identity, of account: Data) async throws {
    try await pool.write { database in
      guard let owner = try Self.account(database, identity), owner.id == account else {
        throw AccountRefusal(.notFound, "expected an identity of the account")
      }
      let count = try Int.fetchOne(
        database, sql: "SELECT COUNT(*) FROM identity WHERE account = ?", arguments: [account])
      guard owner.hasPassword || count != 1 else {
        throw AccountRefusal(.conflict, "expected another way to sign in to remain; set a password first")
      }
      try database.execute(
        sql: "DELETE FROM identity WHERE issuer = ? AND subject = ?", arguments: [identity.issuer, identity.subject])
    }
  }

  private static func insert(_ database: Database, _ identity: Identity, _ account: Data) throws {
    try refuseNUL([identity.issuer, identity.subject])
    try database.execute(
      sql: "INSERT INTO identity(issuer, subject, account) VALUES (?, ?, ?)",
      arguments: [identity.issuer, identity.subject, account])
  }

  func replaceHash(_ hash: String, of account: Account) async throws {
    try await pool.write { database in
      try database.execute(
        sql: "UPDATE account SET password = ? WHERE id = ? AND password IS ?",
        arguments: [hash, account.id, account.password])
    }
  }

  func changePassword(_ hash: String, of account: Account, from old: Data, to new: DeviceSession) async throws
    -> [Data]
  {
    try await pool.write { database in
      try Self.require(database, old, of: account)
      try Self.setPassword(database, hash, of: account.id)
      // A link that was sent before sets no other password after it.
      try database.execute(sql: "DELETE FROM reset WHERE account = ?", arguments: [account.id])
      let ended = try Self.endSessions(database, account.id, .all)
      try Self.insert(database, new)
      return ended
    }
  }

  func delete(_ account: Account, from session: Data) async throws -> [Data] {
    let sessions = try await pool.write { database in
      try Self.require(database, session, of: account)
      let sessions = try Self.endSessions(database, account.id, .all)
      try database.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [account.id])
      return sessions
    }
    // The log of transactions still has the pages of before; readers of the moment may keep it for a while.
    _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    return sessions
  }

  func insert(_ session: DeviceSession, by proof: LoginProof, replacing hash: Data?) async throws {
    try await pool.write { database in
      guard try Self.holds(database, proof, session.account) else { throw AccountRefusal.wrongCredentials }
      guard try Account.fetch(database, "id = ? AND disabled", [session.account]) == nil else {
        throw AccountRefusal(.disabled, "expected an account that is not disabled; ask who runs this server")
      }
      if let hash { try database.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [hash]) }
      try Self.insert(database, session)
    }
  }

  private static func insert(_ database: Database, _ session: DeviceSession) throws {
    try refuseNUL([session.agent, session.network])
    try database.execute(
      sql: "INSERT INTO session(hash, account, created, seen, expires, agent, network) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        session.hash, session.account, session.created, session.seen, session.expires, session.agent, session.network,
      ])
  }

  private static func setPassword(_ database: Database, _ hash: String, of account: Data) throws {
    try database.execute(
      sql: "UPDATE account SET password = ?, generation = generation + 1 WHERE id = ?", arguments: [hash, account])
  }

  private static func holds(_ database: Database, _ proof: LoginProof, _ account: Data) throws -> Bool {
    switch proof {
    case .password(let generation):
      try Account.fetch(database, "id = ? AND generation = ?", [account, generation]) != nil
    case .identity(let identity): try Self.account(database, identity)?.id == account
    }
  }

  /// Refuses a session that has ended, and an account whose password is another one since it was verified.
  private static func require(_ database: Database, _ session: Data, of account: Account) throws {
    guard try holds(database, .password(generation: account.generation), account.id),
      try Row.fetchOne(database, sql: "SELECT 1 FROM session WHERE hash = ?", arguments: [session]) != nil
    else { throw AccountRefusal(.signedOut, "expected a session, which ended meanwhile: sign in") }
  }

  /// GRDB binds a text up to its first NUL: another row would be found.
  private static func refuseNUL(_ texts: [String]) throws {
    guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw AccountRefusal(.validation, "expected texts without U+0000")
    }
  }

  func session(hash: Data) async throws -> DeviceSession? {
    try await pool.read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM session WHERE hash = ?", arguments: [hash]).map(
        DeviceSession.init)
    }
  }

  func sessions(of account: Data) async throws -> [DeviceSession] {
    try await pool.read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM session WHERE account = ? ORDER BY seen DESC, created DESC", arguments: [account]
      ).map(DeviceSession.init)
    }
  }

  func touch(session hash: Data, at time: Int64) async throws {
    try await pool.write { database in
      try database.execute(
        sql: "UPDATE session SET seen = ? WHERE hash = ? AND seen < ?", arguments: [time, hash, time])
    }
  }

  func endSessions(of account: Data, _ selection: SessionSelection) async throws -> [Data] {
    try await pool.write { try Self.endSessions($0, account, selection) }
  }

  func setDisabled(_ isDisabled: Bool, account: Data) async throws -> [Data] {
    try await pool.write { database in
      try database.execute(sql: "UPDATE account SET disabled = ? WHERE id = ?", arguments: [isDisabled, account])
      guard isDisabled else { return [] }
      try database.execute(sql: "DELETE FROM reset WHERE account = ?", arguments: [account])
      return try Self.endSessions(database, account, .all)
    }
  }

  func missing(_ sessions: Set<Data>) async throws -> [Data] {
    try await pool.read { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM session WHERE hash = ?")
      return try sessions.filter { try Row.fetchOne(statement, arguments: [$0]) == nil }
    }
  }

  func insert(reset hash: Data, of account: Data, expires: Int64, isMailed: Bool) async throws {
    try await pool.write { database in
      try database.execute(
        sql: "INSERT INTO reset(hash, account, expires, mailed) VALUES (?, ?, ?, ?)",
        arguments: [hash, account, expires, isMailed])
    }
  }

  func account(ofReset hash: Data, at time: Int64) async throws -> Account? {
    try await pool.read { try Self.account($0, ofReset: hash, at: time) }
  }

  func reset(_ hash: Data, password: String, at time: Int64) async throws -> PasswordReset? {
    try await pool.write { database in
      guard let account = try Self.account(database, ofReset: hash, at: time) else { return nil }
      try database.execute(
        sql: "UPDATE account SET verified = 1 WHERE id = ? AND (SELECT mailed FROM reset WHERE hash = ?)",
        arguments: [account.id, hash])
      // Whoever knew the password may have linked their own.
      if account.hasPassword {
        try database.execute(sql: "DELETE FROM identity WHERE account = ?", arguments: [account.id])
      }
      let removed = account.hasPassword ? database.changesCount : 0
      // The others of the account, too: who asked twice has two.
      try database.execute(sql: "UPDATE reset SET used = 1 WHERE account = ?", arguments: [account.id])
      try Self.setPassword(database, password, of: account.id)
      return PasswordReset(sessions: try Self.endSessions(database, account.id, .all), removed: removed)
    }
  }

  func note(_ entry: AuditEntry, of account: Data?) async throws {
    try Self.refuseNUL([entry.what, entry.from])
    try await pool.write { database in
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
    try await pool.write { database in
      try database.execute(sql: "DELETE FROM attempt")
      for (key, bucket) in buckets {
        try database.execute(
          sql: "INSERT INTO attempt(key, tokens, at) VALUES (?, ?, ?)", arguments: [key, bucket.tokens, bucket.at])
      }
    }
  }

  func sweep(at time: Int64, idleSince: Int64) async throws -> [Data] {
    try await pool.write { database in
      try database.execute(sql: "DELETE FROM reset WHERE expires <= ?", arguments: [time])
      return try Data.fetchAll(
        database, sql: "DELETE FROM session WHERE expires <= ? OR seen <= ? RETURNING hash",
        arguments: [time, idleSince])
    }
  }

  func backup(to path: String) async throws {
    try await pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  func settings(of account: Data) async throws -> [Setting] {
    try await pool.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM setting WHERE account = ? ORDER BY name", arguments: [account])
        .map(Setting.init)
    }
  }

  func setting(_ name: String, of account: Data) async throws -> Setting {
    try await pool.read { try Self.setting($0, name, account) }
  }

  func save(
    _ name: String, of account: Data, base: Int64, value: Data?, device: String, at time: Int64,
    committed: @escaping @Sendable (Setting) -> Void
  ) async throws -> SaveResult {
    try Self.refuseNUL([name, device])
    return try await pool.write { database in
      guard try Account.fetch(database, "id = ? AND NOT disabled", [account]) != nil else {
        throw AccountRefusal(.signedOut, "expected an account, which was deleted or disabled meanwhile")
      }
      let present = try Self.setting(database, name, account)
      guard present.revision == base else { return .conflict(present) }
      if base == 0 || value != nil && present.value == nil {
        let counts = try Row.fetchOne(
          database, sql: "SELECT COUNT(value) AS used, COUNT(*) AS named FROM setting WHERE account = ?",
          arguments: [account])
        let (used, named): (Int, Int) = (counts?["used"] ?? 0, counts?["named"] ?? 0)
        // A deleted one keeps its revision, and so its row.
        guard value == nil || used < Accounts.maximumSettingCount, base > 0 || named < Accounts.maximumNameCount else {
          return .full
        }
      }
      let next = Setting(name: name, revision: base + 1, value: value, device: device, changed: time)
      try database.execute(
        sql: """
          INSERT INTO setting(account, name, revision, value, changed, device) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT(account, name) DO UPDATE SET
            revision = excluded.revision, value = excluded.value, changed = excluded.changed, device = excluded.device
          """, arguments: [account, name, next.revision, value, time, device])
      database.afterNextTransaction { _ in committed(next) }
      return .saved(next)
    }
  }

  private static func setting(_ database: Database, _ name: String, _ account: Data) throws -> Setting {
    try refuseNUL([name])
    return try Row.fetchOne(
      database, sql: "SELECT * FROM setting WHERE account = ? AND name = ?", arguments: [account, name]
    ).map(Setting.init) ?? Setting(name: name)
  }

  private static func account(_ database: Database, ofReset hash: Data, at time: Int64) throws -> Account? {
    try Account.fetch(
      database, "id = (SELECT account FROM reset WHERE hash = ? AND used = 0 AND expires > ?)", [hash, time])
  }

  private static func endSessions(_ database: Database, _ account: Data, _ which: SessionSelection) throws -> [Data] {
    let sql = "DELETE FROM session WHERE account = ?"
    switch which {
    case .all: return try Data.fetchAll(database, sql: sql + " RETURNING hash", arguments: [account])
    case .allExcept(let hash):
      return try Data.fetchAll(database, sql: sql + " AND hash <> ? RETURNING hash", arguments: [account, hash])
    case .one(let prefix):
      return try Data.fetchAll(
        database, sql: sql + " AND substr(hash, 1, ?) = ? RETURNING hash", arguments: [account, prefix.count, prefix])
    }
  }
}

extension Account {
  fileprivate static func fetch(_ database: Database, _ condition: String, _ arguments: StatementArguments) throws
    -> Account?
  {
    try Row.fetchOne(database, sql: "SELECT * FROM account WHERE \(condition)", arguments: arguments).map { row in
      Account(
        id: row["id"], address: row["email"], password: row["password"], created: row["created"],
        generation: row["generation"], isVerified: row["verified"], isDisabled: row["disabled"])
    }
  }
}

extension DeviceSession {
  fileprivate init(row: Row) {
    self.init(
      hash: row["hash"], account: row["account"], created: row["created"], seen: row["seen"], expires: row["expires"],
      agent: row["agent"], network: row["network"])
  }
}

extension Setting {
  fileprivate init(row: Row) {
    self.init(
      name: row["name"], revision: row["revision"], value: row["value"], device: row["device"], changed: row["changed"])
  }
}

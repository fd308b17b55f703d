internal import Foundation
internal import GRDB

/// Sessions, and links for a new password.
extension SQLiteStore {
  func insert(_ session: DeviceSession, by proof: LoginProof, replacing hash: Data?, noting entry: AuditEntry)
    async throws -> [Data]
  {
    try await write { database in
      guard try Self.holds(database, proof, session.account) else { throw AccountRefusal.wrongCredentials }
      guard try Account.fetch(database, "id = ? AND disabled", [session.account]) == nil else {
        throw AccountRefusal(.disabled, "expected an account that is not disabled; ask who runs this server")
      }
      var ended: [Data] = []
      if let hash {
        ended = try Data.fetchAll(database, sql: "DELETE FROM session WHERE hash = ? RETURNING hash", arguments: [hash])
      }
      ended += try Data.fetchAll(
        database,
        sql: """
          DELETE FROM session WHERE hash IN (
            SELECT hash FROM session WHERE account = ? ORDER BY seen DESC, created DESC
            LIMIT -1 OFFSET \(Accounts.maximumSessionCount - 1))
          RETURNING hash
          """, arguments: [session.account])
      try Self.insert(database, session)
      try note(database, entry, session.account)
      return ended
    }
  }

  static func insert(_ database: Database, _ session: DeviceSession) throws {
    try refuseNUL([session.agent, session.network])
    try database.execute(
      sql: "INSERT INTO session(hash, account, created, seen, expires, agent, network) VALUES (?, ?, ?, ?, ?, ?, ?)",
      arguments: [
        session.hash, session.account, session.created, session.seen, session.expires, session.agent, session.network,
      ])
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
    try await write { database in
      try database.execute(
        sql: "UPDATE session SET seen = ? WHERE hash = ? AND seen < ?", arguments: [time, hash, time])
    }
  }

  func endSessions(of account: Data, _ selection: SessionSelection, noting entry: AuditEntry) async throws -> [Data] {
    try await write { database in
      let ended = try Self.endSessions(database, account, selection)
      if !ended.isEmpty { try note(database, entry, account) }
      return ended
    }
  }

  func missing(_ sessions: Set<Data>) async throws -> [Data] {
    try await pool.read { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM session WHERE hash = ?")
      return try sessions.filter { try Row.fetchOne(statement, arguments: [$0]) == nil }
    }
  }

  func insert(reset hash: Data, of account: Data, expires: Int64, isMailed: Bool, noting entry: AuditEntry) async throws
  {
    try await write { database in
      try database.execute(
        sql: "INSERT INTO reset(hash, account, expires, mailed) VALUES (?, ?, ?, ?)",
        arguments: [hash, account, expires, isMailed])
      try note(database, entry, account)
    }
  }

  func account(ofReset hash: Data, at time: Int64) async throws -> Account? {
    try await pool.read { try Self.account($0, ofReset: hash, at: time) }
  }

  func reset(_ hash: Data, password: String, noting entry: AuditEntry, ofRemoved removal: AuditEntry) async throws
    -> PasswordReset?
  {
    try await write { database in
      guard let account = try Self.account(database, ofReset: hash, at: entry.at) else { return nil }
      try note(database, entry, account.id)
      try database.execute(
        sql: "UPDATE account SET verified = 1 WHERE id = ? AND (SELECT mailed FROM reset WHERE hash = ?)",
        arguments: [account.id, hash])
      // Whoever knew the password, or had a session, may have linked their own.
      try database.execute(sql: "DELETE FROM identity WHERE account = ?", arguments: [account.id])
      let removed = database.changesCount
      if removed > 0 { try note(database, removal, account.id) }
      // The others of the account, too: who asked twice has two.
      try database.execute(sql: "UPDATE reset SET used = 1 WHERE account = ?", arguments: [account.id])
      try Self.setPassword(database, password, of: account.id)
      return PasswordReset(sessions: try Self.endSessions(database, account.id, .all), removed: removed)
    }
  }

  static func account(_ database: Database, ofReset hash: Data, at time: Int64) throws -> Account? {
    try Account.fetch(
      database, "id = (SELECT account FROM reset WHERE hash = ? AND used = 0 AND expires > ?)", [hash, time])
  }

  static func endSessions(_ database: Database, _ account: Data, _ which: SessionSelection) throws -> [Data] {
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

extension DeviceSession {
  init(row: Row) {
    self.init(
      hash: row["hash"], account: row["account"], created: row["created"], seen: row["seen"], expires: row["expires"],
      agent: row["agent"], network: row["network"])
  }
}

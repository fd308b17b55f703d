internal import Foundation
internal import GRDB

/// Settings, saved by comparing revisions.
extension SQLiteStore {
  func settings(of account: Data, admit: @escaping @Sendable (Int) throws -> Void) async throws -> [Setting] {
    try await pool.read { database in
      // SQLite knows the length of a value without reading it.
      try admit(
        Int.fetchOne(
          database, sql: "SELECT SUM(LENGTH(value)) FROM setting WHERE account = ?", arguments: [account]) ?? 0)
      return try Row.fetchAll(
        database, sql: "SELECT * FROM setting WHERE account = ? ORDER BY name", arguments: [account]
      ).map(Setting.init)
    }
  }

  func settings(of account: Data, valueOf name: String) async throws -> [Setting] {
    try await pool.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT name, revision, IIF(name = ?, value, NULL) AS value, device, changed FROM setting
          WHERE account = ? AND value IS NOT NULL ORDER BY name
          """, arguments: [name, account]
      ).map(Setting.init)
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
    return try await write { database in
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

  static func setting(_ database: Database, _ name: String, _ account: Data) throws -> Setting {
    try refuseNUL([name])
    return try Row.fetchOne(
      database, sql: "SELECT * FROM setting WHERE account = ? AND name = ?", arguments: [account, name]
    ).map(Setting.init) ?? Setting(name: name)
  }
}

extension Setting {
  init(row: Row) {
    self.init(
      name: row["name"], revision: row["revision"], value: row["value"], device: row["device"], changed: row["changed"])
  }
}

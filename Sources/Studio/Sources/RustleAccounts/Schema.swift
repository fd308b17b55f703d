internal import GRDB

/// The versions of the file's schema.
enum Schema {
  /// Each version by its number, with the change from the one before it. What was released is never edited.
  static let versions: [@Sendable (Database) throws -> Void] = [
    { database in
      try database.execute(
        sql: """
          CREATE TABLE account(
            id BLOB PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE COLLATE NOCASE, password TEXT, created INTEGER NOT NULL
          ) WITHOUT ROWID;
          CREATE TABLE session(
            hash BLOB PRIMARY KEY NOT NULL, account BLOB NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            created INTEGER NOT NULL, seen INTEGER NOT NULL, expires INTEGER NOT NULL, agent TEXT NOT NULL, network TEXT NOT NULL
          ) WITHOUT ROWID;
          CREATE INDEX session_account ON session(account);
          CREATE TABLE setting(
            account BLOB NOT NULL REFERENCES account(id) ON DELETE CASCADE, name TEXT NOT NULL, revision INTEGER NOT NULL,
            value BLOB, changed INTEGER NOT NULL, device TEXT NOT NULL, PRIMARY KEY(account, name)
          ) WITHOUT ROWID;
          CREATE TABLE audit(
            id INTEGER PRIMARY KEY, account BLOB REFERENCES account(id) ON DELETE CASCADE, at INTEGER NOT NULL,
            what TEXT NOT NULL, network TEXT NOT NULL
          );
          CREATE INDEX audit_account ON audit(account);
          """)
    },
    { database in
      try database.execute(
        sql: """
          CREATE TABLE reset(
            hash BLOB PRIMARY KEY NOT NULL, account BLOB NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            expires INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0
          ) WITHOUT ROWID;
          CREATE INDEX reset_account ON reset(account);
          CREATE TABLE attempt(key TEXT PRIMARY KEY NOT NULL, tokens REAL NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
          """)
    },
    { database in
      try database.execute(
        sql: """
          CREATE TABLE identity(
            issuer TEXT NOT NULL, subject TEXT NOT NULL, account BLOB NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            PRIMARY KEY(issuer, subject)
          ) WITHOUT ROWID;
          CREATE INDEX identity_account ON identity(account);
          """)
    },
    { database in
      try database.execute(sql: "ALTER TABLE account ADD COLUMN generation INTEGER NOT NULL DEFAULT 0")
    },
    { database in
      try database.execute(
        sql: """
          ALTER TABLE account ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE account ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE reset ADD COLUMN mailed INTEGER NOT NULL DEFAULT 0;
          """)
    },
    { database in
      // Nothing else says by now who typed an address: an account of a provider may have a password, and other identities.
      try database.execute(
        sql: """
          ALTER TABLE account ADD COLUMN labelled INTEGER NOT NULL DEFAULT 0;
          UPDATE account SET labelled = 1 WHERE verified = 0
            AND NOT EXISTS (SELECT 1 FROM audit WHERE audit.account = account.id AND what = 'register');
          """)
    },
  ]

  /// Brings a file to the newest version.
  ///
  /// - Parameter version: an older version to end at, for tests.
  /// - Throws: ``AccountRefusal`` of the code `storage` for a file of a newer program.
  static func migrate(_ writer: any DatabaseWriter, to version: Int = versions.count) throws {
    var migrator = DatabaseMigrator()
    for (index, change) in versions.prefix(version).enumerated() {
      migrator.registerMigration("\(index + 1)") { database in
        try change(database)
        try database.execute(sql: "PRAGMA user_version = \(index + 1)")
      }
    }
    guard try !writer.read({ try migrator.hasBeenSuperseded($0) }) else {
      throw AccountRefusal(.storage, "expected accounts of schema \(versions.count) or older, got newer ones")
    }
    while true {
      let applied = try writer.read(migrator.appliedIdentifiers)
      do { return try migrator.migrate(writer) } catch let error as DatabaseError {
        // Another program that begins at the same time has made changes of it meanwhile.
        guard try writer.read(migrator.appliedIdentifiers) != applied else { throw error }
      }
    }
  }
}

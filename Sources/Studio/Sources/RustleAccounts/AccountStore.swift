internal import Foundation

/// Where accounts are kept. Every function is one transaction: what an entry of the audit notes and the entry are there, or neither is.
protocol AccountStore: Sendable {
  /// - Throws: ``AccountRefusal`` of the code `taken` when the address has an account, in whatever case of its ASCII letters.
  func create(_ account: Account, _ identity: Identity?) async throws
  func account(address: String) async throws -> Account?
  func account(id: Data) async throws -> Account?
  func account(identity: Identity) async throws -> Account?
  /// Makes an identity one of the account's.
  ///
  /// - Throws: ``AccountRefusal`` of the code `taken` when it is another account's, `signedOut` as `changePassword`.
  func insert(_ identity: Identity, of account: Account, from session: Data, noting entry: AuditEntry) async throws
  func identities(of account: Data) async throws -> [Identity]
  /// Takes an identity from the account.
  ///
  /// - Throws: ``AccountRefusal`` of the code `notFound` when it is none of the account's, `conflict` when nothing else signs in to it, and
  ///   `signedOut` as `changePassword`.
  func remove(_ identity: Identity, of account: Account, from session: Data, noting entry: AuditEntry) async throws
  /// Replaces the hash of the account's password, unless it has another one by now.
  func replaceHash(_ hash: String, of account: Account) async throws
  /// Sets the password, puts a new session in place of `old` and ends all others. Returns those that ended.
  ///
  /// - Throws: ``AccountRefusal`` of the code `signedOut` when the session has ended or the account has another password by now.
  func changePassword(
    _ hash: String, of account: Account, from old: Data, to new: DeviceSession, noting entry: AuditEntry
  ) async throws -> [Data]
  /// Deletes the account and all that belongs to it, so that no byte of it stays in the file. Returns its sessions. The entry is of no account.
  ///
  /// - Throws: ``AccountRefusal`` of the code `signedOut` when the session has ended or the account has another password by now.
  func delete(_ account: Account, from session: Data, noting entry: AuditEntry) async throws -> [Data]

  /// Adds a session, in place of another one. Of more than an account may have those end that were used longest ago. Returns those that ended.
  ///
  /// - Throws: ``AccountRefusal`` of the code `credentials` when the proof does not hold any more, `disabled` of a disabled account.
  func insert(_ session: DeviceSession, by proof: LoginProof, replacing hash: Data?, noting entry: AuditEntry)
    async throws -> [Data]
  func session(hash: Data) async throws -> DeviceSession?
  func sessions(of account: Data) async throws -> [DeviceSession]
  func touch(session hash: Data, at time: Int64) async throws
  /// Ends sessions and returns their hashes. The entry is noted if there are any.
  func endSessions(of account: Data, _ selection: SessionSelection, noting entry: AuditEntry) async throws -> [Data]

  /// Disables an account, which ends its sessions and links, or enables it. Returns the sessions that ended.
  func setDisabled(_ isDisabled: Bool, account: Data, noting entry: AuditEntry) async throws -> [Data]
  /// Those of the sessions that are not there.
  func missing(_ sessions: Set<Data>) async throws -> [Data]

  /// Adds a link. `isMailed`: whoever uses it reads mails of the account's address.
  func insert(reset hash: Data, of account: Data, expires: Int64, isMailed: Bool, noting entry: AuditEntry) async throws
  /// The account of a link that is neither used nor expired.
  func account(ofReset hash: Data, at time: Int64) async throws -> Account?
  /// Uses a link: sets the password, ends all sessions, and removes the identities, of which there is an entry of its own. Nil when it is
  /// used or expired.
  func reset(_ hash: Data, password: String, noting entry: AuditEntry, ofRemoved removal: AuditEntry) async throws
    -> PasswordReset?

  /// All settings, with those that were deleted. Before they are read, `admit` gets the number of their values' bytes, and may refuse.
  func settings(of account: Data, admit: @escaping @Sendable (Int) throws -> Void) async throws -> [Setting]
  /// Those that have a value, without it except that of one.
  func settings(of account: Data, valueOf name: String) async throws -> [Setting]
  func setting(_ name: String, of account: Data) async throws -> Setting
  /// Stores a value unless the setting has another revision than `base`.
  ///
  /// - Parameter committed: called after the commit, in the order of commits.
  func save(
    _ name: String, of account: Data, base: Int64, value: Data?, device: String, at time: Int64,
    committed: @escaping @Sendable (Setting) -> Void
  ) async throws -> SaveResult

  /// Adds to the audit. Each kind of entry of an account is kept apart: who guesses passwords pushes out no login of the owner's.
  func note(_ entry: AuditEntry, of account: Data?) async throws
  func audit(of account: Data) async throws -> [AuditEntry]
  func buckets() async throws -> [String: TokenBucket]
  func setBuckets(_ buckets: [String: TokenBucket]) async throws
  /// Forgets sessions and links that are over, and what could not be wiped when an account was deleted.
  func sweep(at time: Int64, idleSince: Int64) async throws -> [Data]
  /// Copies the whole of it into a new file.
  func backup(to path: String) async throws
}

/// What came of a link for a new password.
struct PasswordReset: Sendable, Hashable {
  /// The sessions that ended.
  var sessions: [Data]
  /// The identities that sign in no more.
  var removed: Int
}

/// Which sessions of an account.
enum SessionSelection: Sendable, Hashable {
  case all
  case allExcept(Data)
  /// The one whose hash begins so.
  case one(prefix: Data)
}

/// By what somebody signs in: it was verified before, and holds if the account still has it.
enum LoginProof: Sendable, Hashable {
  /// The generation of the password that was verified.
  case password(generation: Int64)
  case identity(Identity)
}

/// What became of a save.
enum SaveResult: Sendable, Hashable {
  case saved(Setting)
  /// Nothing is stored: this is the present one.
  case conflict(Setting)
  /// The account has as many settings as it may.
  case full
}

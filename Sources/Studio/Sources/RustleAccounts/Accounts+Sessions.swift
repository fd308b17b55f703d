internal import Foundation

extension Accounts {
  /// A session's last use is stored to the minute: reading is not to write. To a tenth of a shorter idle time.
  private var seenPrecision: Int64 { min(60, configuration.idleTime / 10) }

  /// Whose token it is; nil: nobody's, or no longer.
  public func signedIn(token: String) async throws -> SignedIn? {
    guard let session = try await store.session(hash: Self.hash(token)), isAlive(session),
      let account = try await store.account(id: session.account)
    else { return nil }
    if time - session.seen >= seenPrecision { try await store.touch(session: session.hash, at: time) }
    return SignedIn(account: account, session: session)
  }

  /// Signs out.
  public func logOut(_ signedIn: SignedIn) async throws {
    let entry = AuditEntry(at: time, what: "logout", from: signedIn.session.network)
    try await end(signedIn, .one(prefix: signedIn.session.hash), noting: entry)
  }

  /// The sessions of an account, the one that was used last first.
  public func sessions(_ signedIn: SignedIn) async throws -> [DeviceSession] {
    try await store.sessions(of: signedIn.account.id).filter(isAlive)
  }

  /// Ends a session by its id.
  public func endSession(id: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    guard let prefix = Data(hexadecimal: id), prefix.count == 8,
      try await !end(signedIn, .one(prefix: prefix), noting: entry("session ended", client)).isEmpty
    else { throw AccountRefusal(.notFound, "expected the id of a session") }
  }

  /// Ends all sessions but this one.
  public func endOtherSessions(_ signedIn: SignedIn, from client: AccountClient) async throws {
    try await end(signedIn, .allExcept(signedIn.session.hash), noting: entry("other sessions ended", client))
  }

  private func isAlive(_ session: DeviceSession) -> Bool {
    session.expires > time && session.seen > time - configuration.idleTime
  }

  @discardableResult private func end(
    _ signedIn: SignedIn, _ selection: SessionSelection, noting entry: AuditEntry
  ) async throws -> [Data] {
    let ended = try await store.endSessions(of: signedIn.account.id, selection, noting: entry)
    events.end(ended)
    return ended
  }
}

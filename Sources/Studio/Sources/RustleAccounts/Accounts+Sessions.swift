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
    try await end(signedIn, .one(prefix: signedIn.session.hash))
    try await store.note(AuditEntry(at: time, what: "logout", from: signedIn.session.network), of: signedIn.account.id)
  }

  /// The sessions of an account, the one that was used last first.
  public func sessions(_ signedIn: SignedIn) async throws -> [DeviceSession] {
    try await store.sessions(of: signedIn.account.id).filter(isAlive)
  }

  /// Ends a session by its id.
  public func endSession(id: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    guard let prefix = Data(hexadecimal: id), prefix.count == 8,
      try await !end(signedIn, .one(prefix: prefix)).isEmpty
    else { throw AccountRefusal(.notFound, "expected the id of a session") }
    try await note("session ended", signedIn.account.id, client)
  }

  /// Ends all sessions but this one.
  public func endOtherSessions(_ signedIn: SignedIn, from client: AccountClient) async throws {
    try await end(signedIn, .allExcept(signedIn.session.hash))
    try await note("other sessions ended", signedIn.account.id, client)
  }

  private func isAlive(_ session: DeviceSession) -> Bool {
    session.expires > time && session.seen > time - configuration.idleTime
  }

  @discardableResult private func end(_ signedIn: SignedIn, _ selection: SessionSelection) async throws -> [Data] {
    let ended = try await store.endSessions(of: signedIn.account.id, selection)
    events.end(ended)
    return ended
  }
}

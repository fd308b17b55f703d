internal import Foundation

extension Accounts {
  /// The seconds after a sign-in by a provider in which an account without a password is changed or deleted.
  private static let freshness: Int64 = 600

  /// Changes the password. All other sessions end, and this one gets another token.
  public func changePassword(
    from current: String, to new: String, _ signedIn: SignedIn, client: AccountClient
  ) async throws -> Login {
    var account = signedIn.account
    try AccountRules.check(password: new, address: account.address)
    let hash = try await confirm(current, signedIn, client) { try await hasher.hash(new) }
    let (token, session) = makeSession(account, client)
    events.end(
      try await store.changePassword(
        hash, of: account, from: signedIn.session.hash, to: session, noting: entry("password changed", client)))
    account.password = hash
    return Login(token: token, session: session, account: account)
  }

  /// A link's token for a new password, to be mailed to the account's address.
  ///
  /// - Returns: nil when the address has no account, is only the label of one, or has got as many mails as it may. From outside these look
  ///   alike.
  public func resetToken(address: String, from client: AccountClient) async throws -> (token: String, address: String)?
  {
    guard let address = try? AccountRules.address(address),
      let account = try await store.account(address: address), !account.isDisabled, account.hasAddress
    else { return nil }
    do { try limits.take([(.mail, account.id.hexadecimal)]) } catch is AccountRefusal { return nil }
    return (try await makeResetToken(account, client.network, isMailed: true), account.address)
  }

  /// A link's token for a new password, for who has the server's terminal.
  ///
  /// - Throws: ``AccountRefusal`` of the code `notFound` for an address without an account.
  public func resetToken(onTerminalFor address: String) async throws -> String {
    let account = try await account(onTerminal: address)
    guard !account.isDisabled else { throw AccountRefusal(.disabled, "expected an account that is not disabled") }
    return try await makeResetToken(account, Self.terminal, isMailed: false)
  }

  /// Whether the owner of an account gets a mail about another change of it.
  public func admitsNotice(to account: Account) -> Bool {
    guard account.hasAddress else { return false }
    do { try limits.take([(.notice, account.id.hexadecimal)]) } catch { return false }
    return true
  }

  /// Counts a request that costs a mail or a hash.
  public func admit(_ client: AccountClient) throws { try limits.take([(.network, client.network)]) }

  /// Sets the password by a link's token, once, ends all sessions, and removes the identities: who knew the password, or had a session, may
  /// have linked their own.
  ///
  /// - Returns: the account, and the number of these identities.
  @discardableResult public func resetPassword(
    token: String, password: String, from client: AccountClient
  ) async throws -> (account: Account, removed: Int) {
    let refusal = AccountRefusal(
      .link, "expected a link that is neither used nor older than its time; ask for another one")
    let (account, hash) = try await limits.taking([(.network, client.network)]) {
      guard let account = try await store.account(ofReset: Self.hash(token), at: time) else { throw refusal }
      try AccountRules.check(password: password, address: account.address)
      return (account, try await hasher.hash(password))
    }
    let done = try await store.reset(
      Self.hash(token), password: hash, noting: entry("password reset", client),
      ofRemoved: entry("providers removed", client))
    guard let done else { throw refusal }
    events.end(done.sessions)
    return (account, done.removed)
  }

  /// Asks for the password, or for a sign-in of the last minutes, before the ways of signing in change.
  public func confirm(password: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    try await confirm(password, signedIn, client) {}
  }

  /// Asks for the password again before what cannot be undone (ASVS 5.0, 7.5.1). What is to be done after it may meet a busy server as
  /// well, which costs no try.
  func confirm<Result: Sendable>(
    _ password: String, _ signedIn: SignedIn, _ client: AccountClient, for work: () async throws -> Result
  ) async throws -> Result {
    let account = signedIn.account
    guard account.password != nil else {
      // Also of a clock that was set back.
      guard abs(time - signedIn.session.created) <= Self.freshness else {
        throw AccountRefusal(.credentials, "expected a sign-in by the provider within the last 10 minutes")
      }
      return try await work()
    }
    // Not the address's: who guesses from outside does not keep the owner from it.
    let own = account.id.hexadecimal
    let result: Result? = try await limits.taking([(.address, own), (.network, client.network)]) {
      guard try await hasher.verify(password, account.password) else { return nil }
      return try await work()
    }
    guard let result else {
      try await note("password refused", account.id, client)
      throw AccountRefusal(.credentials, "password: expected the account's password", field: "password")
    }
    limits.giveBack(.address, own)
    return result
  }

  private func makeResetToken(_ account: Account, _ network: String, isMailed: Bool) async throws -> String {
    let token = Sodium.random(Self.tokenLength).base64URL
    try await store.insert(
      reset: Self.hash(token), of: account.id, expires: time + configuration.linkTime, isMailed: isMailed,
      noting: AuditEntry(at: time, what: "reset link", from: network))
    return token
  }
}

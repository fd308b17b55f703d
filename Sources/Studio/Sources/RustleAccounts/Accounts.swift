public import Foundation
internal import Synchronization

/// Accounts, their sessions and their settings.
///
/// ```swift
/// let accounts = try Accounts(path: "accounts.sqlite")
/// let login = try await accounts.register(address: "ada@example.org", password: password, from: client)
/// let signedIn = try await accounts.signedIn(token: login.token)
/// ```
///
/// Passwords are hashed on one thread, tokens are stored as hashes, and each setting is saved by comparing its revision. All functions throw
/// ``AccountError``.
public final class Accounts: Sendable {
  /// How accounts are kept.
  public struct Configuration: Sendable, Hashable {
    /// The seconds without a request after which a session ends.
    public var idleTime: Int64 = 14 * 86_400
    /// The seconds after which a session ends however it is used.
    public var longestTime: Int64 = 90 * 86_400
    /// The seconds for which a link for a new password holds.
    public var linkTime: Int64 = 30 * 60
    /// The limits that differ from the standard ones.
    public var limits: [LimitedAction: RateLimit] = [:]
    /// The memory of a password's hash in KiB (Argon2id; OWASP's cheat sheet), 8 or more.
    public var hashMemory = 19_456
    /// The passes over that memory, 1 or more.
    public var hashPasses = 2
    /// A secret of 32 bytes that is kept elsewhere and without which the file's hashes are of no use; nil: none.
    public var pepper: Data?

    /// The standard values.
    public init() {}
  }

  /// A new session.
  public struct Login: Sendable {
    /// What the browser keeps in its cookie: 32 random bytes in base64url. It is stored nowhere.
    public let token: String
    /// The session.
    public let session: AccountSession
    /// Its account.
    public let account: Account
  }

  /// Who a token belongs to.
  public struct SignedIn: Sendable {
    /// The account.
    public let account: Account
    /// The session.
    public let session: AccountSession
  }

  /// The settings that an account may have.
  public static let maximumSettingCount = 250
  /// The bytes of a token, before base64url (ASVS 5.0, 7.2.3 demands 16).
  private static let tokenLength = 32
  /// The seconds after a sign-in by a provider in which an account without a password is changed or deleted.
  private static let freshness: Int64 = 600
  /// A session's last use is stored to the minute: reading is not to write.
  private static let seenPrecision: Int64 = 60

  let store: any AccountStore
  let events = AccountEvents()
  let limits: RateLimits
  private let hasher: PasswordHasher
  private let configuration: Configuration
  private let now: @Sendable () -> Double

  /// Opens or makes the file, whose folder is made too.
  ///
  /// - Parameters:
  ///   - path: the file of the database; two further files stand beside it while it is open.
  ///   - now: the seconds since 1970.
  /// - Throws: ``AccountError`` of the code `storage`, or an error of the file system.
  public init(
    path: String, configuration: Configuration = Configuration(),
    now: @escaping @Sendable () -> Double = { Date.now.timeIntervalSince1970 }
  ) async throws {
    self.configuration = configuration
    self.now = now
    store = try SQLiteStore(path: path)
    hasher = PasswordHasher(
      cost: Sodium.Cost(memory: configuration.hashMemory, passes: configuration.hashPasses),
      pepper: configuration.pepper)
    limits = RateLimits(configuration.limits, buckets: try await store.buckets(), now: now)
  }

  /// Keeps the limits over a restart.
  public func close() async throws { try await store.setBuckets(limits.kept) }

  /// Ends sessions and links whose time is over.
  public func sweep() async throws {
    events.end(try await store.sweep(at: time, idleSince: time - configuration.idleTime))
  }

  /// Copies all accounts into a new file, while they are in use.
  public func backup(to path: String) async throws { try await store.backup(to: path) }

  // MARK: Signing in

  /// Creates an account and signs in.
  public func register(address: String, password: String, from client: AccountClient) async throws -> Login {
    let address = try AccountRules.address(address)
    try AccountRules.check(password: password, address: address)
    try limits.take([(.signUp, client.network)])
    // Before the work of a hash; who comes first of two at once is known by the store.
    guard try await store.account(address: address) == nil else {
      throw AccountError(.taken, "email: expected an address without an account", field: "email")
    }
    let account = Account(
      id: Sodium.random(16), address: address, password: try await hasher.hash(password), created: time)
    try await store.create(account, nil)
    try await note("register", account.id, client)
    return try await begin(account, client)
  }

  /// Signs in.
  ///
  /// - Parameter token: a token that the browser has, whose session is replaced: nobody goes on in one that was planted (ASVS 5.0, 7.2.4).
  public func logIn(
    address: String, password: String, from client: AccountClient, replacing token: String? = nil
  ) async throws -> Login {
    let address = address.trimmingCharacters(in: .whitespacesAndNewlines)
    try limits.take([(.address, address.lowercased()), (.network, client.network)])
    let account = try await store.account(address: address)
    guard try await hasher.verify(password, account?.password), var account else {
      try await note("login refused", account?.id, client)
      throw AccountError(.credentials, "expected another address or password")
    }
    limits.giveBack(.address, address.lowercased())
    if let hash = account.password, hasher.isOutdated(hash) {
      account.password = try await hasher.hash(password)
      _ = try await store.setPassword(account.password ?? hash, of: account.id, ending: .none)
    }
    try await note("login", account.id, client)
    return try await begin(account, client, replacing: token)
  }

  /// Signs in somebody whom a provider has named. Of a new identity an account is made.
  ///
  /// - Parameter address: the address that the provider has verified; nil: none. It is a label: an account of that address is not theirs.
  /// - Throws: ``AccountError`` of the code `taken` when the address has an account: its owner links the two.
  public func logIn(
    _ identity: Identity, address: String?, from client: AccountClient, replacing token: String? = nil
  ) async throws -> Login {
    if let account = try await store.account(identity: identity) {
      try await note("login by a provider", account.id, client)
      return try await begin(account, client, replacing: token)
    }
    try limits.take([(.signUp, client.network)])
    let host = URL(string: identity.issuer)?.host() ?? "provider"
    let label = address.flatMap { try? AccountRules.address($0) } ?? "\(identity.subject)@\(host)"
    let account = Account(id: Sodium.random(16), address: label, password: nil, created: time)
    do {
      try await store.create(account, identity)
    } catch let error as AccountError where error.code == .taken {
      throw AccountError(
        .taken, "expected an address without an account; sign in by its password and link the provider there")
    }
    try await note("register by a provider", account.id, client)
    return try await begin(account, client, replacing: token)
  }

  /// Makes an identity one of the account's.
  ///
  /// - Throws: ``AccountError`` of the code `taken` when it is another account's.
  public func link(_ identity: Identity, _ signedIn: SignedIn, from client: AccountClient) async throws {
    let owner = try await store.account(identity: identity)
    if owner?.id == signedIn.account.id { return }
    try await store.insert(identity, of: signedIn.account.id)
    try await note("provider linked", signedIn.account.id, client)
  }

  /// The identities of an account.
  public func identities(_ signedIn: SignedIn) async throws -> [Identity] {
    try await store.identities(of: signedIn.account.id)
  }

  /// Notes a sign-in by a provider that was refused.
  public func noteRefusal(_ reason: String, from client: AccountClient) async throws {
    try await note("provider refused: \(reason)", nil, client)
  }

  /// Whose token it is; nil: nobody's, or no longer.
  public func signedIn(token: String) async throws -> SignedIn? {
    guard let session = try await store.session(hash: Self.hash(token)), isAlive(session),
      let account = try await store.account(id: session.account)
    else { return nil }
    if time - session.seen >= Self.seenPrecision { try await store.touch(session: session.hash, at: time) }
    return SignedIn(account: account, session: session)
  }

  /// Signs out.
  public func logOut(_ signedIn: SignedIn) async throws {
    try await end(signedIn, .one(prefix: signedIn.session.hash))
    try await store.note(AuditEntry(at: time, what: "logout", from: signedIn.session.network), of: signedIn.account.id)
  }

  /// The sessions of an account, the one that was used last first.
  public func sessions(_ signedIn: SignedIn) async throws -> [AccountSession] {
    try await store.sessions(of: signedIn.account.id).filter(isAlive)
  }

  /// Ends a session by its id.
  public func endSession(id: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    guard let prefix = Data(hexadecimal: id), prefix.count == 8,
      try await !end(signedIn, .one(prefix: prefix)).isEmpty
    else { throw AccountError(.notFound, "expected the id of a session") }
    try await note("session ended", signedIn.account.id, client)
  }

  /// Ends all sessions but this one.
  public func endOtherSessions(_ signedIn: SignedIn, from client: AccountClient) async throws {
    try await end(signedIn, .allExcept(signedIn.session.hash))
    try await note("other sessions ended", signedIn.account.id, client)
  }

  // MARK: Passwords

  /// Changes the password. All other sessions end, and this one gets another token.
  public func changePassword(
    from current: String, to new: String, _ signedIn: SignedIn, client: AccountClient
  ) async throws -> Login {
    let account = signedIn.account
    try AccountRules.check(password: new, address: account.address)
    try await confirm(current, signedIn, client)
    let hash = try await hasher.hash(new)
    events.end(
      try await store.setPassword(hash, of: account.id, ending: .allExcept(signedIn.session.hash)))
    try await note("password changed", account.id, client)
    return try await begin(account, client, replacingHash: signedIn.session.hash)
  }

  /// A link's token for a new password, to be mailed to the account's address.
  ///
  /// - Returns: nil when the address has no account, or has got as many mails as it may. From outside the two look alike.
  public func resetToken(address: String, from client: AccountClient) async throws -> (token: String, address: String)?
  {
    let address = address.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let account = try await store.account(address: address) else { return nil }
    do { try limits.take([(.mail, account.id.hexadecimal)]) } catch is AccountError { return nil }
    return (try await makeResetToken(account, client.network), account.address)
  }

  /// A link's token for a new password, for who has the server's terminal.
  ///
  /// - Throws: ``AccountError`` of the code `notFound` for an address without an account.
  public func resetToken(onTerminalFor address: String) async throws -> String {
    guard let account = try await store.account(address: address.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw AccountError(.notFound, "expected the address of an account, got \(address)")
    }
    return try await makeResetToken(account, "terminal")
  }

  /// Counts a request that costs a mail or a hash.
  public func admit(_ client: AccountClient) throws { try limits.take([(.network, client.network)]) }

  /// Sets the password by a link's token, once, and ends all sessions.
  public func resetPassword(token: String, password: String, from client: AccountClient) async throws {
    try admit(client)
    let refusal = AccountError(
      .link, "expected a link that is neither used nor older than its time; ask for another one")
    guard let account = try await store.account(ofReset: Self.hash(token), at: time) else { throw refusal }
    try AccountRules.check(password: password, address: account.address)
    let hash = try await hasher.hash(password)
    guard let done = try await store.reset(Self.hash(token), password: hash, at: time) else { throw refusal }
    events.end(done.sessions)
    try await note("password reset", account.id, client)
  }

  // MARK: Settings

  /// All settings that have a value, by their names.
  public func settings(_ signedIn: SignedIn) async throws -> [Setting] {
    try await store.settings(of: signedIn.account.id).filter { $0.value != nil }
  }

  /// A setting; of revision 0 when it was never saved.
  public func setting(_ name: String, _ signedIn: SignedIn) async throws -> Setting {
    try await store.setting(name, of: signedIn.account.id)
  }

  /// Saves a value if the setting still has the revision `base`, and reports it to all sessions of the account.
  ///
  /// - Parameters:
  ///   - value: nil deletes it; the revision goes on.
  ///   - device: what the device calls itself, so that it knows its own saves.
  public func save(
    _ name: String, base: Int64, value: Data?, device: String, _ signedIn: SignedIn
  ) async throws -> SettingSave {
    let id = signedIn.account.id
    try limits.take([(.save, id.hexadecimal)])
    let result = try await store.save(
      name, of: id, base: base, value: value, device: device, at: time,
      committed: { [events] in events.send(.setting($0), to: id) })
    switch result {
    case .saved(let setting): return .saved(setting)
    case .conflict(let setting): return .conflict(setting)
    case .full:
      throw AccountError(.validation, "name: expected at most \(Self.maximumSettingCount) settings", field: "name")
    }
  }

  /// Reports to the other sessions of the account a value that is not saved.
  public func preview(
    _ name: String, base: Int64, value: Data, device: String, from subscriber: Int?, _ signedIn: SignedIn
  ) {
    events.send(
      .preview(name: name, base: base, value: value, device: device), to: signedIn.account.id, except: subscriber)
  }

  /// Calls `receive` with each event of the session's account, which must not wait, until it is unsubscribed or the session has
  /// ended. Nil when it has already.
  public func subscribe(
    _ signedIn: SignedIn, _ receive: @escaping @Sendable (AccountEvent) -> Void
  ) async throws -> Int? {
    let id = events.subscribe(signedIn.session, receive)
    // It may have ended just before.
    guard try await store.session(hash: signedIn.session.hash) == nil else { return id }
    events.unsubscribe(id)
    return nil
  }

  /// Ends what ``subscribe(_:_:)`` began.
  public func unsubscribe(_ id: Int) { events.unsubscribe(id) }

  // MARK: The whole account

  /// What happened to the account.
  public func audit(_ signedIn: SignedIn) async throws -> [AuditEntry] {
    try await store.audit(of: signedIn.account.id)
  }

  /// Deletes the account with all that belongs to it.
  public func delete(password: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    try await confirm(password, signedIn, client)
    events.end(try await store.delete(account: signedIn.account.id))
    try await note("account deleted", nil, client)
  }

  // MARK: -

  private var time: Int64 { Int64(now()) }

  private func isAlive(_ session: AccountSession) -> Bool {
    session.expires > time && session.seen > time - configuration.idleTime
  }

  /// Asks for the password again before what cannot be undone (ASVS 5.0, 7.5.1).
  private func confirm(_ password: String, _ signedIn: SignedIn, _ client: AccountClient) async throws {
    let account = signedIn.account
    guard account.password != nil else {
      guard time - signedIn.session.created <= Self.freshness else {
        throw AccountError(.credentials, "expected a sign-in by the provider within the last 10 minutes")
      }
      return
    }
    try limits.take([(.address, account.address.lowercased()), (.network, client.network)])
    guard try await hasher.verify(password, account.password) else {
      try await note("password refused", account.id, client)
      throw AccountError(.credentials, "password: expected the account's password", field: "password")
    }
    limits.giveBack(.address, account.address.lowercased())
  }

  private func begin(_ account: Account, _ client: AccountClient, replacing token: String? = nil) async throws -> Login
  {
    try await begin(account, client, replacingHash: token.map(Self.hash))
  }

  private func begin(_ account: Account, _ client: AccountClient, replacingHash hash: Data?) async throws -> Login {
    let token = Sodium.random(Self.tokenLength).base64URL
    let session = AccountSession(
      hash: Self.hash(token), account: account.id, created: time, seen: time,
      expires: time + configuration.longestTime, agent: client.agent, network: client.network)
    try await store.insert(session, replacing: hash)
    if let hash { events.end([hash]) }
    return Login(token: token, session: session, account: account)
  }

  private func makeResetToken(_ account: Account, _ network: String) async throws -> String {
    let token = Sodium.random(Self.tokenLength).base64URL
    try await store.insert(reset: Self.hash(token), of: account.id, expires: time + configuration.linkTime)
    try await store.note(AuditEntry(at: time, what: "reset link", from: network), of: account.id)
    return token
  }

  @discardableResult private func end(_ signedIn: SignedIn, _ selection: SessionSelection) async throws -> [Data] {
    let ended = try await store.endSessions(of: signedIn.account.id, selection)
    events.end(ended)
    return ended
  }

  private func note(_ what: String, _ account: Data?, _ client: AccountClient) async throws {
    try await store.note(AuditEntry(at: time, what: what, from: client.network), of: account)
  }

  /// What is stored of a token. It has 256 random bits: nothing slower is needed.
  private static func hash(_ token: String) -> Data { Sodium.sha256(Data(token.utf8)) }
}

/// What became of a save.
public enum SettingSave: Sendable, Hashable {
  /// It has the next revision.
  case saved(Setting)
  /// Nothing is stored: this is the present one.
  case conflict(Setting)

  /// What is stored now.
  public var setting: Setting {
    switch self {
    case .saved(let setting), .conflict(let setting): setting
    }
  }
}

extension Data {
  /// Reads pairs of digits; nil for other text.
  init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    self.init(bytes)
  }
}

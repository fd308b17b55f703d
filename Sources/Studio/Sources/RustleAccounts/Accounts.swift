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
/// ``AccountRefusal``.
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
    /// The passes over that memory, 1 or more: OWASP's 2 take 16 ms where a check is to take 60 or more.
    public var hashPasses = 12
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
    public let session: DeviceSession
    /// Its account.
    public let account: Account
    /// Whether the account was made by it.
    public var isNew = false
  }

  /// Who a token belongs to.
  public struct SignedIn: Sendable {
    /// The account.
    public let account: Account
    /// The session.
    public let session: DeviceSession
  }

  /// The sessions that an account may have: a program that signs in again and again ends its own.
  static let maximumSessionCount = 100
  /// The bytes of a token, before base64url (ASVS 5.0, 7.2.3 demands 16).
  static let tokenLength = 32

  let store: any AccountStore
  let events = AccountEvents()
  let limits: RateLimits
  let hasher: PasswordHasher
  let configuration: Configuration
  private let now: @Sendable () -> Double

  /// Opens or makes the file, whose folder is made too.
  ///
  /// - Parameters:
  ///   - path: the file of the database; two further files stand beside it while it is open.
  ///   - now: the seconds since 1970.
  /// - Throws: ``AccountRefusal`` of the code `storage`, or an error of the file system.
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

  /// Ends sessions and links whose time is over. One that somebody listens to is in use as long as this is called within the idle time.
  public func sweep() async throws {
    events.end(try await store.sweep(at: time, idleSince: time - configuration.idleTime))
    for session in events.sessions { try await store.touch(session: session, at: time) }
  }

  /// Ends what listens to sessions that another process has ended, as the command does.
  public func endMissing() async throws {
    let sessions = events.sessions
    if !sessions.isEmpty { events.end(try await store.missing(sessions)) }
  }

  /// Copies all accounts into a new file, while they are in use.
  public func backup(to path: String) async throws { try await store.backup(to: path) }

  // MARK: Signing in

  /// Creates an account and signs in.
  ///
  /// - Parameter token: a token that the browser has, whose session is replaced.
  public func register(
    address: String, password: String, from client: AccountClient, replacing token: String? = nil
  ) async throws -> Login {
    let address = try AccountRules.address(address)
    try AccountRules.check(password: password, address: address)
    let hash = try await limits.taking([(.signUp, client.network)]) {
      // Before the work of a hash; who comes first of two at once is known by the store.
      guard try await store.account(address: address) == nil else {
        throw AccountRefusal(.taken, "email: expected an address without an account", field: "email")
      }
      return try await hasher.hash(password)
    }
    let account = Account(id: Sodium.random(16), address: address, password: hash, created: time)
    try await store.create(account, nil)
    let proof = LoginProof.password(generation: account.generation)
    return try await begin(account, by: proof, "register", client, replacing: token)
  }

  /// Signs in.
  ///
  /// - Parameter token: a token that the browser has, whose session is replaced: nobody goes on in one that was planted (ASVS 5.0, 7.2.4).
  public func logIn(
    address: String, password: String, from client: AccountClient, replacing token: String? = nil
  ) async throws -> Login {
    let known = try? AccountRules.address(address)
    let address = known ?? address
    let (account, isRight) = try await limits.taking([(.address, address.lowercased()), (.network, client.network)]) {
      // A text that is no address is an unknown one.
      let account = if let known { try await store.account(address: known) } else { Account?.none }
      return (account, try await hasher.verify(password, account?.password))
    }
    guard isRight, let account else {
      try await note("login refused", account?.id, client)
      throw AccountRefusal.wrongCredentials
    }
    limits.giveBack(.address, address.lowercased())
    // Too busy for it, the next login hashes again.
    if let hash = account.password, hasher.isOutdated(hash), let newer = try? await hasher.hash(password) {
      try await store.replaceHash(newer, of: account)
    }
    let proof = LoginProof.password(generation: account.generation)
    return try await begin(account, by: proof, "login", client, replacing: token)
  }

  /// Signs in somebody whom a provider has named. Of a new identity an account is made.
  ///
  /// - Parameter address: the address that the provider has verified; nil: none. It is a label: an account of that address is not theirs.
  /// - Throws: ``AccountRefusal`` of the code `taken` when the address has an account: its owner links the two.
  public func logIn(
    _ identity: Identity, address: String?, from client: AccountClient, replacing token: String? = nil
  ) async throws -> Login {
    if let account = try await store.account(identity: identity) {
      return try await begin(account, by: .identity(identity), "login by a provider", client, replacing: token)
    }
    try limits.take([(.signUp, client.network)])
    let (id, host) = (Sodium.random(16), URL(string: identity.issuer)?.host() ?? "provider")
    let verified = address.flatMap { try? AccountRules.address($0) }
    // Of a label that somebody has registered as an address there is another one: nobody is shut out by that.
    for label in verified.map({ [$0] }) ?? ["\(identity.subject)@\(host)", "\(id.hexadecimal)@\(host)"] {
      let account = Account(
        id: id, address: label, password: nil, created: time, isVerified: verified != nil, isLabelled: verified == nil)
      do {
        try await store.create(account, identity)
      } catch let error as AccountRefusal where error.code == .taken {
        // The same person in another tab was first.
        guard let account = try await store.account(identity: identity) else { continue }
        return try await begin(account, by: .identity(identity), "login by a provider", client, replacing: token)
      }
      var login = try await begin(account, by: .identity(identity), "register by a provider", client, replacing: token)
      login.isNew = true
      return login
    }
    throw AccountRefusal(
      .taken, "expected an address without an account; sign in by its password and link the provider there")
  }

  /// Makes an identity one of the account's.
  ///
  /// - Returns: whether it was none before.
  /// - Throws: ``AccountRefusal`` of the code `taken` when it is another account's.
  @discardableResult public func link(
    _ identity: Identity, _ signedIn: SignedIn, from client: AccountClient
  ) async throws -> Bool {
    let owner = try await store.account(identity: identity)
    if owner?.id == signedIn.account.id { return false }
    try await store.insert(
      identity, of: signedIn.account, from: signedIn.session.hash, noting: entry("provider linked", client))
    return true
  }

  /// The identities of an account.
  public func identities(_ signedIn: SignedIn) async throws -> [Identity] {
    try await store.identities(of: signedIn.account.id)
  }

  /// Takes an identity from the account. Sessions that it began live on.
  ///
  /// - Throws: ``AccountRefusal`` of the code `conflict` when nothing else signs in to the account.
  public func unlink(_ identity: Identity, _ signedIn: SignedIn, from client: AccountClient) async throws {
    try await store.remove(
      identity, of: signedIn.account, from: signedIn.session.hash, noting: entry("provider removed", client))
  }

  /// Notes a sign-in by a provider that was refused.
  public func noteRefusal(_ reason: String, from client: AccountClient) async throws {
    try await note("provider refused: \(reason)", nil, client)
  }

  // MARK: The whole account

  /// Where the command's entries of the audit come from.
  static let terminal = "terminal"

  /// Disables the account of an address, which ends its sessions and links, or enables it.
  ///
  /// - Throws: ``AccountRefusal`` of the code `notFound` for an address without an account.
  public func setDisabled(_ isDisabled: Bool, onTerminalFor address: String) async throws {
    let account = try await account(onTerminal: address)
    let what = isDisabled ? "account disabled" : "account enabled"
    events.end(
      try await store.setDisabled(
        isDisabled, account: account.id, noting: AuditEntry(at: time, what: what, from: Self.terminal)))
  }

  func account(onTerminal address: String) async throws -> Account {
    guard let known = try? AccountRules.address(address), let account = try await store.account(address: known) else {
      throw AccountRefusal(.notFound, "expected the address of an account, got '\(address)'")
    }
    return account
  }

  /// What happened to the account.
  public func audit(_ signedIn: SignedIn) async throws -> [AuditEntry] {
    try await store.audit(of: signedIn.account.id)
  }

  /// Deletes the account with all that belongs to it.
  public func delete(password: String, _ signedIn: SignedIn, from client: AccountClient) async throws {
    try await confirm(password, signedIn, client) {}
    events.end(
      try await store.delete(
        signedIn.account, from: signedIn.session.hash, noting: entry("account deleted", client)))
  }

  // MARK: -

  var time: Int64 { Int64(now()) }

  /// Begins a session and notes it, if the account still has what was verified.
  private func begin(
    _ account: Account, by proof: LoginProof, _ what: String, _ client: AccountClient, replacing old: String? = nil
  ) async throws -> Login {
    let (token, session) = makeSession(account, client)
    events.end(
      try await store.insert(session, by: proof, replacing: old.map(Self.hash), noting: entry(what, client)))
    return Login(token: token, session: session, account: account)
  }

  func makeSession(_ account: Account, _ client: AccountClient) -> (token: String, session: DeviceSession) {
    let token = Sodium.random(Self.tokenLength).base64URL
    let session = DeviceSession(
      hash: Self.hash(token), account: account.id, created: time, seen: time,
      expires: time + configuration.longestTime, agent: client.agent, network: client.network)
    return (token, session)
  }

  func note(_ what: String, _ account: Data?, _ client: AccountClient) async throws {
    try await store.note(entry(what, client), of: account)
  }

  func entry(_ what: String, _ client: AccountClient) -> AuditEntry {
    AuditEntry(at: time, what: what, from: client.network)
  }

  /// What is stored of a token. It has 256 random bits: nothing slower is needed.
  static func hash(_ token: String) -> Data { Sodium.sha256(Data(token.utf8)) }
}

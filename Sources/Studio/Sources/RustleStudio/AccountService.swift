public import Foundation
internal import HTTPTypes
internal import Logging
internal import NIOHTTP1
public import RustleAccounts
internal import StudioCore
internal import Synchronization

/// How the studio keeps accounts.
public struct AccountSettings: Sendable, Hashable {
  /// The file of the database.
  public var file: URL
  /// Times, limits and the cost of a hash.
  public var configuration = Accounts.Configuration()
  /// The server that takes mails; nil: links for a new password are printed by the command.
  public var mail: MailServer?
  /// The address by which links in mails begin, such as `https://studio.example.org/`; nil: the one that is printed.
  public var publicAddress: String?
  /// Providers of OpenID Connect, by the names in the routes; only a build with the trait OIDC uses them.
  public var providers: [String: IdentityProvider] = [:]

  /// - Parameter file: the file of the database, which is made when it is missing.
  public init(file: URL) { self.file = file }
}

/// Accounts of the studio: who sent a request, and the mails.
final class AccountService: Sendable {
  /// The cookie with the token, before the port.
  private static let cookie = "rustle_session"
  /// The seconds after which sessions and links that are over are deleted, at most.
  private static let sweepPeriod: Int64 = 600
  /// The time within which sockets end whose session the command has ended.
  private static let watchPeriod = Duration.milliseconds(500)

  let accounts: Accounts
  let settings: AccountSettings
  private let proxies: TrustedProxies
  private let mailer: Mailer?
  private let address = Mutex("")
  private let logger: Logger
  private let sweeping: Task<Void, Never>
  private let watching: Task<Void, Never>

  init(_ settings: AccountSettings, proxies: TrustedProxies, logger: Logger) async throws {
    let accounts = try await Accounts(path: settings.file.path, configuration: settings.configuration)
    (self.accounts, self.settings, self.proxies, self.logger) = (accounts, settings, proxies, logger)
    mailer = try settings.mail.map { try Mailer(server: $0, logger: logger) }
    // More than once in the idle time: a session that a socket listens to is in use.
    let period = Duration.seconds(max(1, min(Self.sweepPeriod, settings.configuration.idleTime / 4)))
    sweeping = Task {
      while !Task.isCancelled {
        try? await accounts.sweep()
        try? await Task.sleep(for: period)
      }
    }
    watching = Task {
      while !Task.isCancelled {
        try? await accounts.endMissing()
        try? await Task.sleep(for: Self.watchPeriod)
      }
    }
  }

  /// The server listens, and is reached by this address.
  func listens(at address: String) {
    self.address.withLock {
      $0 = settings.publicAddress ?? address.split(separator: "?").first.map(String.init) ?? address
    }
  }

  func stop() async {
    sweeping.cancel()
    watching.cancel()
    mailer?.stop()
    do { try await accounts.close() } catch { logger.warning("the limits of tries are not kept: \(error)") }
  }

  /// Whether mails are sent.
  var sendsMail: Bool { mailer != nil }

  /// Mails a link for a new password, if the address has an account. It happens later: how long it takes says nothing.
  func forgot(_ address: String, _ client: AccountClient) {
    mailer?.enqueue { [accounts, page] in
      guard let reset = try await accounts.resetToken(address: address, from: client) else { return nil }
      return Mail(
        to: reset.address, subject: "A new password for the studio",
        text: """
          Somebody at \(client.network) asked for a new password for the account of this address.

          \(page)/reset/\(reset.token)

          The link holds for 30 minutes and works once. Without it nothing changes.
          """)
    }
  }

  /// Mails the owner of an account how signing in to it has changed.
  ///
  /// - Parameter change: a sentence.
  func notify(_ account: Account, _ change: String, _ client: AccountClient) {
    mailer?.enqueue { [accounts, page] in
      guard accounts.admitsNotice(to: account) else { return nil }
      return Mail(
        to: account.address, subject: "A change of your account of the studio",
        text: """
          \(change) It was done from \(client.network).

          If that was not you, ask for a new password: it ends all sessions and removes linked sign-ins.

          \(page)
          """)
    }
  }

  /// The address of the account's screen.
  private var page: String {
    let base = address.withLock(\.self)
    return (base.hasSuffix("/") ? base : base + "/") + "#/account"
  }

  /// Who sent a request, and whether over https.
  func client(_ head: HTTPRequest, peer: String) -> (client: AccountClient, isSecure: Bool) {
    let forwarded = proxies.forwarded(head, peer: peer)
    let agent = head.headerFields[.userAgent] ?? ""
    return (AccountClient(address: forwarded?.address ?? peer, agent: agent), forwarded?.isSecure ?? false)
  }

  /// The token of a request.
  func token(_ head: HTTPRequest, isSecure: Bool) -> String? {
    let name = CookieName.of(Self.cookie, host: head.authority, isSecure: isSecure)
    return Self.value(of: name, in: head.headerFields[.cookie])
  }

  /// The token of an upgrade.
  func token(_ head: HTTPRequestHead, isSecure: Bool) -> String? {
    let name = CookieName.of(Self.cookie, host: head.headers.first(name: "host"), isSecure: isSecure)
    return Self.value(of: name, in: head.headers["cookie"].joined(separator: "; "))
  }

  /// The value of a cookie; nil: there is none, or more than one.
  static func value(of name: String, in cookies: String?) -> String? {
    let found = CookieName.values(of: name, in: cookies)
    // Of two, one was planted: which one is unknown.
    return found.count == 1 ? found[0] : nil
  }

  /// The header that keeps a token in the browser.
  func cookie(_ token: String, for call: AccountCall) -> String {
    let name = CookieName.of(Self.cookie, host: call.host, isSecure: call.isSecure)
    return "\(name)=\(token); HttpOnly; SameSite=Lax; Path=/; Max-Age=\(settings.configuration.longestTime)"
      + (call.isSecure ? "; Secure" : "")
  }
}

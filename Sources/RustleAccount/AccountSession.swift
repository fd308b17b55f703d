public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session of an account on a studio's server. Whoever has its token is signed in: keep it where nobody else reads it.
public struct AccountSession: Sendable, Hashable, Codable {
  /// The server's address, with the studio's token where it needs one: `http://192.168.1.20:8420/?token=…`, as it prints it.
  public let server: URL
  /// The address of the account.
  public let email: String
  /// `name=value`, with the token.
  let cookie: String

  var transport: AccountServer { AccountServer(server, cookie: cookie) }

  /// Logs in.
  ///
  /// - Throws: ``AccountError``: `credentials` for a wrong address or password, `limited` after too many tries, `unreachable`.
  public static func logIn(to server: URL, email: String, password: String) async throws(AccountError) -> Self {
    guard ["http", "https"].contains(server.scheme?.lowercased()), server.host != nil else {
      throw AccountError(
        .validation, "server: expected an address of http or https, got \(server.absoluteString)",
        advice: "Take the one that the studio prints.")
    }
    let connection = AccountServer(server, cookie: nil)
    let answer: AccountServer.Answer
    do {
      answer = try await connection.ask("POST", "api/login", ["email": email, "password": password])
    } catch {
      guard error.code == .signedOut else { throw error }
      throw AccountError(
        .credentials, "expected the address and the password of an account", advice: "Check both, and try again.")
    }
    guard let cookie = answer.sessionCookie else { throw AccountServer.malformed }
    return Self(server: server, email: email, cookie: cookie)
  }

  /// Ends the session on the server.
  ///
  /// - Parameter patience: the seconds without an answer after which the server is `unreachable`.
  /// - Throws: ``AccountError``; a session that has ended already is no error.
  public func logOut(patience: Double = 45) async throws(AccountError) {
    let transport = AccountServer(server, cookie: cookie, silence: patience)
    do { _ = try await transport.ask("POST", "api/logout", [String: String]()) } catch {
      if error.code != .signedOut { throw error }
    }
  }

  /// The account's present gains.
  ///
  /// - Throws: ``AccountError``.
  public func gains() async throws(AccountError) -> EqualizerGains {
    try AccountServer.saved(try await transport.ask("GET", "api/eq").body).gains
  }
}

extension AccountSession: CustomStringConvertible, CustomReflectable {
  /// The address of the account; the token is left out.
  public var description: String { email }
  /// The address of the account; the token is left out.
  public var customMirror: Mirror { Mirror(self, children: ["email": email]) }
}

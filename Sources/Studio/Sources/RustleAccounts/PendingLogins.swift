public import Foundation
internal import Synchronization

/// Sign-ins by a provider that have begun: each is bound to a browser by a cookie, holds for ten minutes and ends once.
public final class PendingLogins: Sendable {
  /// A sign-in that has begun.
  public struct Login: Sendable, Hashable {
    /// The name of the provider in the configuration.
    public let provider: String
    /// What the callback has to bring.
    public let state: String
    /// What the ID token has to bring.
    public let nonce: String
    /// What the code is exchanged with (RFC 7636).
    public let verifier: String
    /// Where to go afterwards.
    public let returnPath: String
    /// The account that the identity is linked to; nil: somebody signs in.
    public let account: Data?
    fileprivate let expires: Double

    /// The challenge of the method S256: the hash of the verifier.
    public var challenge: String { Sodium.sha256(Data(verifier.utf8)).base64URL }
  }

  /// The seconds for which a sign-in may take.
  public static let lifetime = 600.0
  /// Sign-ins under way at most; the oldest makes room.
  static let maximumCount = 10_000
  /// Where a sign-in ends that names no place.
  public static let standardPath = "/#/account"

  private let now: @Sendable () -> Double
  private let logins = Mutex<[Data: Login]>([:])

  /// - Parameter now: the seconds since 1970.
  public init(now: @escaping @Sendable () -> Double = { Date.now.timeIntervalSince1970 }) { self.now = now }

  /// Begins a sign-in. Returns it with the text of the cookie.
  public func begin(provider: String, returnPath: String?, account: Data?) -> (cookie: String, login: Login) {
    func random() -> String { Sodium.random(32).base64URL }
    let cookie = random()
    let login = Login(
      provider: provider, state: random(), nonce: random(), verifier: random(),
      returnPath: returnPath.flatMap(Self.safePath) ?? Self.standardPath, account: account,
      expires: now() + Self.lifetime)
    logins.withLock { logins in
      if logins.count >= Self.maximumCount {
        let now = now()
        logins = logins.filter { $0.value.expires > now }
        if logins.count >= Self.maximumCount, let oldest = logins.min(by: { $0.value.expires < $1.value.expires }) {
          logins[oldest.key] = nil
        }
      }
      logins[Sodium.sha256(Data(cookie.utf8))] = login
    }
    return (cookie, login)
  }

  /// Ends a sign-in, whatever comes of it. Nil when the browser began none, or another one, or too long ago.
  public func end(cookie: String?, state: String?) -> Login? {
    guard let cookie, let state,
      let login = logins.withLock({ $0.removeValue(forKey: Sodium.sha256(Data(cookie.utf8))) })
    else { return nil }
    guard login.expires > now(), Sodium.isEqual(Data(login.state.utf8), Data(state.utf8)) else { return nil }
    return login
  }

  /// A path of this server alone; nil for what may lead elsewhere.
  static func safePath(_ path: String) -> String? {
    let isPlain = path.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 && $0 != "\\" }
    return path.hasPrefix("/") && !path.hasPrefix("//") && isPlain && path.utf8.count <= 512 ? path : nil
  }
}

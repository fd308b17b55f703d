/// Why something about an account was refused.
public struct AccountRefusal: Error, Sendable, Hashable {
  /// The kinds of refusals.
  public enum Code: String, Sendable, Hashable {
    /// A field has a value that it may not have.
    case validation
    /// The address has an account.
    case taken
    /// The address or the password is another one. It does not say which.
    case credentials
    /// The account is disabled. Only who has its password or identity learns it.
    case disabled
    /// Nobody is signed in.
    case signedOut
    /// There is no such session or setting.
    case notFound
    /// The link was used, has expired, or never was.
    case link
    /// The setting has another revision.
    case conflict
    /// There were too many tries.
    case limit
    /// The server has too much to do.
    case busy
    /// The stored data cannot be used.
    case storage
  }

  /// The kind.
  public let code: Code
  /// What was expected and what came. A password or token is never part of it.
  public let message: String
  /// The field of the request; nil: none in particular.
  public let field: String?
  /// After how many seconds it may be tried again; nil: it does not help.
  public let retryAfter: Int?

  /// - Parameters:
  ///   - code: the kind.
  ///   - message: what was expected and what came, without secrets.
  ///   - field: the field of the request; nil: none in particular.
  ///   - retryAfter: after how many seconds it may be tried again; nil: it does not help.
  public init(_ code: Code, _ message: String, field: String? = nil, retryAfter: Int? = nil) {
    (self.code, self.message, self.field, self.retryAfter) = (code, message, field, retryAfter)
  }

  /// One refusal for all that does not sign in: it does not say what was wrong.
  static let wrongCredentials = Self(.credentials, "expected another address or password")

  /// The HTTP status.
  public var status: Int {
    switch code {
    case .validation, .link: 400
    case .credentials, .signedOut: 401
    case .disabled: 403
    case .notFound: 404
    case .taken, .conflict: 409
    case .limit: 429
    case .busy: 503
    case .storage: 500
    }
  }
}

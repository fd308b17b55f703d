public import RustleCore

/// The error of an account: a stable code, the expected and the received value, and advice.
public struct AccountError: CodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The function does not accept an argument. Nothing was done.
    case validation = 1
    /// There is no account with this address and password.
    case credentials = 2
    /// The session has ended.
    case signedOut = 3
    /// The server refuses the request, mostly because its token is another one.
    case refused = 4
    /// The server does not answer.
    case unreachable = 5
    /// The answer is none of a studio's.
    case response = 6
    /// The server refuses the request for now: there were too many, or it has too much to do.
    case limited = 7

    /// The code as a text, for example `ACCOUNT_UNREACHABLE`.
    public var name: String {
      switch self {
      case .validation: "ACCOUNT_VALIDATION"
      case .credentials: "ACCOUNT_CREDENTIALS"
      case .signedOut: "ACCOUNT_SIGNED_OUT"
      case .refused: "ACCOUNT_REFUSED"
      case .unreachable: "ACCOUNT_UNREACHABLE"
      case .response: "ACCOUNT_RESPONSE"
      case .limited: "ACCOUNT_LIMITED"
      }
    }

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .validation, .credentials, .signedOut, .refused: .arguments
      case .unreachable, .response, .limited: .machine
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.account"

  /// The kind of error.
  public let code: Code
  /// The expected and the received value in one sentence.
  public let message: String
  /// A way to avoid the error.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .unreachable || code == .limited }

  init(_ code: Code, _ message: String, advice: String) {
    (self.code, self.message, self.advice) = (code, message, advice)
  }

  static func unreachable(_ reason: String) -> Self {
    Self(.unreachable, "expected an answer of the server, got \(reason)", advice: "Check the address, and try again.")
  }

  static let signedOut = Self(
    .signedOut, "expected a session of the account, got one that has ended", advice: "Log in again.")
}

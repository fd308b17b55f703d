public import RustleCore

/// Why a spectrum is refused: a stable code, the argument with what was expected of it and what came, and what to do.
public struct FFTError: NativeCodedError {
  /// The kind of refusal. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// An argument is not what the function accepts. Nothing was computed.
    case validation = 1
    /// The native side failed.
    case fft = 2

    /// The code as a text: `VALIDATION_ERROR` or `FFT_ERROR`.
    public var name: String {
      switch self {
      case .validation: "VALIDATION_ERROR"
      case .fft: "FFT_ERROR"
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.fft"
  /// The key of the bridged error's `userInfo` whose value is the code's ``Code/name``.
  public static let codeNameKey = "code"

  /// The kind of refusal.
  public let code: Code
  /// The argument or option at fault; nil with ``Code/fft``.
  public let argument: String?
  /// What was expected of it; nil with ``Code/fft``.
  public let expected: String?
  /// What came; nil with ``Code/fft``.
  public let got: String?
  /// All of it as one sentence.
  public let message: String
  /// What to do about it.
  public let advice: String
  /// Whether the same call may succeed later.
  public let isRetryable: Bool

  static func validation(_ argument: String, expected: String, got: String, advice: String) -> Self {
    Self(
      code: .validation, argument: argument, expected: expected, got: got,
      message: "\(argument): expected \(expected), got \(got)", advice: advice, isRetryable: false)
  }

  static func native(_ message: String, advice: String, isRetryable: Bool = false) -> Self {
    Self(
      code: .fft, argument: nil, expected: nil, got: nil, message: message, advice: advice, isRetryable: isRetryable)
  }

  package init(_ error: NativeError) {
    self =
      switch error.status {
      case .archiveMismatch:
        .native(error.message, advice: "Run scripts/build and build the package again.")
      case .exhausted:
        .native(error.message, advice: "Try again when the process uses less memory.", isRetryable: true)
      default:
        // The arguments were checked before: this is a fault of the package.
        .native(error.message, advice: "Report it with this text.")
      }
  }

  private init(
    code: Code, argument: String?, expected: String?, got: String?, message: String, advice: String, isRetryable: Bool
  ) {
    self.code = code
    self.argument = argument
    self.expected = expected
    self.got = got
    self.message = message
    self.advice = advice
    self.isRetryable = isRetryable
  }
}

public import RustleCore

/// The error of a transform: a stable code, the argument, the expected and the received value, and advice.
public struct FFTError: NativeCodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The function does not accept an argument. Nothing was computed.
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

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin { self == .validation ? .arguments : .program }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.fft"
  /// The key of the bridged error's `userInfo` whose value is the code's ``Code/name``.
  public static let codeNameKey = "code"

  /// The kind of error.
  public let code: Code
  /// The argument or option at fault; nil with ``Code/fft``.
  public let argument: String?
  /// The expected value; nil with ``Code/fft``.
  public let expected: String?
  /// The received value; nil with ``Code/fft``.
  public let got: String?
  /// Argument, expected and received value in one sentence.
  public let message: String
  /// A way to avoid the error.
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
        // The arguments were checked before: this is a bug of the package.
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

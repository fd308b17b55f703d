public import RustleCore

/// The error of tempo: a stable code, the expected and the received value, and advice.
public struct TempoError: CodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The function does not accept an argument. Nothing was done.
    case validation = 1
    /// There is no such network interface.
    case unknownInterface = 2
    /// The system refuses the network.
    case network = 3
    /// The engine was shut down.
    case shutDown = 4
    /// The native side failed.
    case native = 5

    /// The code as a text, for example `TEMPO_NETWORK`.
    public var name: String {
      switch self {
      case .validation: "TEMPO_VALIDATION"
      case .unknownInterface: "TEMPO_UNKNOWN_INTERFACE"
      case .network: "TEMPO_NETWORK"
      case .shutDown: "TEMPO_SHUT_DOWN"
      case .native: "TEMPO_NATIVE"
      }
    }

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .validation, .unknownInterface: .arguments
      case .network: .machine
      case .shutDown, .native: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.tempo"

  /// The kind of error.
  public let code: Code
  /// The expected and the received value in one sentence.
  public let message: String
  /// A way to avoid the error.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .network }

  package init(_ code: Code, _ message: String, advice: String) {
    (self.code, self.message, self.advice) = (code, message, advice)
  }
}

extension TempoError: NativeCodedError {
  package init(_ error: NativeError) {
    self =
      switch error.status {
      case .unknownInterface:
        Self(.unknownInterface, error.message, advice: "Choose one of these by its name or address; lo stays inside.")
      case .networkFailed:
        Self(
          .network, error.message,
          advice: "Name an interface with multicast, and end a program that does not share port 20808.")
      case .invalidLength, .invalidValue, .invalidUTF8, .rateOutOfRange:
        Self(.validation, error.message, advice: "Pass a value within the range.")
      case .shutDown:
        Self(.shutDown, error.message, advice: "Create a new one.")
      case .archiveMismatch, .recordSize:
        Self(.native, error.message, advice: "Run scripts/build and build the package again.")
      case .exhausted:
        Self(.native, error.message, advice: "Try again when the process uses less memory and fewer threads.")
      case .forked:
        Self(.native, error.message, advice: "Create a new one in this process: a fork does not have the threads.")
      default:
        // The arguments were checked before: this is a bug of the package.
        Self(.native, error.message, advice: "Create a new one, and report it with this text.")
      }
  }
}

/// The interfaces as the native side reads them.
///
/// - Throws: ``TempoError`` with ``TempoError/Code/validation`` for a name that is none, or a port that is none.
func nativeInterfaces(_ interfaces: [String]?, port: Int) throws(TempoError) -> String {
  guard (1...65_535).contains(port) else {
    throw TempoError(
      .validation, "configuration.port: expected 1 to 65535, got \(port)", advice: "Take 20808, that of other programs."
    )
  }
  guard let interfaces else { return "all" }
  if let other = interfaces.first(where: { $0.allSatisfy(\.isWhitespace) || $0.contains(",") }) {
    throw TempoError(
      .validation, "configuration.interfaces: expected names or addresses, got \"\(other)\"",
      advice: "Take nil for all interfaces.")
  }
  return interfaces.joined(separator: ",")
}

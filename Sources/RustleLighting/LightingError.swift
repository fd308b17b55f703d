public import RustleCore

/// The error of lighting: a stable code, the expected and the received value, and advice.
public struct LightingError: CodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The function does not accept an argument. Nothing was done.
    case validation = 1
    /// The protocol does not have the universe.
    case universe = 2
    /// There is no such network interface, or none is the default.
    case unknownInterface = 3
    /// The system refuses the network: no route, no permission, or no multicast on the interface.
    case network = 4
    /// The call does not fit the current state: for example, levels are set before the start.
    case wrongState = 5
    /// A line or a file of frames is malformed.
    case malformedInput = 6
    /// The engine was shut down.
    case shutDown = 7
    /// The native side failed.
    case native = 8

    /// The code as a text, for example `LIGHTING_UNIVERSE`.
    public var name: String {
      switch self {
      case .validation: "LIGHTING_VALIDATION"
      case .universe: "LIGHTING_UNIVERSE"
      case .unknownInterface: "LIGHTING_UNKNOWN_INTERFACE"
      case .network: "LIGHTING_NETWORK"
      case .wrongState: "LIGHTING_WRONG_STATE"
      case .malformedInput: "LIGHTING_MALFORMED_INPUT"
      case .shutDown: "LIGHTING_SHUT_DOWN"
      case .native: "LIGHTING_NATIVE"
      }
    }

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .validation, .universe, .unknownInterface: .arguments
      case .malformedInput: .data
      case .network: .machine
      case .wrongState, .shutDown, .native: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.lighting"

  /// The kind of error.
  public let code: Code
  /// The expected and the received value in one sentence.
  public let message: String
  /// A way to avoid the error.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .network }

  package init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  static func validation(
    _ argument: String, expected: String, got: String, advice: String = "Pass a value within the range."
  ) -> Self {
    Self(.validation, "\(argument): expected \(expected), got \(got)", advice: advice)
  }
}

extension LightingError {
  /// Performs a native call; the advice is that of malformed input.
  static func rethrowing<Result: ~Copyable>(
    advice: String, _ call: () throws(NativeError) -> Result
  ) throws(LightingError) -> Result {
    do throws(LightingError) { return try rethrowing(call) } catch {
      throw error.code == .malformedInput ? LightingError(.malformedInput, error.message, advice: advice) : error
    }
  }
}

extension LightingError: NativeCodedError {
  package init(_ error: NativeError) {
    self =
      switch error.status {
      case .invalidUniverse:
        Self(.universe, error.message, advice: "Pass a universe of 1 to 63999, or a Port-Address of 0 to 32767.")
      case .unknownInterface:
        Self(.unknownInterface, error.message, advice: "Choose one of these by its name or address; lo stays inside.")
      case .networkFailed:
        Self(
          .network, error.message,
          advice: "Name an interface with multicast, or a destination, and check that the process may use the network.")
      case .unwritableFile:
        Self(.network, error.message, advice: "Choose a folder that exists and that the process may write to.")
      case .addressUnavailable:
        Self(
          .network, error.message,
          advice:
            "End the program that does not share the port (ss -ulpn names it), or choose another port on both sides.")
      case .noDestination:
        Self(.validation, error.message, advice: "Name a node's address, or ask for the broadcast.")
      case .malformedAddress:
        Self(.validation, error.message, advice: "Pass an address such as 10.0.0.7 or 10.0.0.7:6454.")
      case .malformedFile:
        Self(.malformedInput, error.message, advice: "Correct the value that the message names.")
      case .invalidLength, .invalidValue, .invalidUTF8, .rateOutOfRange:
        Self(.validation, error.message, advice: "Pass a value within the range.")
      case .shutDown:
        Self(.shutDown, error.message, advice: "Create a new one.")
      case .staleHandle:
        Self(.wrongState, error.message, advice: "Start it first.")
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

public import RustleCore

/// The error of sound processing, recording and playback: a stable code, the expected and the received value, and advice.
public struct AudioError: CodedError {
  /// The kind of error. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The function does not accept an argument. Nothing was done.
    case validation = 1
    /// Sound of another rate or layout than expected was received.
    case formatMismatch = 2
    /// No device has that name.
    case deviceNotFound = 3
    /// The device is in use by another program.
    case deviceBusy = 4
    /// The device was removed, or its server stopped.
    case deviceLost = 5
    /// The device does not support the rate, the channels, or the direction.
    case deviceUnsupported = 6
    /// The system's sound library is not installed.
    case noSoundLibrary = 7
    /// The call does not fit the current state: for example, a running recorder is started again.
    case wrongState = 8
    /// The engine was shut down.
    case shutDown = 9
    /// The native side failed.
    case native = 10

    /// The code as a text, for example `AUDIO_FORMAT_MISMATCH`.
    public var name: String {
      switch self {
      case .validation: "AUDIO_VALIDATION"
      case .formatMismatch: "AUDIO_FORMAT_MISMATCH"
      case .deviceNotFound: "AUDIO_DEVICE_NOT_FOUND"
      case .deviceBusy: "AUDIO_DEVICE_BUSY"
      case .deviceLost: "AUDIO_DEVICE_LOST"
      case .deviceUnsupported: "AUDIO_DEVICE_UNSUPPORTED"
      case .noSoundLibrary: "AUDIO_NO_SOUND_LIBRARY"
      case .wrongState: "AUDIO_WRONG_STATE"
      case .shutDown: "AUDIO_SHUT_DOWN"
      case .native: "AUDIO_NATIVE"
      }
    }

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .validation: .arguments
      case .formatMismatch: .data
      case .deviceNotFound, .deviceBusy, .deviceLost, .deviceUnsupported, .noSoundLibrary: .machine
      case .wrongState, .shutDown, .native: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.audio"

  /// The kind of error.
  public let code: Code
  /// The expected and the received value in one sentence.
  public let message: String
  /// A way to avoid the error.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .deviceBusy || code == .deviceLost || code == .deviceNotFound }

  package init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  package static func validation(
    _ argument: String, expected: String, got: String, advice: String = "Pass a value within the range."
  ) -> Self {
    Self(.validation, "\(argument): expected \(expected), got \(got)", advice: advice)
  }

  package static func formatMismatch(expected: AudioFormat, got: AudioFormat) -> Self {
    Self(
      .formatMismatch, "expected sound of \(expected), got \(got)",
      advice: "Convert the sound first, or begin anew with its format.")
  }
}

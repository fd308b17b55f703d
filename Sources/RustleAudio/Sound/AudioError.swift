public import RustleCore

/// Why sound cannot be measured, changed, recorded or played: a stable code, what was expected and what came, and what to do.
public struct AudioError: CodedError {
  /// The kind of refusal. The numbers and names are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// An argument is not what the function accepts. Nothing was done.
    case validation = 1
    /// Sound of another rate or layout came than what is worked on.
    case formatMismatch = 2
    /// There is no device of that name.
    case deviceNotFound = 3
    /// The device is in use by another program.
    case deviceBusy = 4
    /// The device was there and is gone: unplugged, or its server stopped.
    case deviceLost = 5
    /// The device does not do what is asked for: its rate, its channels, or the direction.
    case deviceUnsupported = 6
    /// The system's sound library is not installed.
    case noSoundLibrary = 7
    /// The call does not fit what is going on: a recorder that records is started again.
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
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.audio"

  /// The kind of refusal.
  public let code: Code
  /// One sentence: what was expected and what came.
  public let message: String
  /// What to do about it.
  public let advice: String

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .deviceBusy || code == .deviceLost || code == .deviceNotFound }

  package init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  package static func validation(
    _ argument: String, expected: String, got: String, advice: String = "Give a value within the range."
  ) -> Self {
    Self(.validation, "\(argument): expected \(expected), got \(got)", advice: advice)
  }

  package static func formatMismatch(expected: AudioFormat, got: AudioFormat) -> Self {
    Self(
      .formatMismatch, "expected sound of \(expected), got \(got)",
      advice: "Convert the sound first, or begin anew with its format.")
  }
}

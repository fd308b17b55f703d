public import RustleCore

/// An error of a ticker: a stable code, the expected and the actual value, and advice.
public struct TickerError: NativeCodedError {
  /// The kind of error. The numbers are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// The list of symbols is empty.
    case noSymbols = 1
    /// The list has a symbol twice.
    case duplicateSymbol = 2
    /// A symbol is empty or contains white space or a control character.
    case malformedSymbol = 3
    /// A symbol is longer than 32 bytes of UTF-8.
    case symbolTooLong = 4
    /// There are more than 100,000 symbols.
    case tooManySymbols = 5
    /// The rate is not 0.001 to 10,000,000 updates per second.
    case rateOutOfRange = 6
    /// The ticker was shut down.
    case shutDown = 7
    /// The native side of the ticker failed earlier; its running streams go on.
    case poisoned = 8
    /// The system has no thread or no memory left.
    case exhausted = 9
    /// The linked native archive differs from the one that the package was built against.
    case archiveMismatch = 10
    /// A fault inside the package; the message has the details.
    case `internal` = 11
    /// A buffer's capacity is not 1 to 1,048,576.
    case capacityOutOfRange = 12
    /// An update limit is 0: a stream that ends before its first update.
    case updateLimitOutOfRange = 13
    /// The process is a fork of the one that started the engines and does not have their threads.
    case forked = 14

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .noSymbols, .duplicateSymbol, .malformedSymbol, .symbolTooLong, .tooManySymbols, .rateOutOfRange,
        .capacityOutOfRange, .updateLimitOutOfRange:
        .arguments
      case .exhausted: .machine
      case .shutDown, .poisoned, .forked, .archiveMismatch, .internal: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.ticker"

  /// The kind of error.
  public let code: Code
  /// The expected and the actual value, in one sentence.
  public let message: String

  init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package init(_ error: NativeError) {
    let code: Code =
      switch error.status {
      case .noSymbols: .noSymbols
      case .duplicateSymbol: .duplicateSymbol
      case .malformedSymbol: .malformedSymbol
      case .symbolTooLong: .symbolTooLong
      case .tooManySymbols: .tooManySymbols
      case .rateOutOfRange: .rateOutOfRange
      case .shutDown: .shutDown
      case .poisoned: .poisoned
      case .exhausted: .exhausted
      case .forked: .forked
      case .archiveMismatch, .recordSize: .archiveMismatch
      case .invalidLength: .capacityOutOfRange
      case .nullPointer, .invalidValue, .invalidUTF8, .staleHandle, .unsupported, .panicked, .wrongState,
        .deviceNotFound,
        .deviceBusy, .deviceUnsupported, .deviceFailed, .noSoundLibrary, .malformedSchema, .unknownFormat,
        .unreadableFile, .malformedAddress, .addressUnavailable, .wrongSource,
        .invalidUniverse, .unknownInterface, .networkFailed, .noDestination, .malformedFile, .unwritableFile,
        .noBluetooth,
        .unknown:
        .internal
      }
    self.init(code: code, message: error.message)
  }

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .exhausted }

  /// What the caller can do.
  public var advice: String {
    switch code {
    case .noSymbols, .duplicateSymbol, .malformedSymbol, .symbolTooLong, .tooManySymbols: "Correct the list of symbols."
    case .rateOutOfRange, .capacityOutOfRange, .updateLimitOutOfRange: "Choose a value within the range."
    case .shutDown, .poisoned: "Make a new ticker."
    case .forked: "Start engines after the fork: begin the new process with exec, or fork before the first start."
    case .exhausted: "Try again when the process runs fewer threads or streams."
    case .archiveMismatch: "Run scripts/build and build the package again."
    case .internal: "Report it with this text."
    }
  }
}

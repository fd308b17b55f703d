public import RustleCore

/// An error of a feed: a stable code, the expected and the actual value, and advice.
public struct FeedError: NativeCodedError {
  /// The kind of error. The numbers are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// A simulation has no symbols.
    case noSymbols = 1
    /// A list has a symbol twice.
    case duplicateSymbol = 2
    /// A symbol is empty or contains white space or a control character.
    case malformedSymbol = 3
    /// A symbol is longer than 32 bytes of UTF-8.
    case symbolTooLong = 4
    /// There are more than 100,000 symbols.
    case tooManySymbols = 5
    /// The rate is not 0.001 to 10,000,000 updates per second.
    case rateOutOfRange = 6
    /// A capacity is not 1 to 1,048,576, a message limit is not 1 to 16,777,216, or there are more model parameters than symbols.
    case capacityOutOfRange = 7
    /// An interval, a lateness, a pace, a level, a hysteresis or a model's parameter is out of range.
    case valueOutOfRange = 8
    /// An update limit is 0: a source that ends before its first update.
    case updateLimitOutOfRange = 9
    /// The text of a schema is malformed.
    case malformedSchema = 10
    /// Neither the configuration nor the file's name determines the file's format.
    case unknownFormat = 11
    /// A file cannot be opened or read.
    case unreadableFile = 12
    /// The stream, or a feed that its host fills, has ended.
    case ended = 13
    /// The feed was shut down.
    case shutDown = 14
    /// The native side of the feed failed earlier; its running streams go on.
    case poisoned = 15
    /// The system has no thread or no memory left.
    case exhausted = 16
    /// The linked native archive differs from the one that the package was built against.
    case archiveMismatch = 17
    /// A fault inside the package; the message has the details.
    case `internal` = 18
    /// An address is malformed.
    case malformedAddress = 19
    /// An address cannot be served: it is in use, or not local.
    case addressUnavailable = 20
    /// The feed's source is not filled by its host.
    case wrongSource = 21
    /// The template of a subscription message is malformed.
    case malformedTemplate = 22
    /// A header of a request is malformed or reserved.
    case malformedHeader = 23
    /// The process is a fork of the one that started the engines and does not have their threads.
    case forked = 24
    /// A file cannot be written: its folder or the disk does not allow it, or it is not a regular file.
    case unwritableFile = 25
    /// A file exists and may not be replaced.
    case fileExists = 26

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .noSymbols, .duplicateSymbol, .malformedSymbol, .symbolTooLong, .tooManySymbols, .rateOutOfRange,
        .capacityOutOfRange, .valueOutOfRange, .updateLimitOutOfRange, .malformedSchema, .malformedAddress,
        .unknownFormat, .malformedTemplate, .malformedHeader, .fileExists:
        .arguments
      case .unreadableFile: .input
      case .addressUnavailable, .exhausted, .unwritableFile: .machine
      case .ended, .shutDown, .poisoned, .forked, .wrongSource, .archiveMismatch, .internal: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.feed"

  /// The kind of error.
  public let code: Code
  /// The expected and the actual value, in one sentence.
  public let message: String

  package init(code: Code, message: String) {
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
      case .invalidLength: .capacityOutOfRange
      case .invalidValue: .valueOutOfRange
      case .malformedSchema: .malformedSchema
      case .unknownFormat: .unknownFormat
      case .unreadableFile: .unreadableFile
      case .malformedAddress: .malformedAddress
      case .addressUnavailable: .addressUnavailable
      case .wrongSource: .wrongSource
      case .wrongState: .ended
      case .shutDown: .shutDown
      case .poisoned: .poisoned
      case .exhausted: .exhausted
      case .forked: .forked
      case .archiveMismatch, .recordSize: .archiveMismatch
      case .nullPointer, .invalidUTF8, .staleHandle, .unsupported, .panicked,
        .invalidUniverse, .unknownInterface, .networkFailed, .noDestination, .malformedFile, .unwritableFile,
        .noBluetooth,
        .deviceNotFound,
        .deviceBusy,
        .deviceUnsupported,
        .deviceFailed, .noSoundLibrary, .unknown:
        .internal
      }
    self.init(code: code, message: error.message)
  }

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .exhausted || code == .unreadableFile || code == .addressUnavailable }

  /// What the caller can do.
  public var advice: String {
    switch code {
    case .noSymbols, .duplicateSymbol, .malformedSymbol, .symbolTooLong, .tooManySymbols: "Correct the list of symbols."
    case .rateOutOfRange, .capacityOutOfRange, .valueOutOfRange, .updateLimitOutOfRange:
      "Choose a value within the range."
    case .malformedSchema: "Correct the schema: symbol=PATH,price=PATH and optional fields."
    case .unknownFormat: "Choose the format, or name the file .ndjson or .csv."
    case .malformedAddress:
      "Write host:port, [address]:port or unix:/path; of a WebSocket, ws://host/path or wss://host/path."
    case .addressUnavailable: "Choose another address, or stop the process that uses this one."
    case .wrongSource: "Make a feed of the kind `external`."
    case .malformedTemplate: "Write the peer's message with $symbol or $symbols where the names belong."
    case .malformedHeader: "Write a header as Name: value, in printable characters."
    case .unreadableFile: "Check that the file exists and is readable."
    case .unwritableFile: "Check the folder and the disk, or choose another file."
    case .fileExists: "Choose another name, or pass `overwrite: true`."
    case .ended: "Start a new stream, or make a new feed."
    case .shutDown, .poisoned: "Make a new feed."
    case .forked: "Start engines after the fork: begin the new process with exec, or fork before the first start."
    case .exhausted: "Try again when the process runs fewer threads or streams."
    case .archiveMismatch: "Run scripts/build and build the package again."
    case .internal: "Report it with this text."
    }
  }
}

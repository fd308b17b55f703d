public import RustleCore

/// Why a feed refuses: a stable code, what was expected and what came, and what to do about it.
public struct FeedError: NativeCodedError {
  /// The kind of refusal. The numbers are stable; new ones are appended.
  public enum Code: Int, ErrorCode {
    /// A simulation has no symbols.
    case noSymbols = 1
    /// A symbol stands in a list twice.
    case duplicateSymbol = 2
    /// A symbol is empty, or has white space or a control character in it.
    case malformedSymbol = 3
    /// A symbol is longer than 32 bytes of UTF-8.
    case symbolTooLong = 4
    /// There are more than 100,000 symbols.
    case tooManySymbols = 5
    /// The rate is not 0.001 to 10,000,000 updates a second.
    case rateOutOfRange = 6
    /// A capacity is not 1 to 1,048,576, a message limit not 1 to 16,777,216, or there are parameters of more symbols than there
    /// are.
    case capacityOutOfRange = 7
    /// An interval, a lateness, a pace, a level, a hysteresis or a model's parameter is out of its range.
    case valueOutOfRange = 8
    /// An update limit is 0: a source that ends before its first update.
    case updateLimitOutOfRange = 9
    /// The text of a schema cannot be read.
    case malformedSchema = 10
    /// Neither the configuration nor the file's name says what the file holds.
    case unknownFormat = 11
    /// A file cannot be opened or read.
    case unreadableFile = 12
    /// The stream, or a feed that its host fills, is over.
    case ended = 13
    /// The feed was shut down.
    case shutDown = 14
    /// The native side of the feed failed earlier; its running streams go on.
    case poisoned = 15
    /// The system has no thread or no memory left for it.
    case exhausted = 16
    /// The linked native archive is not the one that the package was built against.
    case archiveMismatch = 17
    /// A fault inside the package; the message has the details.
    case `internal` = 18
    /// A text is no address.
    case malformedAddress = 19
    /// An address cannot be served: it is taken, or not of this machine.
    case addressUnavailable = 20
    /// The feed's source is not one that its host fills.
    case wrongSource = 21
    /// The text of a subscription message cannot be read.
    case malformedTemplate = 22
    /// A header of a request cannot be sent.
    case malformedHeader = 23
    /// The process is a fork of the one that started the engines: their threads are not in it.
    case forked = 24
  }

  /// The domain of the bridged `NSError`; its code is the raw value of ``code``.
  public static let errorDomain = "rustle.feed"

  /// The kind of refusal.
  public let code: Code
  /// What was expected and what came, as one sentence.
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
      case .nullPointer, .invalidUTF8, .staleHandle, .unsupported, .panicked, .deviceNotFound, .deviceBusy,
        .deviceUnsupported,
        .deviceFailed, .noSoundLibrary, .unknown:
        .internal
      }
    self.init(code: code, message: error.message)
  }

  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .exhausted || code == .unreadableFile || code == .addressUnavailable }

  /// What to do about it.
  public var advice: String {
    switch code {
    case .noSymbols, .duplicateSymbol, .malformedSymbol, .symbolTooLong, .tooManySymbols: "Mend the list of symbols."
    case .rateOutOfRange, .capacityOutOfRange, .valueOutOfRange, .updateLimitOutOfRange:
      "Choose a value within the range."
    case .malformedSchema: "Mend the schema: symbol=PATH,price=PATH and what else there is."
    case .unknownFormat: "Say the format, or name the file .ndjson or .csv."
    case .malformedAddress:
      "Write host:port, [address]:port or unix:/path; of a WebSocket, ws://host/path or wss://host/path."
    case .addressUnavailable: "Choose another address, or end who has this one."
    case .wrongSource: "Make the feed of the kind `pushed`."
    case .malformedTemplate: "Write the peer's message with $symbol or $symbols where the names belong."
    case .malformedHeader: "Write a header as Name: value, of printable characters."
    case .unreadableFile: "See that the file is there and may be read."
    case .ended: "Start a new stream, or make a new feed."
    case .shutDown, .poisoned: "Make a new feed."
    case .forked: "Start engines after the fork: begin the new process with exec, or fork before the first start."
    case .exhausted: "Try again when the process runs fewer threads or streams."
    case .archiveMismatch: "Run scripts/build and build the package again."
    case .internal: "Report it with this text."
    }
  }
}

internal import Foundation
public import RustleAudio

/// The error of opening, reading or writing an audio file.
///
/// A retry helps for `readFailed` and `writeFailed` when the medium has recovered, and for `diskFull` when there is room
/// again; every other case needs another file or other arguments.
public struct AudioFileError: CodedError {
  /// What went wrong. The raw values are stable: they are only ever appended.
  public enum Code: String, ErrorCode {
    /// No file is at the path.
    case notFound = "AUDIO_FILE_NOT_FOUND"
    /// The path leads to a file that this process may not read, or that is not a regular file (a folder).
    case notReadable = "AUDIO_FILE_NOT_READABLE"
    /// The bytes are not in any audio file format that libsndfile knows, or the file is cut off inside its header.
    case notAudio = "AUDIO_FILE_NOT_AUDIO"
    /// The container is known and its encoding is not, or the format cannot be read from a pipe.
    case unsupported = "AUDIO_FILE_UNSUPPORTED"
    /// The file was opened, and reading it failed later.
    case readFailed = "AUDIO_FILE_READ_FAILED"
    /// The caller asked for a channel that the file does not have.
    case noSuchChannel = "AUDIO_FILE_NO_SUCH_CHANNEL"
    /// The disk, the quota or the largest file that this process may write is full. What was written before is kept in a file
    /// that opens.
    case diskFull = "AUDIO_FILE_DISK_FULL"
    /// Writing failed for another reason. What was written before is kept as far as the medium allows.
    case writeFailed = "AUDIO_FILE_WRITE_FAILED"
    /// A file is at the path, and the caller did not allow replacing it.
    case alreadyExists = "AUDIO_FILE_ALREADY_EXISTS"
    /// The path cannot be written: its folder is missing or forbidden, or it is a folder or a device.
    case notWritable = "AUDIO_FILE_NOT_WRITABLE"
    /// Sound of another rate or layout than the file's was received. Nothing of it was written.
    case formatMismatch = "AUDIO_FILE_FORMAT_MISMATCH"
    /// Raw samples end within a frame.
    case unfinishedFrame = "AUDIO_FILE_UNFINISHED_FRAME"
    /// A sample is infinite or not a number.
    case notFinite = "AUDIO_FILE_NOT_FINITE"
    /// The format needs a program of FFmpeg, which is not installed or does not start.
    case noProgram = "AUDIO_FILE_NO_PROGRAM"

    /// The part that has to change before the call can succeed.
    public var origin: ErrorOrigin {
      switch self {
      case .notFound, .notReadable: .input
      case .notAudio, .unsupported, .readFailed, .unfinishedFrame, .notFinite: .data
      case .noSuchChannel, .alreadyExists: .arguments
      case .diskFull, .writeFailed, .notWritable, .noProgram: .machine
      case .formatMismatch: .program
      }
    }
  }

  /// The domain of the bridged `NSError`; its code is the place of ``code`` in the order of declaration, from 1 on.
  public static let errorDomain = "rustle.audio-file"

  /// What went wrong.
  public let code: Code
  /// The path as the caller gave it; `-` is standard input.
  public let path: String
  /// One sentence without a full stop: what happened, with the expected and the found value where they apply.
  public let reason: String
  /// One sentence without a full stop: what the caller can do about it.
  public let advice: String

  init(_ code: Code, path: String, reason: String, advice: String) {
    self.code = code
    self.path = path
    self.reason = reason
    self.advice = advice
  }

  /// The path as a message shows it.
  var displayName: String { path == AudioFileReader.standardInputPath ? "standard input" : path }
}

extension AudioFileError: CustomStringConvertible {
  /// `reason`, led by the file's name.
  public var message: String { "\(displayName): \(reason)" }
  /// The same sentence as `reason`.
  public var failureReason: String? { reason }
  /// Whether the same call may succeed later.
  public var isRetryable: Bool { code == .readFailed || code == .writeFailed || code == .diskFull }
  /// The code, the file's name, the reason and the advice on one line.
  public var description: String { "\(code.name): \(message). \(advice)" }
  /// The reason under Foundation's key, and the path under `NSFilePathErrorKey`.
  public var furtherUserInfo: [String: Any] {
    [NSLocalizedFailureReasonErrorKey: reason, NSFilePathErrorKey: path]
  }
}

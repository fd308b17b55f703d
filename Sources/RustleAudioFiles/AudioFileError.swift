public import Foundation

/// Why an audio file could not be opened, read or written.
///
/// A retry helps for `readFailed` and `writeFailed` when the medium has recovered, and for `diskFull` when there is room
/// again; every other case needs another file or other arguments.
public struct AudioFileError: Error, Sendable, Hashable {
  /// What went wrong. The raw values are stable: they are only ever appended.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no file at the path.
    case notFound = "AUDIO_FILE_NOT_FOUND"
    /// There is something at the path that this process may not read, or that is not a regular file (a folder).
    case notReadable = "AUDIO_FILE_NOT_READABLE"
    /// The bytes are not in any audio file format that libsndfile knows, or the file is cut off inside its header.
    case notAudio = "AUDIO_FILE_NOT_AUDIO"
    /// The container is known and its encoding is not, or the format cannot be read from a pipe.
    case unsupported = "AUDIO_FILE_UNSUPPORTED"
    /// The file was opened, and reading it failed later.
    case readFailed = "AUDIO_FILE_READ_FAILED"
    /// The caller asked for a channel that the file does not have.
    case noSuchChannel = "AUDIO_FILE_NO_SUCH_CHANNEL"
    /// There is no room for more: the disk, the quota or the largest file that this process may write. What was written
    /// before is kept in a file that opens.
    case diskFull = "AUDIO_FILE_DISK_FULL"
    /// Writing failed for another reason. What was written before is kept as far as the medium lets it.
    case writeFailed = "AUDIO_FILE_WRITE_FAILED"
    /// There is a file at the path, and the caller did not say that it may be replaced.
    case alreadyExists = "AUDIO_FILE_ALREADY_EXISTS"
    /// The path cannot be written: its folder is missing or forbidden, or it is a folder or a device.
    case notWritable = "AUDIO_FILE_NOT_WRITABLE"
    /// Sound of another rate or layout came than what the file was made for. Nothing of it was written.
    case formatMismatch = "AUDIO_FILE_FORMAT_MISMATCH"
    /// Raw samples end within a frame.
    case unfinishedFrame = "AUDIO_FILE_UNFINISHED_FRAME"
  }

  /// What went wrong.
  public let code: Code
  /// The path as the caller gave it; `-` is standard input.
  public let path: String
  /// One sentence without a full stop: what happened, with the expected and the found value where there are such.
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

extension AudioFileError: LocalizedError, CustomStringConvertible {
  /// `reason`, led by the file's name.
  public var errorDescription: String? { "\(displayName): \(reason)" }
  /// The same sentence as `reason`.
  public var failureReason: String? { reason }
  /// The same sentence as `advice`.
  public var recoverySuggestion: String? { advice }
  /// The code, the file's name, the reason and the advice on one line.
  public var description: String { "\(code.rawValue): \(displayName): \(reason); \(advice)" }
}

extension AudioFileError: CustomNSError {
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "rustle.audio-file" }

  /// The number of `code` in the bridged `NSError`: 1 for the first case, and so on in the order of declaration.
  public var errorCode: Int { (Code.allCases.firstIndex(of: code) ?? 0) + 1 }

  /// The texts under Foundation's keys, the path under `NSFilePathErrorKey` and the stable code under `"code"`.
  public var errorUserInfo: [String: Any] {
    [
      NSLocalizedDescriptionKey: errorDescription ?? reason,
      NSLocalizedFailureReasonErrorKey: reason,
      NSLocalizedRecoverySuggestionErrorKey: advice,
      NSFilePathErrorKey: path,
      "code": code.rawValue,
    ]
  }
}

import Foundation

/// Writes text to a file handle without a buffer: the text has left the process when `write` returns.
struct LineWriter: Sendable {
  private let handle: FileHandle

  static let standardOutput = LineWriter(FileHandle.standardOutput)
  static let standardError = LineWriter(FileHandle.standardError)

  init(_ handle: FileHandle) { self.handle = handle }

  /// - Throws: `BrokenPipe` when the reader has closed the pipe, `CommandFailure` for another error (a full disk).
  func write(_ text: String) throws { try write(Data(text.utf8)) }

  /// - Throws: as for text.
  func write(_ bytes: Data) throws {
    do {
      try handle.write(contentsOf: bytes)
    } catch {
      guard let cause = Self.cause(of: error) else {
        throw CommandFailure(.unavailable, "cannot write the output: \(error.localizedDescription)")
      }
      switch cause.code {
      case .EPIPE: throw BrokenPipe()
      // The command was started with a closed descriptor.
      case .EBADF: throw CommandFailure(.unavailable, "cannot write the output: it is closed")
      default: throw CommandFailure(.unavailable, "cannot write the output: \(cause.localizedDescription)")
      }
    }
  }

  /// The system's error, which Foundation wraps on Darwin.
  private static func cause(of error: any Error) -> POSIXError? {
    var current: NSError? = error as NSError
    while let error = current {
      if error.domain == NSPOSIXErrorDomain {
        return POSIXErrorCode(rawValue: Int32(error.code)).map { POSIXError($0) }
      }
      current = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return nil
  }
}

/// The reader has closed the output's pipe (`| head`): the command ends without an error.
struct BrokenPipe: Error {}

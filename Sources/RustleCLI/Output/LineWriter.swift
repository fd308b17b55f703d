import Foundation
import RustleFiles

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
      if SystemError.number(behind: error) == EPIPE { throw BrokenPipe() }
      let reason = SystemError.reason(behind: error)
      throw CommandFailure(
        .unavailable, "cannot write the output: \(reason)",
        advice: reason == SystemError.reason(ENOSPC) ? SystemError.advice(for: reason) : nil)
    }
  }
}

/// The reader has closed the output's pipe (`| head`): the command ends without an error.
struct BrokenPipe: Error {}

import Foundation

/// Writes text to a file handle without a buffer: what `write` was given has left the process when it returns.
struct LineWriter: Sendable {
  private let handle: FileHandle

  static let standardOutput = LineWriter(FileHandle.standardOutput)
  static let standardError = LineWriter(FileHandle.standardError)

  init(_ handle: FileHandle) { self.handle = handle }

  /// - Throws: `BrokenPipe` when nobody reads any more, `CommandFailure` for anything else (a full disk).
  func write(_ text: String) throws { try write(Data(text.utf8)) }

  /// - Throws: as for text.
  func write(_ bytes: Data) throws {
    do {
      try handle.write(contentsOf: bytes)
    } catch {
      if Self.isBrokenPipe(error) { throw BrokenPipe() }
      throw CommandFailure(.unavailable, "cannot write the output: \(error.localizedDescription)")
    }
  }

  /// Foundation wraps the error number: at first hand on Linux, one level down on Darwin.
  private static func isBrokenPipe(_ error: any Error) -> Bool {
    var current: NSError? = error as NSError
    while let error = current {
      if error.domain == NSPOSIXErrorDomain && error.code == Int(EPIPE) { return true }
      current = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return false
  }
}

/// Nobody reads the output any more (`| head`): the command stops, and that is no error.
struct BrokenPipe: Error {}

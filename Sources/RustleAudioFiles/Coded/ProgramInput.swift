import Foundation

/// A socket that a program reads as its standard input.
///
/// A pipe would raise `SIGPIPE`, which ends the process, when the program has ended; here that is a result. The unsafe expressions
/// hand the system an array of two numbers, and the bytes of an array with their count, each only for the length of a call.
@safe final class ProgramInput {
  /// The end of the program.
  let reading: FileHandle
  private let writing: FileHandle

  /// - Throws: `AudioFileError` with `writeFailed` where the process has no file descriptor left.
  init(path: String) throws(AudioFileError) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
    let made = unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
    #else
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let made = unsafe socketpair(AF_UNIX, kind, 0, &ends)
    #endif
    guard made == 0 else {
      throw AudioFileError(
        .writeFailed, path: path, reason: "the encoder's input cannot be opened", advice: "close some files")
    }
    #if canImport(Darwin)
    var yes: Int32 = 1
    _ = unsafe setsockopt(ends[1], SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  /// Waits until the program has room for the samples; returns whether it took them all.
  func write(_ samples: ArraySlice<Float>) -> Bool {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    let descriptor = writing.fileDescriptor
    return unsafe samples.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = unsafe send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Ends the program's input.
  func close() { try? writing.close() }
}

import Foundation

/// A pair of connected sockets between this process and a program that it starts.
///
/// A pipe would raise `SIGPIPE`, which ends the process, when the program has ended, and `Pipe` traps where no descriptor is left;
/// here both are errors. The unsafe expressions hand the system an array of two numbers, a number and a time with their sizes, and
/// the bytes of an array with their count, each only for the length of a call.
@safe final class ProgramChannel {
  /// The end that the program gets.
  let theirs: FileHandle
  /// This process's end.
  let ours: FileHandle

  /// - Parameters:
  ///   - path: the sound file's path, for errors.
  ///   - isLimited: whether a call of this process that waits fails after `FFmpeg.patience` seconds.
  /// - Throws: `AudioFileError` with `noProgram` where the process has no file descriptor left.
  init(path: String, isLimited: Bool = true) throws(AudioFileError) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
    let made = unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
    #else
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let made = unsafe socketpair(AF_UNIX, kind, 0, &ends)
    #endif
    guard made == 0 else { throw Self.exhausted(path: path) }
    #if canImport(Darwin)
    var yes: Int32 = 1
    _ = unsafe setsockopt(ends[1], SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    var limit = timeval(tv_sec: isLimited ? FFmpeg.patience : 0, tv_usec: 0)
    for direction in [SO_SNDTIMEO, SO_RCVTIMEO] {
      _ = unsafe setsockopt(ends[1], SOL_SOCKET, direction, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    theirs = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    ours = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  /// The error where the process has too few file descriptors left.
  static func exhausted(path: String) -> AudioFileError {
    AudioFileError(
      .noProgram, path: path, reason: "too few file descriptors are left for FFmpeg",
      advice: "Close some files, or raise the limit of open files (ulimit -n).")
  }

  /// Whether this process can open as many descriptors more.
  func hasRoom(for count: Int) -> Bool {
    let copies = (0..<count).map { _ in dup(ours.fileDescriptor) }
    for copy in copies where copy >= 0 { try? FileHandle(fileDescriptor: copy).close() }
    return !copies.contains(-1)
  }

  /// Waits until the program has room for the samples; returns whether it took them all.
  func write(_ samples: ArraySlice<Float>) -> Bool {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    let descriptor = ours.fileDescriptor
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

  /// Ends what the program reads.
  func close() { try? ours.close() }
}

import RustleFiles

/// A file that a command writes in pieces.
enum ReplacedFile {
  /// Has a file written under a temporary name, and renames it once complete: a failure and a cancellation leave the older file as it
  /// was.
  ///
  /// - Parameters:
  ///   - path: where the file is going to be. A link is followed; a device and a pipe are written to directly.
  ///   - write: writes the file at a path.
  static func write(_ path: String, by write: (String) async throws -> Void) async throws {
    let replacement = FileReplacement(of: path)
    defer { replacement.discard() }
    try check(replacement.begin(), path)
    try await write(replacement.written)
    try Task.checkCancellation()
    try check(replacement.finish(), path)
  }

  /// Throws for the reason of a failure.
  static func check(_ reason: String?, _ path: String) throws {
    guard let reason else { return }
    throw CommandFailure(.unavailable, "cannot write \(path): \(reason)", advice: SystemError.advice(for: reason))
  }
}

internal import RustleFiles

/// Replaces a file as a whole: a failure leaves the older one as it was.
enum PictureFile {
  /// Has a new file written beside `path` and renames it.
  ///
  /// - Parameters:
  ///   - path: where the file is going to be. A link is followed; a device is written to directly.
  ///   - write: writes a file at a path; returns why it could not, or nil.
  static func replace(_ path: String, by write: (String) -> String?) throws(PlotError) {
    let replacement = FileReplacement(of: path)
    replacement.discardLeftovers()
    if replacement.occupant == .other {
      // A device or a pipe is not replaced, and a folder is refused by the system.
      if let reason = write(path) { throw failure(path, reason) }
      return
    }
    if replacement.isProtected { throw failure(path, "permission denied") }
    defer { replacement.discard() }
    // The drawing library does not report why a file cannot be created.
    if let reason = replacement.create() { throw failure(path, reason) }
    if let reason = write(replacement.path) { throw failure(path, reason) }
    if let reason = replacement.commit() { throw failure(path, reason) }
  }

  private static func failure(_ path: String, _ reason: String) -> PlotError {
    PlotError(
      .writeFailed, "cannot write \(path): \(reason)",
      advice: "name a file in a folder that exists and that this user may write to")
  }
}

internal import Foundation

/// Replaces a file as a whole: a failure leaves the older one as it was.
enum PictureFile {
  /// Has a new file written beside `path` and renames it.
  ///
  /// - Parameters:
  ///   - path: where the file is going to be. A link is followed; a device is written to directly.
  ///   - write: writes a file at a path; returns why it could not, or nil.
  static func replace(_ path: String, by write: (String) -> String?) throws(PlotError) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: target.path)
    if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular {
      // A device or a pipe is not replaced, and a folder is refused by the system.
      if let reason = write(path) { throw failure(path, reason) }
      return
    }
    // The system replaces a file of whoever may write to the folder; one that is protected is left alone.
    guard attributes == nil || FileManager.default.isWritableFile(atPath: target.path) else {
      throw failure(path, "permission denied")
    }
    let temporary = target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).png.part")
    defer { try? FileManager.default.removeItem(at: temporary) }
    if let reason = write(temporary.path) { throw failure(path, reason) }
    if let permissions = attributes?[.posixPermissions] {
      try? FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: temporary.path)
    }
    if let reason = Canvas.rename(temporary.path, to: target.path) { throw failure(path, reason) }
  }

  private static func failure(_ path: String, _ reason: String) -> PlotError {
    PlotError(
      .writeFailed, "cannot write \(path): \(reason)",
      advice: "name a file in a folder that exists and that this user may write to")
  }
}

/// Files of other kinds than pictures that take the place of older ones.
package enum FileReplacement {
  /// Gives a file another name in the same file system; a file that has that name is replaced at once.
  ///
  /// - Returns: why it could not be done, or nil.
  package static func rename(_ path: String, to target: String) -> String? { Canvas.rename(path, to: target) }
}

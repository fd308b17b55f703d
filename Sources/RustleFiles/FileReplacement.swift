internal import Foundation

/// A file that is written under a temporary name and replaces another once complete.
package struct FileReplacement: Sendable {
  /// The temporary path, in the same folder, so that the system renames atomically.
  package let path: String
  private let target: URL

  /// - Parameter target: the final path. A link is followed.
  package init(of target: String) {
    self.target = URL(fileURLWithPath: target).resolvingSymlinksInPath()
    path = self.target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part").path
  }

  /// The kind of file at the final path.
  package enum Occupant: Sendable {
    case nothing, file, other
  }

  /// What is in the place now: a regular file, or something else, such as a device or a folder.
  package var occupant: Occupant {
    guard let type = attributes?[.type] as? FileAttributeType else { return .nothing }
    return type == .typeRegular ? .file : .other
  }

  private var attributes: [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: target.path)
  }

  /// Whether a file that is in the place is protected. The system replaces a file of whoever may write to the folder.
  package var isProtected: Bool { attributes != nil && !FileManager.default.isWritableFile(atPath: target.path) }

  /// Creates the temporary file, empty.
  ///
  /// - Returns: the reason of a failure, or nil.
  package func create() -> String? {
    do {
      try Data().write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      return nil
    } catch {
      return SystemError.reason(behind: error)
    }
  }

  /// Renames the file to its final path atomically, with the permissions of the replaced file.
  ///
  /// - Returns: the reason of a failure, or nil.
  package func commit() -> String? {
    if let permissions = attributes?[.posixPermissions] {
      try? FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
    guard unsafe rename(path, target.path) != 0 else { return nil }
    return SystemError.reason(errno)
  }

  /// Removes the temporary file.
  package func discard() { try? FileManager.default.removeItem(atPath: path) }
}

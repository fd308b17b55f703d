internal import Foundation

/// A file that is written beside its place and put there when it is whole: what was there before stays until then.
package struct FileReplacement: Sendable {
  /// Where it is written meanwhile: in the same folder, so that the system renames it in one step.
  package let path: String
  private let target: URL

  /// - Parameter target: where the file is going to be. A link is followed.
  package init(of target: String) {
    self.target = URL(fileURLWithPath: target).resolvingSymlinksInPath()
    path = self.target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part").path
  }

  /// What is in the place.
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
  var isProtected: Bool { attributes != nil && !FileManager.default.isWritableFile(atPath: target.path) }

  /// Puts the file in its place, with the permissions of the one before, in one step: there is no moment without a whole file.
  ///
  /// - Returns: why it could not be done, or nil.
  package func commit() -> String? {
    if let permissions = attributes?[.posixPermissions] {
      try? FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
    return Canvas.rename(path, to: target.path)
  }

  /// Removes what is not in its place.
  package func discard() { try? FileManager.default.removeItem(atPath: path) }
}

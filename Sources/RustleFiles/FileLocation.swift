internal import Foundation

/// A path at which a file can be written.
package struct FileLocation: Sendable {
  /// The path with its links followed.
  private let target: URL

  package init(_ path: String) { target = LinkedFile.target(of: path) }

  /// The reason why no file can be written to it.
  package enum Fault: Equatable, Sendable {
    case isFolder
    /// The last part of the path has more than 255 bytes, which no file system of these platforms stores.
    case nameIsTooLong
    /// The folder of this path is not there.
    case folderIsMissing(String)
    case linksInCircle
    case permissionDenied
  }

  /// The fault of the path now, before anything is written; nil without one.
  package var fault: Fault? {
    if target.lastPathComponent.utf8.count > 255 { return .nameIsTooLong }
    let kind = kind(of: target)
    if kind == .folder { return .isFolder }
    if kind == .link { return .linksInCircle }
    let folder = target.deletingLastPathComponent()
    guard self.kind(of: folder) == .folder else { return .folderIsMissing(folder.path) }
    // Replacing a file writes to its folder; writing to a device does not.
    let written = kind == nil ? [folder] : kind == .regular ? [folder, target] : [target]
    return written.allSatisfy { FileManager.default.isWritableFile(atPath: $0.path) } ? nil : .permissionDenied
  }

  /// Whether both are the same file, under one name or two.
  package func isSameFile(as other: Self) -> Bool {
    guard let identity else { return false }
    return identity == other.identity
  }

  /// Whether both are the same file, or will be: of files that are not there yet, those of one name in one folder.
  package func willBeSameFile(as other: Self) -> Bool {
    if isSameFile(as: other) { return true }
    let folders = [target, other.target].map { Self($0.deletingLastPathComponent().path) }
    return target.lastPathComponent == other.target.lastPathComponent && folders[0].isSameFile(as: folders[1])
  }

  /// The device and the inode number of the file; nil without a file.
  private var identity: FileStatus.Identity? { FileStatus(of: target.path, followsLink: false)?.identity }

  private func kind(of url: URL) -> FileStatus.Kind? {
    FileStatus(of: url.resolvingSymlinksInPath().path, followsLink: false)?.kind
  }
}

package import Foundation

/// What the system says of a file. Foundation's attributes have the names of its owners besides, for which it reads the system's
/// lists of users and groups.
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case regular, folder, link, other
  }

  /// The device and the number of a file, which are the same under each of its names.
  package struct Identity: Sendable, Hashable {
    let device: UInt64
    let number: UInt64
  }

  package let kind: Kind
  /// The length in bytes; of a pipe 0.
  package let size: Int64
  /// The lowest twelve bits of the mode.
  package let permissions: Int
  package let identity: Identity
  package let modified: Date

  /// Nil without such a file, and where this user may not look.
  ///
  /// - Parameter followsLink: whether it is of the file behind a link.
  package init?(of path: String, followsLink: Bool) {
    var status = stat()
    guard unsafe (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    size = Int64(status.st_size)
    permissions = Int(status.st_mode & 0o7777)
    identity = Identity(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
    #if os(Linux)
    let time = status.st_mtim
    #else
    let time = status.st_mtimespec
    #endif
    modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}

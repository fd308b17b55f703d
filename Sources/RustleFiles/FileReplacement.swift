internal import Foundation

/// A file that is written under a temporary name and replaces another once complete.
///
/// The name is hidden, and has the number of the process: what a process leaves behind that is killed, the next one that writes the
/// same file removes.
package struct FileReplacement: Sendable {
  /// The temporary path, in the same folder, so that the system renames atomically.
  package let path: String
  /// The final path as it was given.
  private let name: String
  private let target: URL
  private let ownsLeftovers: Bool

  /// - Parameters:
  ///   - target: the final path. A link is followed.
  ///   - token: a word without dots in the temporary name that no other writer of this file has, of any machine; its giver removes
  ///     what is left behind. nil: a random one.
  package init(of target: String, token: String? = nil) {
    (name, ownsLeftovers) = (target, token == nil)
    self.target = LinkedFile.target(of: target)
    let folder = self.target.deletingLastPathComponent()
    path = folder.appending(path: Self.stem(self.target) + "\(getpid()).\(token ?? UUID().uuidString).part").path
  }

  /// Completes what a process with a token has written.
  ///
  /// - Parameter path: the temporary path.
  package init(of target: String, written path: String) {
    (name, ownsLeftovers, self.path) = (target, false, path)
    self.target = LinkedFile.target(of: target)
  }

  /// The beginning of the temporary names of a file, which may have a name of the greatest length.
  private static func stem(_ target: URL) -> String {
    let name = target.lastPathComponent.utf8.prefix(160)
    return ".\(String(decoding: name, as: UTF8.self).replacing("\u{FFFD}", with: ""))."
  }

  /// Removes the temporary files of this final path that processes left behind which do not exist any more. One that was written
  /// to in the last minute stays: its process may be of another machine, or of a program that completes it.
  package func discardLeftovers() {
    let (folder, stem) = (target.deletingLastPathComponent(), Self.stem(target))
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(stem) && name.hasSuffix(".part") {
      let parts = name.dropFirst(stem.count).split(separator: ".")
      guard parts.count == 3, let process = Int32(parts[0]), process > 0, kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      let file = folder.appending(path: name).path
      guard let written = FileStatus(of: file, followsLink: false)?.modified, written.timeIntervalSinceNow < -60 else {
        continue
      }
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  /// The kind of file at the final path.
  package enum Occupant: Sendable {
    case nothing, file, other
  }

  /// What is at the path now: a regular file, or something else, such as a device or a folder.
  package var occupant: Occupant {
    guard let kind = status?.kind else { return .nothing }
    return kind == .regular ? .file : .other
  }

  private var status: FileStatus? { FileStatus(of: target.path, followsLink: false) }

  /// Whether a file at the path is protected. The system replaces a file of whoever may write to the folder.
  package var isProtected: Bool { status != nil && !FileManager.default.isWritableFile(atPath: target.path) }

  /// The path to write to: the temporary one, or that of a device or a pipe, which is not replaced. The system refuses a folder.
  package var written: String { occupant == .other ? name : path }

  /// Prepares the path to write to: an empty file, since not every library reports why one cannot be created.
  ///
  /// - Returns: the reason of a failure, or nil.
  package func begin() -> String? {
    if ownsLeftovers { discardLeftovers() }
    if occupant == .other { return nil }
    return isProtected ? "permission denied" : create()
  }

  /// Puts the complete file in its place.
  ///
  /// - Returns: the reason of a failure, or nil.
  package func finish() -> String? { occupant == .other ? nil : commit() }

  /// Creates the temporary file, empty.
  ///
  /// - Returns: the reason of a failure, or nil.
  private func create() -> String? {
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
    if let permissions = status?.permissions { _ = unsafe chmod(path, mode_t(permissions)) }
    guard unsafe rename(path, target.path) != 0 else { return nil }
    return SystemError.reason(errno)
  }

  /// Removes the temporary file.
  package func discard() { try? FileManager.default.removeItem(atPath: path) }
}

extension SystemError {
  /// Why this user cannot write to a path; nil: they can.
  package static func refusal(ofWritingTo path: String) -> String? {
    unsafe access(path, W_OK) == 0 ? nil : reason(errno)
  }
}

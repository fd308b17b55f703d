package import Foundation

/// A file that grows by whole lines: a process that is killed leaves the earlier ones. The first lines create or replace it.
package struct LineFile: Sendable {
  package enum Failure: Error, Equatable {
    /// A file is there, and may not be replaced.
    case exists
    /// The path is that of a device, a pipe or a folder.
    case notRegular
    /// Lines cannot be written, for the reason, one clause. The file has those of earlier calls.
    case unwritable(String)
  }

  private let url: URL
  private let mayReplace: Bool
  /// The open file; nil before the first lines.
  private var file: FileHandle?
  /// Bytes of whole lines in the file.
  private var size: UInt64 = 0

  /// Checks the path; nothing is written.
  ///
  /// - Parameters:
  ///   - path: the path of a regular file or of none, in a folder that exists. A link is followed.
  ///   - mayReplace: whether an existing file is replaced.
  package init(_ path: String, mayReplace: Bool) throws(Failure) {
    (url, self.mayReplace) = (URL(fileURLWithPath: path).resolvingSymlinksInPath(), mayReplace)
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let type = attributes?[.type] as? FileAttributeType else { return }
    if type != .typeRegular { throw .notRegular }
    if !mayReplace { throw .exists }
  }

  /// Appends lines with their ends.
  package mutating func append(_ lines: Data) throws(Failure) {
    do {
      if let file {
        try file.write(contentsOf: lines)
      } else if mayReplace {
        // The previous file stays until the lines are complete, and its permissions are kept.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        try lines.write(to: url, options: .atomic)
        if let permissions = attributes?[.posixPermissions] {
          try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
        }
        file = try FileHandle(forWritingTo: url)
        try file?.seekToEnd()
      } else {
        try Data().write(to: url, options: .withoutOverwriting)
        file = try FileHandle(forWritingTo: url)
        try file?.write(contentsOf: lines)
      }
    } catch CocoaError.fileWriteFileExists {
      throw .exists
    } catch {
      // Only whole lines stay.
      try? file?.truncate(atOffset: size)
      throw .unwritable(SystemError.reason(behind: error))
    }
    size += UInt64(lines.count)
  }

  /// Closes the file once the system has stored it.
  package func close() throws(Failure) {
    do {
      try file?.synchronize()
      try file?.close()
    } catch {
      throw .unwritable(SystemError.reason(behind: error))
    }
  }
}

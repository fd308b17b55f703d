import Foundation
internal import RustleFiles

/// A regular file that grows at its end and whose beginning is overwritten in place. Nothing is buffered: the system has a
/// method's bytes when it returns, and they outlive the process.
final class OutputFile {
  let path: String
  let handle: FileHandle
  private let url: URL
  private let isNew: Bool
  /// The bytes of the file, as far as this process wrote them whole.
  private(set) var length: UInt64 = 0

  /// Creates an empty file.
  ///
  /// - Throws: `AudioFileError` with `alreadyExists`, `notWritable`, `diskFull` or `writeFailed`.
  init(path: String, overwrite: Bool) throws(AudioFileError) {
    self.path = path
    guard !path.isEmpty, path != AudioFileReader.standardInputPath else {
      throw AudioFileError(
        .notWritable, path: path, reason: "expected the path of a file, got '\(path)'",
        advice: "Name a file: its header is written again as it grows, which a pipe does not allow.")
    }
    url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    isNew = try !Self.isThere(url, path: path, overwrite: overwrite)
    do {
      // The system refuses to make a file that has come into being since it was looked for.
      if isNew { try Data().write(to: url, options: .withoutOverwriting) }
      handle = try FileHandle(forWritingTo: url)
      try handle.truncate(atOffset: 0)
    } catch {
      throw Self.error(error, path: path, isOpen: false)
    }
  }

  /// Rejects, before a file is written, a path whose occupant `init` refuses.
  static func check(_ path: String, overwrite: Bool) throws(AudioFileError) {
    _ = try isThere(URL(fileURLWithPath: path).resolvingSymlinksInPath(), path: path, overwrite: overwrite)
  }

  /// Whether there is a file; refuses other than regular files, and any with `overwrite` false.
  private static func isThere(_ url: URL, path: String, overwrite: Bool) throws(AudioFileError) -> Bool {
    guard let kind = FileStatus(of: url.path, followsLink: false)?.kind else { return false }
    switch kind {
    case .regular:
      if !overwrite { throw alreadyExists(path) }
      return true
    case .folder:
      throw AudioFileError(
        .notWritable, path: path, reason: "expected the path of a file, got a folder", advice: "Name a file inside it.")
    case .link, .other:
      throw AudioFileError(
        .notWritable, path: path,
        reason: "expected the path of a regular file, got a device, a pipe or a link to nothing",
        advice: "Name a file: its header is written again as it grows.")
    }
  }

  private static func alreadyExists(_ path: String) -> AudioFileError {
    AudioFileError(
      .alreadyExists, path: path, reason: "the file exists",
      advice: "Choose another name, or say that the file may be overwritten.")
  }

  static func permissionDenied(_ path: String) -> AudioFileError {
    AudioFileError(
      .notWritable, path: path, reason: "permission denied", advice: "Choose a folder that this user may write to.")
  }

  /// Adds bytes at the end. After an error a part of them may be there, which `wholeLength(of:after:)` measures and
  /// `truncate(to:)` removes.
  func append(_ bytes: Data) throws(AudioFileError) {
    do {
      try handle.seek(toOffset: length)
      try handle.write(contentsOf: bytes)
    } catch {
      throw Self.error(error, path: path, isOpen: true)
    }
    length += UInt64(bytes.count)
  }

  /// Overwrites bytes that are there, in one call to the system.
  func replace(at offset: UInt64, with bytes: Data) throws(AudioFileError) {
    do {
      try handle.seek(toOffset: offset)
      try handle.write(contentsOf: bytes)
    } catch {
      throw Self.error(error, path: path, isOpen: true)
    }
  }

  /// Cuts what an append that failed left behind, except for whole pieces of `unit` bytes, counted from `start`.
  func settle(unit: UInt64, from start: UInt64) {
    guard let end = try? handle.seekToEnd(), end >= length else { return }
    let whole = max(length, start + (max(end, start) - start) / unit * unit)
    if whole < end { try? handle.truncate(atOffset: whole) }
    length = whole
  }

  /// Cuts what another process wrote to the file behind a length that its contents determine.
  func cut(to length: (FileHandle) -> UInt64) {
    guard let reader = try? FileHandle(forReadingFrom: url) else { return }
    try? handle.truncate(atOffset: length(reader))
  }

  /// Removes the file if this object created it and it has no sound.
  func discard() {
    if isNew { try? FileManager.default.removeItem(at: url) }
  }

  /// Waits until the medium has what was written.
  func synchronize() throws(AudioFileError) {
    do {
      try handle.synchronize()
    } catch {
      throw Self.error(error, path: path, isOpen: true)
    }
  }

  /// Closes the file. Some systems report only now that writing failed.
  func close() throws(AudioFileError) {
    do {
      try handle.close()
    } catch {
      throw Self.error(error, path: path, isOpen: true)
    }
  }
}

extension OutputFile {
  private static func error(_ error: any Error, path: String, isOpen: Bool) -> AudioFileError {
    let number = SystemError.number(behind: error)
    switch number {
    case ENOSPC?:
      return AudioFileError(
        .diskFull, path: path, reason: "no space left on the disk", advice: "Make room, or write to another disk.")
    case EDQUOT?:
      return AudioFileError(
        .diskFull, path: path, reason: "the quota of this user is used up",
        advice: "Make room, or write to another disk.")
    case EFBIG?:
      return AudioFileError(
        .diskFull, path: path, reason: "the file is as large as the file system or the process's limit allows",
        advice: "Raise the limit (ulimit -f), or write to another disk.")
    case EEXIST?: return alreadyExists(path)
    case ENOENT? where !isOpen, ENOTDIR? where !isOpen:
      return AudioFileError(
        .notWritable, path: path, reason: "there is no such folder to write into", advice: "Make the folder first.")
    case EACCES? where !isOpen, EPERM? where !isOpen, EROFS? where !isOpen: return permissionDenied(path)
    default:
      let reason = SystemError.reason(behind: error)
      return isOpen
        ? AudioFileError(.writeFailed, path: path, reason: "writing stopped: \(reason)", advice: "Check the disk.")
        : AudioFileError(
          .notWritable, path: path, reason: "cannot be created: \(reason)", advice: "Choose another path.")
    }
  }
}

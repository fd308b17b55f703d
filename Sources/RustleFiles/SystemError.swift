internal import Foundation

/// The errors of the system, by their numbers (errno).
package enum SystemError {
  private static let reasons: [Int32: String] = [
    EACCES: "permission denied", EADDRINUSE: "another program has it",
    EADDRNOTAVAIL: "it is no address of this machine", EBADF: "it is closed", EBUSY: "it is in use",
    EDQUOT: "the quota of this user is used up",
    EEXIST: "it exists", EFBIG: "it would be too large", EINVAL: "the system does not support it",
    EIO: "the system could not read or write it", EISDIR: "it is a folder", ELOOP: "its links lead in a circle",
    EMFILE: "too many files are open", ENAMETOOLONG: "the name is too long", ENFILE: "too many files are open",
    ENODEV: "there is no such device", ENOENT: "no such file or folder", ENOSPC: "no space left on the disk",
    ENOTDIR: "a part of the path is not a folder", ENXIO: "there is no such device", EPERM: "permission denied",
    EPIPE: "its reader is gone", EROFS: "the disk is read-only", ETXTBSY: "it is a running program",
  ]

  /// The reason of an error in one clause: `no space left on the disk`.
  package static func reason(_ number: Int32) -> String { reasons[number] ?? "the system reports error \(number)" }

  /// What to do about a file that cannot be written for a reason.
  package static func advice(for reason: String) -> String {
    let isFull = [ENOSPC, EDQUOT].contains { reason.hasPrefix(Self.reason($0)) }
    return isFull
      ? "Free space on that disk, or name a file on another one."
      : "name a file in a folder that exists and that this user may write to"
  }

  /// The reason of an error of Foundation.
  package static func reason(behind error: any Error) -> String {
    number(behind: error).map(reason) ?? error.localizedDescription
  }

  /// The number behind an error of Foundation, which wraps it on some platforms and translates it on others.
  package static func number(behind error: any Error) -> Int32? {
    var current: NSError? = error as NSError
    while let error = current {
      if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
      if let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError {
        current = inner
        continue
      }
      guard error.domain == NSCocoaErrorDomain else { return nil }
      switch CocoaError.Code(rawValue: error.code) {
      case .fileWriteOutOfSpace: return ENOSPC
      case .fileWriteFileExists: return EEXIST
      case .fileWriteNoPermission, .fileReadNoPermission: return EACCES
      case .fileWriteVolumeReadOnly: return EROFS
      case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
      case .fileWriteInvalidFileName, .fileReadInvalidFileName: return ENAMETOOLONG
      default: return nil
      }
    }
    return nil
  }
}

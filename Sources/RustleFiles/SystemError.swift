internal import Foundation

/// The errors of the system, by their numbers (errno).
package enum SystemError {
  /// The system's text of an error: `No space left on device`.
  package static func reason(_ number: Int32) -> String {
    NSError(domain: NSPOSIXErrorDomain, code: Int(number)).localizedDescription
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
      default: return nil
      }
    }
    return nil
  }
}

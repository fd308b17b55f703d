import Foundation

/// The files, sockets among them, that this process may have open at a time.
public enum OpenFiles {
  /// The most that are asked for; the systems' kernels allow as many.
  private static let most: rlim_t = 10_240

  #if os(Linux)
  private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let files = RLIMIT_NOFILE
  #endif

  /// Raises the limit to that of the system, as far as 10,240: shells often set 256 or 1,024, which clients of a server exceed.
  public static func raiseLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < most else { return }
    limit.rlim_cur = min(limit.rlim_max, most)
    // Refused: the limit stays.
    _ = unsafe setrlimit(files, &limit)
  }

  /// The limit; nil: the system does not say.
  package static var limit: UInt64? {
    var limit = rlimit()
    return unsafe getrlimit(files, &limit) == 0 ? UInt64(limit.rlim_cur) : nil
  }

  /// What is open under a number, as `DEVICE:INODE`; nil: nothing.
  package static func identity(of descriptor: Int32) -> String? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
  }
}

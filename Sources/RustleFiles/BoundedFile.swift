package import Foundation

/// A file that is read as a whole, up to a limit.
package enum BoundedFile {
  package struct Failure: Error {
    /// One clause: `no such file`.
    package let reason: String
    /// Whether the file was read, and has more bytes than expected.
    package var isTooLong = false
  }

  /// Reads the bytes of a file, of a pipe or of a device.
  package static func bytes(of path: String, limit: Int) throws(Failure) -> Data {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw Failure(reason: reason(of: error, path))
    }
    guard data.count <= limit else {
      throw Failure(reason: "expected at most \(limit) bytes, got more", isTooLong: true)
    }
    return data
  }

  private static func reason(of error: any Error, _ path: String) -> String {
    if SystemError.number(behind: error) == ENAMETOOLONG { return SystemError.reason(ENAMETOOLONG) }
    switch FileStatus(of: path, followsLink: false)?.kind {
    case nil: return "no such file"
    case .folder?: return "expected a file, got a folder"
    case .some:
      return
        "cannot be read: \(SystemError.reason(behind: error))"
    }
  }
}

/// A file of the user's settings.
package enum SettingsFile {
  /// The path of a file of this name, below `$XDG_CONFIG_HOME` or `~/.config`; nil without a home.
  package static func path(_ name: String, environment: [String: String]) -> String? {
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" }
    return (folder ?? home).map { "\($0)/rustle/\(name)" }
  }
}

import Foundation
import RustleFiles

enum TextFile {
  static let maximumByteCount = 4 << 20

  /// Reads a file's text: UTF-8, or else Latin-1.
  static func read(_ path: String, option: String) throws -> String {
    let data = try bytes(of: path, option: option)
    return String(data: data, encoding: .utf8) ?? String(data: data, encoding: .isoLatin1) ?? ""
  }

  /// Returns what `read` makes of a file's bytes; adds the file's name to its error.
  static func value<Value>(of path: String, option: String, _ read: (Data) throws -> Value) throws -> Value {
    let bytes = try bytes(of: path, option: option)
    return try CommandFailure.naming(path) { try read(bytes) }
  }

  /// Reads a file's bytes.
  static func bytes(of path: String, option: String) throws -> Data {
    do throws(BoundedFile.Failure) {
      return try BoundedFile.bytes(of: path, limit: maximumByteCount)
    } catch {
      throw CommandFailure(
        error.isTooLong ? .badData : .noInput, "\(option): \(path): \(error.reason)",
        advice: error.isTooLong ? nil : "check the path")
    }
  }
}

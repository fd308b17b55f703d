import Foundation

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
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: maximumByteCount + 1) ?? Data()
    } catch {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      let reason =
        switch attributes?[.type] as? FileAttributeType {
        case nil: "no such file"
        case .typeDirectory?: "expected a file, got a folder"
        case .some: "cannot be read: \(error.localizedDescription)"
        }
      throw CommandFailure(.noInput, "\(option): \(path): \(reason)", advice: "check the path")
    }
    guard data.count <= maximumByteCount else {
      throw CommandFailure(.badData, "\(option): \(path): expected at most \(maximumByteCount) bytes of text, got more")
    }
    return data
  }
}

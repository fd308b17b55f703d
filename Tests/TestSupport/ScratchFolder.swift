public import Foundation

/// A folder that is removed with the value that owns it.
public struct ScratchFolder: ~Copyable {
  /// The path.
  public let url: URL

  /// Makes a new folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Writes a file into the folder and returns its path.
  public func write(_ data: Data, as name: String) throws -> String {
    let file = url.appending(path: name)
    try data.write(to: file)
    return file.path
  }

  /// Returns the path of a file of that name in the folder, which need not exist.
  public func path(_ name: String) -> String { url.appending(path: name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}

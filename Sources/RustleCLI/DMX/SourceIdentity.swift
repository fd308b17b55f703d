import Foundation
import RustleFiles

/// The identity of a user's source of sACN (E1.31-2018, 5.6: constant for the source), kept in a file of the settings.
///
/// A process has it alone while it lives: receivers take two sources of one identity for one, and drop what seems out of order.
final class SourceIdentity {
  /// The identity; a new one when another process has the file's, or there is no such file and none can be made.
  let cid: UUID
  /// The file, locked until it is closed.
  private let file: FileHandle?

  init(path: String?) {
    file = path.flatMap(Self.locked)
    let kept = file.flatMap(Self.read)
    cid = kept ?? UUID()
    if kept == nil { Self.write(cid, to: file) }
  }

  deinit { try? file?.close() }

  /// The path of the user's.
  static var defaultPath: String? {
    SettingsFile.path("sacn-cid", environment: ProcessInfo.processInfo.environment)
  }

  private static func locked(_ path: String) -> FileHandle? {
    let url = URL(filePath: path)
    try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    // Fails when it is there.
    try? Data().write(to: url, options: .withoutOverwriting)
    guard let file = try? FileHandle(forUpdating: url) else { return nil }
    return flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 ? file : nil
  }

  private static func read(_ file: FileHandle) -> UUID? {
    let bytes = try? file.read(upToCount: 64)
    let text = String(decoding: bytes ?? Data(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    // Zeros are no identity.
    return UUID(uuidString: text).flatMap { $0.uuidString.contains { !"0-".contains($0) } ? $0 : nil }
  }

  private static func write(_ cid: UUID, to file: FileHandle?) {
    try? file?.truncate(atOffset: 0)
    try? file?.write(contentsOf: Data("\(cid.uuidString)\n".utf8))
  }
}

internal import CLoaded
import Foundation
import RustleAudioFiles
import RustleFiles
import RustlePlot

enum TextFile {
  /// The longest show or rig in bytes.
  static let longestShow = 64 << 20

  /// Reads a file's text: UTF-8, or else Latin-1.
  static func read(_ path: String, option: String) throws -> String {
    let data = try bytes(of: path, option: option)
    return String(data: data, encoding: .utf8) ?? String(data: data, encoding: .isoLatin1) ?? ""
  }

  /// Returns what `read` makes of a file's bytes; adds the file's name to its error.
  static func value<Value>(
    of path: String, option: String, limit: Int = 4 << 20, _ read: (Data) throws -> Value
  ) throws -> Value {
    let bytes = try bytes(of: path, option: option, limit: limit)
    return try CommandFailure.naming(path) { try read(bytes) }
  }

  /// Reads a file of UTF-8, or standard input for `-`. Its text is in no error.
  static func exactText(of path: String, option: String, limit: Int = 4 << 20) throws -> String {
    let bytes = try bytes(of: path == "-" ? "/dev/stdin" : path, option: option, limit: limit)
    guard let text = String(data: bytes, encoding: .utf8) else {
      throw CommandFailure(.badData, "\(option): expected UTF-8, got other bytes", advice: "Save the file as UTF-8.")
    }
    return text
  }

  /// Reads the password of `--password-file`, without the newline at its end.
  static func password(of path: String) throws -> String {
    var text = try exactText(of: path, option: "--password-file", limit: 4_096)
    if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  /// Reads a file's bytes, by default at most 4 MiB.
  static func bytes(of path: String, option: String, limit: Int = 4 << 20) throws -> Data {
    do throws(BoundedFile.Failure) {
      return try BoundedFile.bytes(of: path, limit: limit)
    } catch {
      throw CommandFailure(
        error.isTooLong ? .badData : .noInput, "\(option): \(path): \(error.reason)",
        advice: error.isTooLong ? nil : "Check the path.")
    }
  }
}

/// Checks of the path that a command writes to.
enum OutputPath {
  private static let pictures: Set = [
    "png", "jpg", "jpeg", "gif", "svg", "pdf", "webp", "tif", "tiff", "bmp", "heic", "avif", "ps", "eps",
  ]

  /// Rejects, before any work, a picture that cannot be written, as `check` does, and an extension of another format than PNG.
  static func checkPicture(_ output: String, isNot input: String) throws {
    try checkExtension(of: output, option: "--png", is: "png")
    guard rustle_finds_cairo() else {
      throw CommandFailure(
        .unavailable, "--png: expected the library cairo, got none", advice: "Install it (Debian: libcairo2).")
    }
    try check(output, option: "--png", isNot: input)
  }

  /// Rejects the extension of another format of pictures than the one that is written.
  static func checkExtension(of output: String, option: String, is format: String) throws {
    let ending = URL(fileURLWithPath: output).pathExtension.lowercased()
    guard ending != format, pictures.contains(ending) else { return }
    let article = format == "svg" ? "an" : "a"
    throw CommandFailure(
      .usage, "\(option): expected the name of \(article) \(format.uppercased()) file, got \(output)",
      advice: "Choose a name that ends with .\(format).")
  }

  /// Rejects, before any work, an output that cannot be written: a folder, a path in a folder that is missing or not
  /// writable, standard output; and the input itself, under this or another name, which would be overwritten.
  static func check(_ output: String, option: String, isNot input: String? = nil) throws {
    if output.isEmpty || output == AudioFileReader.standardInputPath {
      throw CommandFailure(
        .usage, "\(option): expected the path of a file, got \(output.isEmpty ? "''" : "- (standard output)")")
    }
    let location = FileLocation(output)
    switch location.fault {
    case .isFolder?:
      throw CommandFailure(.usage, "\(option): expected the path of a file, got the folder \(output)")
    case .nameIsTooLong?:
      throw CommandFailure(.usage, "\(option): expected a name of at most 255 bytes, got \(output)")
    case .folderIsMissing(let folder)?:
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): there is no folder \(folder)",
        advice: "Create the folder first.")
    case .linksInCircle?:
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): its links lead in a circle", advice: "Choose another name.")
    case .permissionDenied?:
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): permission denied",
        advice: "Choose a folder that this user may write to.")
    case nil: break
    }
    guard let input, input != AudioFileReader.standardInputPath, location.isSameFile(as: FileLocation(input)) else {
      return
    }
    throw CommandFailure(
      .usage, "\(option): expected another file than the input, got \(output)", advice: "Choose another name.")
  }

  /// Rejects an output that is also that of another option.
  static func check(_ output: String, option: String, isNot other: String, of otherOption: String) throws {
    guard FileLocation(output).willBeSameFile(as: FileLocation(other)) else { return }
    throw CommandFailure(
      .usage, "\(option): expected another file than that of \(otherOption), got \(output)",
      advice: "Choose another name.")
  }
}

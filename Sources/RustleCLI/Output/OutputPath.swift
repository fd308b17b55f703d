import Foundation
import RustleAudioFiles

/// Where a command writes a file.
enum OutputPath {
  /// What names of pictures of other kinds end with.
  private static let otherPictures: Set = [
    "jpg", "jpeg", "gif", "svg", "pdf", "webp", "tif", "tiff", "bmp", "heic", "avif", "ps", "eps",
  ]

  /// Refuses, before there is any work, a picture that cannot be written, as `check` does, and a name of another kind than PNG.
  static func checkPicture(_ output: String, isNot input: String) throws {
    let ending = URL(fileURLWithPath: output).pathExtension
    if otherPictures.contains(ending.lowercased()) {
      throw CommandFailure(
        .usage, "--png: expected the name of a PNG file, got \(output)",
        advice: "pictures are PNG only: give it a name that ends with .png")
    }
    try check(output, option: "--png", isNot: input)
  }

  /// Refuses, before there is any work, an output that cannot be written: in a folder that is missing or forbidden, or a
  /// folder itself; and one that is the input, by this or another name: it would be overwritten. A picture does not go to
  /// standard output.
  static func check(_ output: String, option: String, isNot input: String) throws {
    try check(output, option: option)
    guard input != AudioFileReader.standardInputPath, let written = identity(output), written == identity(input) else {
      return
    }
    throw CommandFailure(
      .usage, "\(option): expected another file than the one that is read, got \(output)",
      advice: "give it a name of its own")
  }

  /// The same, where nothing is read.
  static func check(_ output: String, option: String) throws {
    if output.isEmpty || output == AudioFileReader.standardInputPath {
      throw CommandFailure(.usage, "\(option): expected the path of a file, got '\(output)'")
    }
    try checkFolder(of: output, option: option)
  }

  private static func checkFolder(of output: String, option: String) throws {
    let target = URL(fileURLWithPath: output).resolvingSymlinksInPath()
    if type(of: target) == .typeDirectory {
      throw CommandFailure(.usage, "\(option): expected the path of a file, got the folder \(output)")
    }
    let folder = target.deletingLastPathComponent()
    guard type(of: folder) == .typeDirectory else {
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): there is no folder \(folder.path)",
        advice: "make the folder first")
    }
    // A file is replaced as a whole, for which its folder is written to; a device is not, and may stand in any folder.
    let kind = type(of: target)
    let asked = kind == nil ? [folder] : kind == .typeRegular ? [folder, target] : [target]
    guard asked.allSatisfy({ FileManager.default.isWritableFile(atPath: $0.path) }) else {
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): permission denied",
        advice: "choose a folder that this user may write to")
    }
  }

  private static func type(of url: URL) -> FileAttributeType? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    return attributes?[.type] as? FileAttributeType
  }

  /// The device and the number of a file; nil when there is none.
  private static func identity(_ path: String) -> [Int]? {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target),
      let device = attributes[.systemNumber] as? NSNumber, let number = attributes[.systemFileNumber] as? NSNumber
    else { return nil }
    return [device.intValue, number.intValue]
  }
}

import Foundation
import RustleAudioFiles
import RustlePlot

/// Checks of the path that a command writes to.
enum OutputPath {
  private static let otherPictures: Set = [
    "jpg", "jpeg", "gif", "svg", "pdf", "webp", "tif", "tiff", "bmp", "heic", "avif", "ps", "eps",
  ]

  /// Rejects, before any work, a picture that cannot be written, as `check` does, and an extension of another format than PNG.
  static func checkPicture(_ output: String, isNot input: String) throws {
    let ending = URL(fileURLWithPath: output).pathExtension
    if otherPictures.contains(ending.lowercased()) {
      throw CommandFailure(
        .usage, "--png: expected the name of a PNG file, got \(output)",
        advice: "choose a name that ends with .png")
    }
    try check(output, option: "--png", isNot: input)
  }

  /// Rejects, before any work, an output that cannot be written: a folder, a path in a folder that is missing or not
  /// writable, standard output; and the input itself, under this or another name, which would be overwritten.
  static func check(_ output: String, option: String, isNot input: String? = nil) throws {
    if output.isEmpty || output == AudioFileReader.standardInputPath {
      throw CommandFailure(.usage, "\(option): expected the path of a file, got '\(output)'")
    }
    try checkFolder(of: output, option: option)
    guard let input, input != AudioFileReader.standardInputPath, let written = identity(output),
      written == identity(input)
    else { return }
    throw CommandFailure(
      .usage, "\(option): expected another file than the input, got \(output)",
      advice: "choose another name")
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
        advice: "create the folder first")
    }
    // Replacing a file writes to its folder; writing to a device does not.
    let kind = type(of: target)
    let asked = kind == nil ? [folder] : kind == .typeRegular ? [folder, target] : [target]
    guard asked.allSatisfy({ FileManager.default.isWritableFile(atPath: $0.path) }) else {
      throw CommandFailure(
        .unavailable, "\(option): cannot write \(output): permission denied",
        advice: "choose a folder that this user may write to")
    }
  }

  private static func type(of url: URL) -> FileAttributeType? {
    attributes(of: url)?[.type] as? FileAttributeType
  }

  private static func attributes(of url: URL) -> [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
  }

  /// The device and the inode number of a file; nil without a file.
  private static func identity(_ path: String) -> [NSNumber]? {
    let attributes = attributes(of: URL(fileURLWithPath: path))
    return attributes.map { all in [.systemNumber, .systemFileNumber].compactMap { all[$0] as? NSNumber } }
  }
}

extension FileReplacement {
  /// Rejects, before any work and before the file is renamed, a device or a pipe, and an existing file that may not be replaced.
  func checkPlace(_ name: String, mayReplace: Bool) throws {
    if occupant == .other {
      throw CommandFailure(
        .usage, "\(name): expected the path of a regular file, got a device or a pipe",
        advice: "choose the name of a file")
    }
    if occupant == .file && !mayReplace {
      throw CommandFailure(.usage, "\(name): the file exists", advice: "choose another name, or use --overwrite")
    }
  }
}

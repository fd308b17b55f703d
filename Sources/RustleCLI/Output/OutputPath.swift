import Foundation
import RustleAudioFiles

/// Where a command writes a file.
enum OutputPath {
  /// Refuses an output that is the input, by this or another name: it would be overwritten. A picture does not go to standard
  /// output.
  static func check(_ output: String, option: String, isNot input: String) throws {
    if output.isEmpty || output == AudioFileReader.standardInputPath {
      throw CommandFailure(.usage, "\(option): expected the path of a file, got '\(output)'")
    }
    guard input != AudioFileReader.standardInputPath, let written = identity(output), written == identity(input) else {
      return
    }
    throw CommandFailure(
      .usage, "\(option): expected another file than the one that is read, got \(output)",
      advice: "give the picture a name of its own")
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

internal import Foundation

/// The file behind links.
enum LinkedFile {
  /// The links in a row that the system follows at most.
  private static let mostLinks = 40

  /// Follows the links of a path, also of one that leads to a file that is not there, which is then created, as by a shell. Links that
  /// lead in a circle end at one of them.
  static func target(of path: String) -> URL {
    var target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    for _ in 0..<mostLinks {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target.path) else { break }
      target = URL(fileURLWithPath: next, relativeTo: target.deletingLastPathComponent()).resolvingSymlinksInPath()
    }
    return target
  }
}

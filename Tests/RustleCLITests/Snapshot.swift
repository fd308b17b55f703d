import Foundation
import Testing

/// Compares a text with the file named after the test that made it.
enum Snapshot {
  /// - Parameters:
  ///   - text: what the code under test wrote.
  ///   - variant: distinguishes the texts of one test.
  ///   - function: the test; the snapshot is `Snapshots/<file>.<test>[.<variant>].txt`.
  ///
  /// With the environment variable `RUSTLE_RECORD_SNAPSHOTS` set the file is written anew, and the test fails, so that a
  /// recording run is never taken for a passing one.
  static func expect(
    _ text: String, variant: String? = nil, function: String = #function, file: String = #filePath,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let source = URL(filePath: file)
    let test = function.prefix { $0 != "(" }
    let name = [source.deletingPathExtension().lastPathComponent, String(test), variant].compactMap { $0 }
    let url = source.deletingLastPathComponent().appending(path: "Snapshots")
      .appending(path: name.joined(separator: ".") + ".txt")
    if ProcessInfo.processInfo.environment["RUSTLE_RECORD_SNAPSHOTS"] != nil {
      try Data(text.utf8).write(to: url)
      Issue.record("recorded \(url.lastPathComponent): read it, then run the tests", sourceLocation: location)
      return
    }
    let expected = try String(contentsOf: url, encoding: .utf8)
    #expect(text == expected, "differs from \(url.lastPathComponent)", sourceLocation: location)
  }
}

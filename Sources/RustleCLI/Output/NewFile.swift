import RustlePlot

/// An output file that is written under a temporary name and renamed once complete.
struct NewFile: Sendable {
  /// The file's final path, as given.
  let name: String
  private let mayReplace: Bool
  private let replacement: FileReplacement

  /// - Parameters:
  ///   - name: a path in a folder that exists. A link is followed.
  ///   - mayReplace: whether an existing file is replaced.
  /// - Throws: `CommandFailure` for an existing file without `mayReplace`, and for a device or a pipe.
  init(_ name: String, mayReplace: Bool) throws {
    self.name = name
    self.mayReplace = mayReplace
    replacement = FileReplacement(of: name)
    if replacement.occupant == .other {
      throw CommandFailure(
        .usage, "\(name): expected the path of a regular file, got a device or a pipe",
        advice: "choose the name of a file")
    }
    try checkPlace()
  }

  /// The temporary path.
  var path: String { replacement.path }

  private func checkPlace() throws {
    guard mayReplace || replacement.occupant == .nothing else {
      throw CommandFailure(
        .usage, "\(name): the file exists", advice: "choose another name, or use --overwrite")
    }
  }

  /// Renames the file to its final name, atomically.
  func commit() throws {
    try checkPlace()
    if let reason = replacement.commit() {
      throw CommandFailure(
        .unavailable, "\(name): cannot be renamed: \(reason)", advice: "check the folder, or choose another")
    }
  }

  /// Removes the temporary file.
  func discard() { replacement.discard() }
}

import RustlePlot

/// A file that a command makes: it is written beside its place and put there when it is whole.
struct NewFile: Sendable {
  /// Where the file is going to be, as it was given.
  let name: String
  private let mayReplace: Bool
  private let replacement: FileReplacement

  /// - Parameters:
  ///   - name: a path in a folder that exists. A link is followed.
  ///   - mayReplace: whether a file that is there is replaced.
  /// - Throws: `CommandFailure` for a file that is there, and for what is no regular file.
  init(_ name: String, mayReplace: Bool) throws {
    self.name = name
    self.mayReplace = mayReplace
    replacement = FileReplacement(of: name)
    if replacement.occupant == .other {
      throw CommandFailure(
        .usage, "\(name): expected the path of a regular file, got a device or a pipe",
        advice: "name a file that may be put in its place")
    }
    try checkPlace()
  }

  /// Where it is written meanwhile.
  var path: String { replacement.path }

  private func checkPlace() throws {
    guard mayReplace || replacement.occupant == .nothing else {
      throw CommandFailure(
        .usage, "\(name): expected a name that is free, got that of a file",
        advice: "choose another name, or give --overwrite")
    }
  }

  /// Puts the file in its place, in one step.
  func commit() throws {
    try checkPlace()
    if let reason = replacement.commit() {
      throw CommandFailure(
        .unavailable, "\(name): cannot be put in its place: \(reason)", advice: "check the folder, or choose another")
    }
  }

  /// Removes what is not in its place.
  func discard() { replacement.discard() }
}

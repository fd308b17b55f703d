internal import RustleCore

/// The version of the program.
enum Version {
  /// The package's version (semver.org).
  static let package = "0.1.0"
  /// The fingerprint of the linked native archive.
  static var archive: String { NativeLibrary.buildID }
  /// Whether the archive is the one that the package was built against.
  static var isArchiveExpected: Bool { NativeLibrary.buildID == NativeLibrary.expectedBuildID }
  /// The output of `--version`.
  static var text: String { "rustle \(package) (native archive \(archive))" }
}

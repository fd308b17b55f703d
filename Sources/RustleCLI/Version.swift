internal import RustleCore

/// Which program this is.
enum Version {
  /// The package's version (semver.org).
  static let package = "0.1.0"
  /// The fingerprint of the native archive that is linked in.
  static var archive: String { NativeLibrary.buildID }
  /// Whether that archive is the one that the package was built against.
  static var isArchiveExpected: Bool { NativeLibrary.buildID == NativeLibrary.expectedBuildID }
  /// What `--version` prints.
  static var text: String { "rustle \(package) (native archive \(archive))" }
}

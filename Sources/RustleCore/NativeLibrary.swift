internal import CRustle

/// The linked native archive as a whole.
package enum NativeLibrary {
  /// The fingerprint that the linked archive reports.
  package static var buildID: String { unsafe String(cString: rustle_build_id()) }

  /// The fingerprint of the archive that this package was built against.
  package static var expectedBuildID: String { unsafe String(cString: rustle_expected_build_id()) }

  /// The number of native objects of this process: handles, results and sinks that were not freed or released.
  package static var liveObjects: Int { Int(rustle_live_objects()) }

  /// Checks once per process that the archive matches this package, and connects its log. Every engine calls it before its
  /// first native call.
  ///
  /// - Throws: ``NativeError`` with ``NativeStatus/archiveMismatch``, every time, when it does not match.
  package static func prepare() throws(NativeError) { try prepared.get() }

  private static let prepared: Result<Void, NativeError> = {
    if let problem = mismatch(
      built: expectedBuildID, linked: buildID, archive: NativeLayout.ofArchive(), header: NativeLayout.ofHeader())
    {
      return .failure(NativeError(status: .archiveMismatch, message: problem))
    }
    NativeLog.connect()
    return .success(())
  }()

  /// Returns the fault of an archive with these properties, and advice; nil when there is none.
  static func mismatch(
    built: String, linked: String, archive: [LayoutEntry], header: [LayoutEntry]
  ) -> String? {
    if let difference = NativeLayout.difference(archive: archive, header: header) {
      return "the native archive does not match its header: \(difference). Run scripts/build and build again."
    }
    if built != linked {
      return "expected the native archive \(built), got \(linked). Run scripts/build and build again."
    }
    return nil
  }
}

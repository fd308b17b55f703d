internal import CRustle

/// The fingerprint of the linked native archive and the one that this package was built against.
package enum BuildID {
  /// The fingerprint that the linked archive reports.
  package static var archive: String { unsafe String(cString: rustle_build_id()) }
  /// The fingerprint that the C shim carries.
  package static var expected: String { unsafe String(cString: rustle_expected_build_id()) }
}

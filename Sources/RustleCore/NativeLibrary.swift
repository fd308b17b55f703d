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

/// An entry of a record's layout: the record as a whole (`field` is nil) or one of its fields.
struct LayoutEntry: Sendable, Hashable {
  let record: String
  let field: String?
  /// The record's size with its padding, in bytes; 0 for a field.
  let size: Int
  /// The record's alignment, in bytes; 0 for a field.
  let alignment: Int
  /// The field's distance from the record's start, in bytes; 0 for a record.
  let offset: Int

  /// The name in messages: `RustleSink` or `RustleSink.context`.
  var name: String { field.map { "\(record).\($0)" } ?? record }
}

/// The layout of every record that crosses the boundary, as each side sees it.
enum NativeLayout {
  /// The layout with which the linked archive was compiled.
  static func ofArchive() -> [LayoutEntry] {
    var count = 0
    guard let table = unsafe rustle_abi_layout(&count) else { return [] }
    let entries = unsafe UnsafeBufferPointer(start: table, count: count)
    return unsafe entries.map { entry in
      unsafe LayoutEntry(
        record: String(cString: entry.record), field: entry.field.map { unsafe String(cString: $0) },
        size: entry.size, alignment: entry.alignment, offset: entry.offset)
    }
  }

  /// Returns the first difference between the two, as a sentence that names the record or the field; nil when they agree.
  static func difference(archive: [LayoutEntry], header: [LayoutEntry]) -> String? {
    if archive == header { return nil }
    let expected = Dictionary(header.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let got = Dictionary(archive.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in archive where expected[entry.name] == nil {
      return "\(entry.name): in the archive, not in the header"
    }
    for entry in header {
      guard let other = got[entry.name] else { return "\(entry.name): in the header, not in the archive" }
      if other != entry {
        return "\(entry.name): expected size \(entry.size), alignment \(entry.alignment), offset \(entry.offset); "
          + "got size \(other.size), alignment \(other.alignment), offset \(other.offset)"
      }
    }
    return nil
  }

  /// The entries of a record and its fields. The compiler makes constants of offsets whose key paths are literals; hundreds of key
  /// paths as values took a seventh of a command's start.
  static func record<Record>(_ type: Record.Type, _ name: String, _ fields: [(String, Int?)]) -> [LayoutEntry] {
    let whole = LayoutEntry(
      record: name, field: nil, size: MemoryLayout<Record>.stride, alignment: MemoryLayout<Record>.alignment, offset: 0)
    let parts = fields.map { field, offset in
      // A stored field of an imported record always has an offset; -1 would be reported as a difference.
      LayoutEntry(record: name, field: field, size: 0, alignment: 0, offset: offset ?? -1)
    }
    return [whole] + parts
  }
}

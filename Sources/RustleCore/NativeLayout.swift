internal import CRustle

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

  static func record<Record>(
    _ type: Record.Type, _ name: String, _ fields: [(String, PartialKeyPath<Record>)]
  ) -> [LayoutEntry] {
    let whole = LayoutEntry(
      record: name, field: nil, size: MemoryLayout<Record>.stride, alignment: MemoryLayout<Record>.alignment, offset: 0)
    let parts = fields.map { field, path in
      // A stored field of an imported record always has an offset; -1 would be reported as a difference.
      LayoutEntry(
        record: name, field: field, size: 0, alignment: 0, offset: MemoryLayout<Record>.offset(of: path) ?? -1)
    }
    return [whole] + parts
  }
}

extension String {
  /// The meaning of a field that has the same as the one before it.
  package static let ditto = "\""
}

extension Sequence {
  /// The fields of columns and their meanings for a help text.
  ///
  /// - Parameters:
  ///   - kind: the meaning of the field `kind`; nil without that field.
  ///   - hasVersion: whether the list begins with the field `v`.
  package func fieldList<Record>(kind: String? = nil, hasVersion: Bool = true) -> String
  where Element == Column<Record> {
    var rows: [TermList.Row] = hasVersion ? [(["v"], "1, the version of these fields")] : []
    if let kind { rows.append((["kind"], kind)) }
    for column in self where !column.formats.isEmpty && rows.last?.terms.last != column.name {
      if let last = rows.last, column.meaning == (last.meaning == nil ? nil : .some(.ditto)) {
        rows[rows.count - 1].terms.append(column.name)
      } else {
        rows.append(([column.name], column.meaning))
      }
    }
    // ArgumentParser's own lines have fewer than 80 columns.
    return TermList.lines(rows, width: 79).joined(separator: "\n")
  }
}

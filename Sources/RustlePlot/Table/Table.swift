package import RustleFiles

/// The format of records.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// A live view on a terminal, text elsewhere.
  case auto
  case text
  /// One JSON object per line, with a version field.
  case ndjson
  /// A header and one record per line (RFC 4180 quoting).
  case csv

  /// Whether it is text.
  package var isForPeople: Bool { self == .auto || self == .text }
}

/// A column of the records that a command writes: the field's name, its value in a record, and its cell in text output.
package struct Column<Record>: Sendable {
  /// The cell of a column in text output.
  package struct Cell: Sendable {
    package var title: String
    /// The least width in columns, leading spaces included; 0 for that of the text.
    package var width = 0
    package var isRight = true
    package var unit = ""
    /// On a narrow terminal the column of the least rank is left out first; nil for a column that is always shown.
    package var rank: Int?
    package var isSection = false
    package let text: @Sendable (Record, Glyphs) -> String
    package var ink: (@Sendable (Record) -> Ink?)?
  }

  /// The field's name with its unit, `f0_hz`; empty for a column of text output only.
  package let name: String
  /// The meaning of the field for the help; nil for a name that needs none, `ditto` for that of the column before.
  package private(set) var meaning: String?
  /// The machine-readable formats that contain the column.
  package let formats: Set<OutputFormat>
  package let value: @Sendable (Record) -> Value
  /// The cell in text output; nil for a column of machine-readable formats only.
  package private(set) var cell: Cell?

  package init<Field: FieldValue & SendableMetatype>(
    _ name: String, in formats: Set<OutputFormat> = [.ndjson, .csv], _ value: @escaping @Sendable (Record) -> Field
  ) {
    self.name = name
    self.formats = formats
    self.value = { value($0).field }
  }

  package init<Field: FieldValue & SendableMetatype>(
    _ name: String, _ meaning: String, in formats: Set<OutputFormat> = [.ndjson, .csv],
    _ value: @escaping @Sendable (Record) -> Field
  ) {
    self.init(name, in: formats, value)
    self.meaning = meaning
  }

  /// A column of text output only.
  package init() { self.init("", in: []) { _ in Value.absent } }

  /// A heading of the columns after it in a list.
  package static func section(_ title: String) -> Self {
    var column = Self()
    column.cell = Cell(title: title, isSection: true) { _, _ in "" }
    return column
  }

  /// The column without a cell in text output.
  package var withoutCell: Self {
    var column = self
    column.cell = nil
    return column
  }

  /// The column with a cell in text output: the number times `scale` in a format of `String(format:)`; a dash for no number.
  package func shown(_ title: String, _ width: Int, _ format: String, unit: String = "", scale: Double = 1) -> Self {
    let value = value
    var column = self
    column.cell = Cell(title: title, width: width, unit: unit) { record, glyphs in
      let number: Double? =
        switch value(record) {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        default: nil
        }
      return Numbers.text(number.map { scale * $0 }, format, glyphs)
    }
    return column
  }

  /// The column with a cell in text output.
  package func shown(
    _ title: String, _ width: Int = 0, isRight: Bool = true, unit: String = "", rank: Int? = nil,
    ink: (@Sendable (Record) -> Ink?)? = nil, _ text: @escaping @Sendable (Record, Glyphs) -> String
  ) -> Self {
    var column = self
    column.cell = Cell(title: title, width: width, isRight: isRight, unit: unit, rank: rank, text: text, ink: ink)
    return column
  }
}

/// Records in any output format, from one list of columns.
///
/// NDJSON: an object per line, `"v":1` and the kind first, then the columns in order. CSV: a header, and a record per line.
/// Text: a heading and the cells side by side, or a text of the record's own.
package struct Table<Record>: Sendable {
  package var columns: [Column<Record>]
  package let format: OutputFormat
  package let profile: TerminalProfile
  private let beginning: String
  /// The heading of text output; nil for the titles of the cells.
  package var heading: String?
  /// The text of a record in place of its cells, line feed included.
  package var text: (@Sendable (Record) -> String)?

  /// - Parameter kind: distinguishes the kinds of records in a stream; nil for a single kind.
  package init(
    _ columns: [Column<Record>], kind: String? = nil, format: OutputFormat, profile: TerminalProfile,
    heading: String? = nil, text: (@Sendable (Record) -> String)? = nil
  ) {
    (self.columns, self.format, self.profile) = (columns, format, profile)
    (self.heading, self.text) = (heading, text)
    beginning = "{\"v\":1" + (kind.map { ",\"kind\":\"\($0)\"" } ?? "")
  }

  package var header: String {
    switch format {
    case .ndjson: return ""
    case .csv:
      var text = ByteText()
      appendCSV(to: &text) { .string($0.name) }
      return text.string
    case .auto, .text: return heading ?? (titles.text.isEmpty ? "" : titles.text + "\n")
    }
  }

  /// The header and the lines of records.
  package func document(of records: some Sequence<Record>) -> String { header + lines(records) }

  /// The lines of records, line feeds included.
  package func lines(_ records: some Sequence<Record>) -> String {
    var text = ByteText()
    for record in records { append(record, to: &text) }
    return text.string
  }

  /// The line of a record, line feed included.
  package func line(_ record: Record) -> String { lines(CollectionOfOne(record)) }

  package func append(_ record: Record, to text: inout ByteText) {
    switch format {
    case .ndjson:
      text.append(beginning)
      for column in columns where column.formats.contains(.ndjson) {
        let value = column.value(record)
        if case .absent = value { continue }
        text.append(",\"")
        text.append(column.name)
        text.append("\":")
        text.append(json: value)
      }
      text.append("}\n")
    case .csv: appendCSV(to: &text) { $0.value(record) }
    case .auto, .text: text.append(self.text?(record) ?? row(record).text + "\n")
    }
  }

  private func appendCSV(to text: inout ByteText, _ value: (Column<Record>) -> Value) {
    var separator = ""
    for column in columns where column.formats.contains(.csv) {
      text.append(separator)
      text.append(csv: value(column))
      separator = ","
    }
    text.append("\n")
  }

  // MARK: text output

  package var titles: ScreenLine {
    let titles = joined(\.title).map(\.text).joined()
    return titles.allSatisfy { $0 == " " } ? ("", 0) : profile.line(titles, .bold)
  }

  package func row(_ record: Record) -> ScreenLine {
    let cells = joined { $0.text(record, profile.glyphs) }
    let columns = cells.reduce(0) { $0 + $1.columns }
    // A row that is too wide for the terminal is cut, in the ink of its last cell.
    guard !profile.isLive || columns <= profile.columns else {
      return profile.line(cells.map(\.text).joined(), cells.last?.ink?(record))
    }
    return (cells.reduce(into: "") { $0 += profile.paint($1.text, $1.ink?(record)) }, columns)
  }

  /// A record's cells one below the other, with titles and units, in sections.
  package func list(_ record: Record) -> String {
    var text = ""
    for column in columns {
      guard let cell = column.cell else { continue }
      if cell.isSection {
        text += "\n" + profile.paint(cell.title, .bold) + "\n"
      } else {
        let value = cell.text(record, profile.glyphs).leftPadded(to: cell.width)
        text += "  " + cell.title.rightPadded(to: 19) + value + (cell.unit.isEmpty ? "" : " \(cell.unit)") + "\n"
      }
    }
    return profile.glyphs.plain(text)
  }

  /// The table without columns of least rank, until the cells fit a width or no ranked column is left.
  package func narrowed(to width: Int) -> Self {
    var table = self
    while table.cells.reduce(0, { $0 + $1.width }) > width,
      let least = table.columns.indices.filter({ table.columns[$0].cell?.rank != nil })
        .min(by: { table.columns[$0].cell?.rank ?? 0 < table.columns[$1].cell?.rank ?? 0 })
    {
      table.columns.remove(at: least)
    }
    return table
  }

  private var cells: [Column<Record>.Cell] { columns.compactMap { $0.cell } }

  /// The text of each cell padded to its width, without trailing spaces, and its columns.
  private func joined(
    _ text: (Column<Record>.Cell) -> String
  ) -> [(text: String, columns: Int, ink: (@Sendable (Record) -> Ink?)?)] {
    let cells = cells
    return cells.enumerated().map { index, cell in
      let text = text(cell)
      let columns = DisplayWidth.columns(of: text)
      guard columns < cell.width, cell.isRight || index < cells.count - 1 else { return (text, columns, cell.ink) }
      let padding = String(repeating: " ", count: cell.width - columns)
      return (cell.isRight ? padding + text : text + padding, cell.width, cell.ink)
    }
  }
}

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

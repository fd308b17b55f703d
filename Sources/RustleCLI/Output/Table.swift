import Foundation

/// A column of the records that a command writes: it says once what the field is called, how it is read from a record, and how
/// people see it.
struct Column<Record>: Sendable {
  /// How people see a column.
  struct Cell: Sendable {
    var title: String
    /// Characters that it takes at least, the spaces before it included; 0: what its text takes.
    var width = 0
    var isRight = true
    /// Stands behind the value where the columns are listed one below the other.
    var unit = ""
    /// Where a terminal is too narrow for all, the column with the least rank is left out first; nil: never.
    var rank: Int?
    /// Whether it is a heading, where columns are listed one below the other.
    var isSection = false
    let text: @Sendable (Record, Glyphs) -> String
    var ink: (@Sendable (Record) -> Painter.Ink?)?
  }

  /// What programs read, with its unit: `f0_hz`. Empty: the column is for people alone.
  let name: String
  /// The formats for programs that have it.
  let formats: Set<OutputFormat>
  let value: @Sendable (Record) -> Value
  /// nil: the column is for programs alone.
  private(set) var cell: Cell?

  /// A column for programs.
  init<Field: FieldValue & SendableMetatype>(
    _ name: String, in formats: Set<OutputFormat> = [.ndjson, .csv], _ value: @escaping @Sendable (Record) -> Field
  ) {
    self.name = name
    self.formats = formats
    self.value = { value($0).field }
  }

  /// A column for people.
  init(cell: Cell) {
    name = ""
    formats = []
    value = { _ in .absent }
    self.cell = cell
  }

  /// A heading of the columns behind it, where they are listed one below the other.
  static func section(_ title: String) -> Self { Self(cell: Cell(title: title, isSection: true) { _, _ in "" }) }

  /// The column as people see it too: the number in a format of `String(format:)`, times `scale`; a dash stands for none.
  func shown(_ title: String, _ width: Int, _ format: String, unit: String = "", scale: Double = 1) -> Self {
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

  /// The column as people see it too.
  func shown(
    _ title: String, _ width: Int = 0, isRight: Bool = true, unit: String = "", rank: Int? = nil,
    ink: (@Sendable (Record) -> Painter.Ink?)? = nil, _ text: @escaping @Sendable (Record, Glyphs) -> String
  ) -> Self {
    var column = self
    column.cell = Cell(title: title, width: width, isRight: isRight, unit: unit, rank: rank, text: text, ink: ink)
    return column
  }
}

/// Writes records in the format that was asked for, all from one list of columns.
///
/// NDJSON: an object a line, `"v":1` and the kind first, then the columns in their order. CSV: a header, and a record a line. For
/// people: a heading, and the cells side by side; or a text of the record's own.
struct Table<Record>: Sendable {
  var columns: [Column<Record>]
  let format: OutputFormat
  let profile: TerminalProfile
  /// What stands before the columns in JSON.
  private let beginning: String
  /// What comes before the first record for people; nil: the titles of the cells.
  var heading: String?
  /// What people see of a record in place of its cells, line feed included.
  var text: (@Sendable (Record) -> String)?

  /// - Parameter kind: tells the records of a stream apart; nil: they are all alike.
  init(
    _ columns: [Column<Record>], kind: String? = nil, format: OutputFormat, profile: TerminalProfile,
    heading: String? = nil, text: (@Sendable (Record) -> String)? = nil
  ) {
    self.columns = columns
    self.format = format
    self.profile = profile
    self.heading = heading
    self.text = text
    beginning = "{\"v\":1" + (kind.map { ",\"kind\":\"\($0)\"" } ?? "")
  }

  /// What comes before the first record; may be empty.
  var header: String {
    switch format {
    case .ndjson: return ""
    case .csv:
      var text = ByteText()
      for (index, column) in columns.filter({ $0.formats.contains(.csv) }).enumerated() {
        if index > 0 { text.append(",") }
        text.append(csv: .string(column.name))
      }
      text.append("\n")
      return text.string
    case .auto, .text:
      if let heading { return heading }
      let titles = titles.text
      return titles.isEmpty ? "" : titles + "\n"
    }
  }

  /// The lines of some records.
  func lines(_ records: some Sequence<Record>) -> String {
    var text = ByteText()
    for record in records { append(record, to: &text) }
    return text.string
  }

  /// The line of a record, line feed included.
  func line(_ record: Record) -> String { lines(CollectionOfOne(record)) }

  /// Appends the line of a record.
  func append(_ record: Record, to text: inout ByteText) {
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
    case .csv:
      var isFirst = true
      for column in columns where column.formats.contains(.csv) {
        if !isFirst { text.append(",") }
        isFirst = false
        text.append(csv: column.value(record))
      }
      text.append("\n")
    case .auto, .text: text.append(self.text?(record) ?? row(record).text + "\n")
    }
  }

  // MARK: for people

  /// The titles of the cells.
  var titles: ScreenLine {
    let titles = joined { $0.title }.map(\.text).joined()
    let isBlank = titles.allSatisfy { $0 == " " }
    return isBlank ? ("", 0) : profile.line(titles, .bold)
  }

  /// The cells of a record side by side.
  func row(_ record: Record) -> ScreenLine {
    let cells = joined { $0.text(record, profile.glyphs) }
    let plain = cells.map(\.text).joined()
    let columns = DisplayWidth.columns(of: plain)
    // What is too wide for a terminal is cut, in the ink of its end.
    guard !profile.isLive || columns <= profile.columns else { return profile.line(plain, cells.last?.ink?(record)) }
    return (cells.map { profile.paint($0.text, $0.ink?(record)) }.joined(), columns)
  }

  /// The cells of a record one below the other, with their titles and units, in the sections that the columns begin.
  func list(_ record: Record) -> String {
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

  /// Without the columns of least rank, so that the cells fit a width as far as that goes.
  func narrowed(to width: Int) -> Self {
    var table = self
    while table.cells.reduce(0, { $0 + $1.width }) > width,
      let least = table.columns.indices.filter({ table.columns[$0].cell?.rank != nil })
        .min(by: { table.columns[$0].cell?.rank ?? 0 < table.columns[$1].cell?.rank ?? 0 })
    {
      table.columns.remove(at: least)
    }
    return table
  }

  private var cells: [Column<Record>.Cell] { columns.compactMap(\.cell) }

  /// The text of each cell in its width, without spaces behind the last one.
  private func joined(
    _ text: (Column<Record>.Cell) -> String
  ) -> [(text: String, ink: (@Sendable (Record) -> Painter.Ink?)?)] {
    let cells = cells
    return cells.enumerated().map { index, cell in
      let text = text(cell)
      let padding = String(repeating: " ", count: max(0, cell.width - DisplayWidth.columns(of: text)))
      return (cell.isRight ? padding + text : index == cells.count - 1 ? text : text + padding, cell.ink)
    }
  }
}

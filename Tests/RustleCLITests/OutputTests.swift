import Foundation
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI
@testable import RustleFiles

@Suite(.releasesNativeObjects) struct OutputTests {
  /// A column of a value of its own, whatever the record.
  private static func column(_ name: String, _ value: Value) -> Column<Int> { Column(name) { _ in value } }

  private static func table(
    _ columns: [Column<Int>], _ format: OutputFormat, kind: String? = nil, columns width: Int = 80
  ) -> Table<Int> {
    Table(columns, kind: kind, format: format, profile: TickerViewTests.profile(columns: width))
  }

  @Test func aRecordOfJSONIsOneLineThatBeginsWithItsVersion() throws {
    let columns = [
      Self.column("text", .string("a \"b\" \\ \n \t \u{1} é")), Self.column("n", .number(0.1)),
      Self.column("f", .float(0.1)), Self.column("i", .integer(-3)), Self.column("inf", .number(-.infinity)),
      Self.column("none", .null), Self.column("left_out", .absent), Self.column("empty", .array([])),
      Self.column("list", .array([.object([("hz", .number(440)), ("x", .absent)]), .bool(true), .null])),
    ]
    let text = Self.table(columns, .ndjson, kind: "reading").line(0)
    let expected =
      #"{"v":1,"kind":"reading","text":"a \"b\" \\ \n \t \u0001 é","n":0.1,"f":0.1,"i":-3,"#
      + #""inf":null,"none":null,"empty":[],"list":[{"hz":440.0},true,null]}"#
    #expect(text == expected + "\n")
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(parsed?["text"] as? String == "a \"b\" \\ \n \t \u{1} é")
    #expect(Self.table(columns, .ndjson).header.isEmpty)
  }

  @Test(arguments: [1e-9, 64_031.2, 123_456_789_012.5, 5e300]) func numbersSurviveJSON(value: Double) throws {
    let text = Self.table([Self.column("x", .number(value))], .ndjson).line(0)
    struct Record: Decodable { let x: Double }
    #expect(try JSONDecoder().decode(Record.self, from: Data(text.utf8)).x == value)
  }

  @Test func fieldsOfACSVRecordAreQuotedWhereTheyMustBe() {
    func record(_ values: [Value]) -> String { Self.table(values.map { Self.column("x", $0) }, .csv).line(0) }
    #expect(record([.string("a"), .string("b c"), .number(1.5), .string("")]) == "a,b c,1.5,\n")
    #expect(
      record([.string("a,b"), .string("say \"x\""), .string("two\nlines")])
        == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n")
    #expect(
      record([.number(.infinity), .float(.nan), .null, .absent, .array([.null]), .bool(false)]) == ",,,,,false\n")
  }

  @Test func aColumnIsInItsFormatsAlone() {
    let columns = [Column<Int>("a", in: [.csv]) { $0 }, Column("b", in: [.ndjson]) { -$0 }, Column("c") { 2 * $0 }]
    #expect(Self.table(columns, .csv).header + Self.table(columns, .csv).lines([1, 2]) == "a,c\n1,2\n2,4\n")
    #expect(Self.table(columns, .ndjson).line(1) == "{\"v\":1,\"b\":-1,\"c\":2}\n")
    #expect(Self.table(columns, .text).header.isEmpty, "people see none of them")
  }

  @Test func peopleSeeTheSameColumnsInCells() {
    let columns: [Column<Double>] = [
      .section("FIRST"),
      Column("a") { $0 }.shown("A", 7, "%.1f", unit: "dB"),
      Column("b") { $0.isFinite ? 1 - $0 : nil }.shown("B", 9, "%.0f", unit: "%", scale: 100),
      Column("c") { $0 }.shown("", isRight: false) { value, _ in value > 0 ? "  up" : "  down" },
    ]
    let table = Table(
      columns.filter { $0.cell?.isSection != true }, format: .text, profile: TickerViewTests.profile(columns: 80))
    #expect(table.header == "      A        B\n")
    #expect(
      table.lines([0.25, -3, -0.01, .nan])
        == "    0.2       75  up\n   \u{2212}3.0      400  down\n    0.0      101  down\n      –        –  down\n")
    let list = Table(Array(columns.prefix(3)), format: .text, profile: TickerViewTests.profile(columns: 80))
    #expect(
      list.list(0.5)
        == "\nFIRST\n  A                      0.5 dB\n  B                         50 %\n")
  }

  @Test func aTableIsAsNarrowAsTheTerminal() {
    let columns: [Column<Int>] = [
      Column("a") { $0 }.shown("A", 10, rank: 1) { value, _ in "\(value)" },
      Column("b") { $0 }.shown("B", 10, rank: 0) { value, _ in "\(value)" },
      Column("c") { $0 }.shown("C", 10) { value, _ in "\(value)" },
    ]
    func titles(_ width: Int) -> String {
      Self.table(columns, .text, columns: width).narrowed(to: width).header.filter { !$0.isWhitespace }
    }
    #expect(titles(30) == "ABC" && titles(29) == "AC" && titles(20) == "AC" && titles(19) == "C" && titles(5) == "C")
    let row = Self.table(columns, .text, columns: 20).row(7)
    #expect(row.columns == 20 && row.text.hasSuffix("…"))
  }

  @Test func aClosedOutputIsNamed() throws {
    let result = try RustleProcess.shell("rustle devices >&-")
    #expect(result.status == 69)
    #expect(result.errors == "error: cannot write the output: it is closed\n")
  }

  @Test(arguments: [
    ("tikcer", "ticker"), ("TICKER", "ticker"), ("tick", nil), ("spectrums", "spectrum"), ("dokter", "doctor"),
    ("hlep", "help"), ("hel", "help"), ("tuner", "tune"), ("violin", nil), ("", nil),
  ])
  func aMistypedSubcommandIsRecognised(word: String, meant: String?) {
    #expect(Suggestion.nearest(to: word, among: RootCommand.subcommandNames) == meant)
  }

  @Test func editsCountInsertionsDeletionsReplacementsAndSwaps() {
    #expect(Suggestion.edits(from: "", to: "abc") == 3)
    #expect(Suggestion.edits(from: "abc", to: "") == 3)
    #expect(Suggestion.edits(from: "kitten", to: "sitting") == 3)
    #expect(Suggestion.edits(from: "ab", to: "ba") == 1)
    #expect(Suggestion.edits(from: "same", to: "same") == 0)
  }
}

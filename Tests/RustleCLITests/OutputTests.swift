import Foundation
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct OutputTests {
  @Test func aJSONLineIsOneLineThatBeginsWithItsVersion() throws {
    var line = JSONLine()
    line.add("text", .string("a \"b\" \\ \n \t \u{1} é"))
    line.add("n", .number(0.1))
    line.add("i", .integer(-3))
    line.add("u", .unsigned(.max))
    line.add("inf", .number(-.infinity))
    line.add("list", .array([.object([("hz", .number(440))]), .bool(true), .null]))
    let expected =
      #"{"v":1,"text":"a \"b\" \\ \n \t \u0001 é","n":0.1,"i":-3,"u":18446744073709551615,"inf":null,"#
      + #""list":[{"hz":440.0},true,null]}"# + "\n"
    #expect(line.text == expected)
    let parsed = try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any]
    #expect(parsed?["text"] as? String == "a \"b\" \\ \n \t \u{1} é")
  }

  @Test(arguments: [1e-9, 64_031.2, 123_456_789_012.5, 5e300]) func numbersSurviveJSON(value: Double) throws {
    var line = JSONLine()
    line.add("x", .number(value))
    struct Record: Decodable { let x: Double }
    #expect(try JSONDecoder().decode(Record.self, from: Data(line.text.utf8)).x == value)
  }

  @Test func fieldsOfACSVRecordAreQuotedWhereTheyMustBe() {
    #expect(CSVLine.text(["a", "b c", "1.5", ""]) == "a,b c,1.5,\n")
    #expect(CSVLine.text(["a,b", "say \"x\"", "two\nlines"]) == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n")
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

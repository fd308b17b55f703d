import Foundation
import Logging
import Testing

@testable import RustleStudio

struct StudioLogTests {
  @Test func aRecordIsAnObject() throws {
    let log = StudioLog(isJSON: true, isJournal: false)
    let line = log.lines(.warning, "a", "one\n\u{1b}\"two\"", ["symbol": "B"], text: "unused")
    #expect(line.hasSuffix("}\n") && line.count { $0 == "\n" } == 1)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["v"] as? Int == 1 && object["level"] as? String == "warning" && object["source"] as? String == "a")
    #expect(object["message"] as? String == "one\n\u{1b}\"two\"" && object["symbol"] as? String == "B")
    let time = try #require(object["time"] as? String)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(abs(try style.parse(time).timeIntervalSinceNow) < 60)
  }

  @Test func eachLineOfTheJournalHasItsLevel() {
    let log = StudioLog(isJSON: false, isJournal: true)
    #expect(log.lines(.error, "a", "b", text: "one\ntwo\n") == "<3>one\n<3>two\n")
    #expect(StudioLog(isJSON: true, isJournal: true).lines(.info, "a", "b", text: "").hasPrefix("<6>{"))
    #expect(StudioLog(isJSON: false, isJournal: false).lines(.error, "a", "b", text: "one\n") == "one\n")
  }
}

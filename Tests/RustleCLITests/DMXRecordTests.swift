import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// The commands dmx record and dmx play.
extension DMXCommandTests {
  /// Two levels of a universe, 40 ms apart, among lines that are no levels of sACN.
  private static let show = """
    {"v":1,"t_ms":5000,"protocol":"sacn","universe":7731,"sources":1,"dmx":[1,11]}
    {"v":1,"gap":2}
    {"v":1,"t_ms":5010,"protocol":"artnet","universe":7731,"sources":1,"dmx":[9,9]}
    {"v":1,"t_ms":5040,"protocol":"sacn","universe":7731,"sources":1,"dmx":[2,12]}

    """

  private static func lines(of path: String) -> [[String: Any]] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  @Test func whatIsPlayedIsRecorded() throws {
    let folder = try ScratchFolder()
    let (show, path) = (try folder.write(Data(Self.show.utf8), as: "show.ndjson"), folder.path("recorded.ndjson"))
    var record = try DMXProcess(["record", path, "--protocol", "sacn", "--universes", "7731", "--duration", "30"])
    let play = try DMXProcess(["play", show, "--loop"])
    // Another receiver has the lines at the same time: the file is looked at as often as levels come.
    var receive = try DMXProcess(["receive", "--protocol", "sacn", "--universes", "7731", "--duration", "30"])
    while Self.lines(of: path).count < 6 { _ = try receive.line() }
    #expect(play.end(SIGINT) == 130 && receive.end(SIGINT) == 130)
    let (status, summary) = try record.lastLine(after: SIGTERM)
    let recorded = Self.lines(of: path)
    #expect(status == 143 && summary["changes"] as? Int == recorded.count && recorded.count >= 6)
    #expect(summary["universes"] as? Int == 1 && summary["dropped"] as? Int == 0)
    #expect(summary["duration_ms"] as? Int == recorded.last?["t_ms"] as? Int)
    // Level after level, as often as it was repeated.
    let levels = recorded.compactMap { ($0["dmx"] as? [Int]) }
    #expect(levels.allSatisfy { $0.count == 512 && $0[1] == $0[0] + 10 && $0[2...].allSatisfy { $0 == 0 } })
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0[0] + $1[0] == 3 })
    let times = recorded.compactMap { $0["t_ms"] as? Int }
    #expect(times.count == recorded.count && times == times.sorted())
    // The file is one that plays.
    let again = try RustleProcess.run(["dmx", "play", path, "--demo", "--speed", "100", "--json"])
    #expect(again.status == 0 && again.errors == "", "\(again.errors)")
  }

  @Test func linesOfAReceiverArePlayedFromAPipe() throws {
    let result = try RustleProcess.shell(
      "set -o pipefail; rustle dmx receive --demo --duration 0.5 --json --events"
        + " | rustle dmx play - --demo --protocol sacn --json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.hasPrefix("rustle: ") && result.errors.contains("lines of the other protocol were left out"))
    let counts = try JSONSerialization.jsonObject(with: result.data) as? [String: Any]
    #expect(try #require(counts?["packets"] as? Int) > 4 && counts?["refusals"] as? Int == 0)
  }

  @Test func aSpeedStretchesTheTimes() throws {
    let folder = try ScratchFolder()
    let show = try folder.write(Data(Self.show.utf8), as: "show.ndjson")
    let start = ContinuousClock.now
    let result = try RustleProcess.run(["dmx", "play", show, "--demo", "--speed", "0.05", "-q"])
    #expect(result.status == 0 && result.errors == "" && result.output.hasPrefix("sent "))
    // 40 ms at a twentieth of the speed.
    #expect(start.duration(to: .now) >= .milliseconds(800))
  }

  @Test func aRecordingReplacesAFileWhenAskedFor() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("precious\n".utf8), as: "a.ndjson")
    let words = ["dmx", "record", path, "--demo", "--universes", "3", "--protocol", "sacn"]
    let refused = try RustleProcess.run(words)
    #expect(
      refused.status == 64 && refused.errors.contains("the file exists\n  Choose another name, or use --overwrite."))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious\n")
    let result = try RustleProcess.run(words + ["--overwrite", "--duration", "0.2"])
    let lines = Self.lines(of: path)
    #expect(result.status == 0 && result.output == "wrote \(lines.count) changes of 1 universes to \(path)\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0["universe"] as? Int == 3 && $0["v"] as? Int == 1 })
    for (words, text) in [
      ([folder.url.path, "--demo"], "got the folder"),
      (["/dev/null", "--demo"], "expected the path of a regular file"),
      (["-", "--demo"], "got - (standard output)"), ([path + "b", "--interface", "nowhere"], "(127.0.0.1)"),
      ([path + "b", "--universes", "0"], "--universes: "),
      ([path + "b", "--format", "csv"], "'auto', 'text' or 'ndjson'"),
    ] {
      let result = try RustleProcess.run(["dmx", "record"] + words + ["--duration", "0"])
      #expect(result.status == 64 && result.errors.contains(text), "\(words): \(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.ndjson"])
  }

  @Test func argumentsOfPlayersAreChecked() throws {
    let folder = try ScratchFolder()
    let other = try folder.write(Data(Self.show.utf8), as: "show.ndjson")
    let untimed = try folder.write(Data("{\"universe\":1,\"dmx\":[1]}\n".utf8), as: "untimed.ndjson")
    for (words, status, text) in [
      (["-", "--loop"], 64, "--loop cannot be used"), ([other, "--speed", "0"], 64, "a speed from 0.001"),
      ([other, "--format", "csv"], 64, "'auto', 'text' or 'ndjson'"), ([folder.path("none")], 66, "none: no such file"),
      ([folder.url.path], 66, "cannot be read: it is a folder"), ([untimed], 65, "expected lines with t_ms"),
      ([other, "--sync-address", "1", "--art-sync"], 64, "--art-sync"), (["/dev/null"], 65, "expected levels of sacn"),
    ] as [([String], Int32, String)] {
      let result = try RustleProcess.run(["dmx", "play", "--demo"] + words)
      #expect(result.status == status && result.output == "")
      #expect(result.errors.contains(text), "\(words): \(result.errors)")
    }
  }
}

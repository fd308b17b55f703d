import Foundation
import RustleCLI
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct LogFormatTests {
  private static let json = ["RUSTLE_LOG_FORMAT": "json"]

  /// The objects on standard error.
  private static func messages(_ arguments: [String], _ environment: [String: String] = json) throws -> [[String: Any]]
  {
    let result = try RustleProcess.run(arguments, environment: environment)
    let lines = result.errors.split(separator: "\n")
    return try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  @Test func failureIsAnObjectWithItsStatus() throws {
    let messages = try Self.messages(["spectrum", "/nowhere/\u{1b}[1m\"a\".wav"])
    #expect(messages.count == 1)
    let message = try #require(messages.first)
    #expect(message["level"] as? String == "error" && message["source"] as? String == "rustle")
    #expect(message["status"] as? String == "66" && message["v"] as? Int == 1)
    #expect((message["message"] as? String)?.contains("/nowhere/") == true)
    let time = try #require(message["time"] as? String)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(abs(try style.parse(time).timeIntervalSinceNow) < 60)
  }

  @Test func wrongUsageIsAnObject() throws {
    let messages = try Self.messages(["dmx", "send", "--rate", "0"])
    #expect(messages.map { $0["status"] as? String } == ["64"])
  }

  @Test func noteAndLogRecordAreObjects() throws {
    let scratch = try ScratchFolder()
    let rig = try scratch.write(Data(#"{"v":1,"fixtures":[]}"#.utf8), as: "rig.json")
    let notes = try Self.messages(["dmx", "patch", "check", rig])
    #expect(notes.map { $0["level"] as? String } == ["notice"])
    let log = try Self.messages(
      ["ticker", "BTC", "--duration", "0.3"], Self.json.merging(["RUSTLE_LOG": "debug"]) { $1 })
    #expect(log.contains { $0["level"] as? String == "debug" && $0["module"] is String }, "\(log)")
  }

  @Test func notesOfARunAreObjectsWithTheirLevels() throws {
    let scratch = try ScratchFolder()
    let line = #"{"symbol":"A","price":1,"t_ms":0}"# + "\n"
    let path = try scratch.write(Data((line + "x\n" + line).utf8), as: "a.ndjson")
    let replay = ["ticker", "--replay", path, "--speed", "max", "--json"]
    let served = try Self.messages(replay + ["--serve", "127.0.0.1:0", "--duration", "0.3"])
    #expect((served.first?["message"] as? String)?.hasPrefix("serving on 127.0.0.1:") == true, "\(served)")
    let played = try Self.messages(replay)
    #expect(played.map { $0["level"] as? String } == ["warning", "notice"], "\(played)")
    #expect((played.first?["message"] as? String)?.hasPrefix("line 2 skipped: ") == true)
  }

  @Test func aSessionThatMayLiveOnIsAWarning() throws {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(atPath: scratch.path("rustle"), withIntermediateDirectories: true)
    let session = #"{"server":"http://127.0.0.1:9","email":"ada@example.org","cookie":"a=b"}"#
    _ = try scratch.write(Data(session.utf8), as: "rustle/account.json")
    let environment = Self.json.merging(["XDG_CONFIG_HOME": scratch.url.path]) { $1 }
    let notes = try Self.messages(["account", "logout"], environment)
    #expect(notes.map { $0["level"] as? String } == ["warning"], "\(notes)")
  }

  /// systemd names the journal by the device and inode of standard error.
  @Test(arguments: ["", "RUSTLE_LOG_FORMAT=json"])
  func linesOfTheJournalHaveTheirLevels(format: String) throws {
    let scratch = try ScratchFolder()
    let log = scratch.path("log")
    func lines(_ stream: String) throws -> [Substring] {
      let variables = "RUSTLE_LOG=debug JOURNAL_STREAM=\(stream) \(format)"
      let commands = "rustle ticker BTC --duration 0.1 >/dev/null; rustle spectrum /nowhere"
      _ = try RustleProcess.shell("exec 2>\(log); export \(variables); \(commands)")
      return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    }
    let ours = try lines("$(stat -L -c %d:%i \(log))")
    #expect(ours.contains { $0.hasPrefix("<7>") } && ours.contains { $0.hasPrefix("<3>") }, "\(ours)")
    #expect(ours.allSatisfy { $0.hasPrefix("<7>") || $0.hasPrefix("<3>") }, "\(ours)")
    #expect(try lines("1:2").allSatisfy { !$0.hasPrefix("<") })
  }

  @Test func withoutTheVariableMessagesAreText() throws {
    let result = try RustleProcess.run(["spectrum", "/nowhere"])
    #expect(result.errors.hasPrefix("error: "))
  }
}

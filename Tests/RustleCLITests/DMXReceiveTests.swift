import Foundation
import RustleFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// The commands dmx receive and dmx nodes, beside dmx send.
extension DMXCommandTests {
  @Test(arguments: [["sacn"], ["artnet", "--to", "broadcast"]]) func levelsOfASenderAreWritten(words: [String]) throws {
    var receive = try DMXProcess([
      "receive", "--universes", "7711-7712", "--events", "--stats", "--duration", "30", "--protocol", words[0],
    ])
    let send = try DMXProcess(
      ["send", "--universes", "7712", "--slots", "3", "--duration", "30", "--protocol"] + words)
    var (levels, appeared, last): ([[Int]], [String: Any], Int) = ([], [:], 0)
    while levels.count < 5 || appeared.isEmpty {
      let line = try receive.line()
      let time = try #require(line["t_ms"] as? Int)
      #expect(line["v"] as? Int == 1 && line["protocol"] as? String == words[0] && line["universe"] as? Int == 7_712)
      #expect(time >= last && time < 30_000)
      if line["kind"] as? String == "event" {
        if line["event"] as? String == "sourceAppeared" { appeared = line }
        continue
      }
      last = time
      let dmx = try #require(line["dmx"] as? [Int])
      // The ramp: each slot is one above the one before, and above that of the frame before.
      #expect(
        dmx.count == 512 && (0..<3).allSatisfy { dmx[$0] == (dmx[0] + $0) % 256 } && dmx[3...].allSatisfy { $0 == 0 })
      #expect(line["sources"] as? Int == 1 && levels.last.map { $0 != dmx } != false)
      levels.append(dmx)
    }
    #expect(appeared["address"] as? String == "127.0.0.1")
    #expect(words[0] == "artnet" || appeared["text"] as? String == "rustle dmx send" && appeared["cid"] is String)
    #expect(send.end(SIGTERM) == 143)
    if words[0] == "sacn" { _ = try receive.line { $0["event"] as? String == "sourceTerminated" } }
    let (status, stats) = try receive.lastLine(after: SIGINT)
    #expect(status == 130 && stats["kind"] as? String == "stats")
    #expect(try #require(stats["levels"] as? Int) >= 5 && stats["malformed"] as? Int == 0)
  }

  /// A pipe got words, with 16 of the slots: the manual's own examples did not work.
  @Test func demonstrationsNeedNoNetworkAndAreNDJSONInAPipe() throws {
    let result = try RustleProcess.run(["dmx", "receive", "--demo", "--duration", "0.3", "--universes", "2,1"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    // Both protocols, both universes.
    for start in [#"sacn","universe":1,"#, #"sacn","universe":2,"#, #"artnet","universe":1,"#] {
      #expect(result.output.contains(#","protocol":""# + start + #""sources":1,"dmx":[0,1,2,"#))
    }
    let text = try RustleProcess.run([
      "dmx", "receive", "--demo", "--duration", "0.3", "--stats", "--protocol", "artnet", "--format", "text",
    ])
    #expect(text.status == 0 && text.output.hasPrefix("artnet 0.0.0 (0) from 1:   0   1   2   3 "), "\(text.output)")
    #expect(text.lines.last?.hasPrefix("read 0 datagrams, ") == true)
    var nodes = try DMXProcess(["nodes", "--demo", "--duration", "60"])
    for number in 1...4 {
      let node = try nodes.line()
      #expect(node["change"] as? String == "appeared" && node["state"] as? String == "online")
      #expect(node["address"] as? String == "192.0.2.\(number)" && node["name"] as? String == "demo \(number)")
      #expect(node["mac"] as? String == "02:00:00:00:00:0\(number)")
    }
    #expect(nodes.end(SIGINT) == 130)
    let words = try RustleProcess.run(["dmx", "nodes", "--demo", "--duration", "0.2", "--format", "text"])
    #expect(words.output.hasPrefix("192.0.2.1 appeared: demo 1, 0.0.0 (0), 0.0.1 (1)"), "\(words.output)")
  }

  /// 176,000 changes a second are more than it writes.
  @Test func changesThatAreMissingAreWrittenInTheirPlace() throws {
    var receive = try DMXProcess([
      "receive", "--demo", "--protocol", "sacn", "--universes", "1-4000", "--duration", "30",
    ])
    let gap = try receive.line { $0["gap"] != nil }
    #expect(gap["v"] as? Int == 1 && gap.count == 2)
    #expect(try #require(gap["gap"] as? Int) > 0)
    #expect(receive.end(SIGINT) == 130)
  }

  @Test func gapsHaveTheirKindAndTheirWords() {
    let profile = TickerViewTests.profile(columns: 80, ascii: true)
    #expect(
      OutputFormat.ndjson.gap(3, of: "events", kind: "event", profile: profile)
        == "{\"v\":1,\"kind\":\"event\",\"gap\":3}\n")
    #expect(OutputFormat.ndjson.gap(3, of: "changes", profile: profile) == "{\"v\":1,\"gap\":3}\n")
    #expect(OutputFormat.text.gap(3, of: "changes", profile: profile) == "~ 3 changes missing here\n")
  }

  @Test func aReceiverIsFoundAsANode() throws {
    var receive = try DMXProcess(["receive", "--protocol", "artnet", "--universes", "7713", "--duration", "30"])
    let send = try DMXProcess([
      "send", "--protocol", "artnet", "--to", "broadcast", "--universes", "7713", "--duration", "30",
    ])
    // Of two at an address, the later one gets what is sent to it alone: the browser begins when the receiver hears.
    _ = try receive.line()
    #expect(send.end(SIGTERM) == 143)
    var nodes = try DMXProcess(["nodes", "--duration", "30"])
    let node = try nodes.line { ($0["port_addresses"] as? [Int])?.contains(7_713) == true }
    #expect(node["address"] as? String == "127.0.0.1" && node["state"] as? String == "online")
    #expect(node["name"] as? String == "rustle" && node["long_name"] as? String == "rustle dmx receive")
    #expect(nodes.end(SIGINT) == 130 && receive.end(SIGTERM) == 143)
  }

  @Test func argumentsOfReceiversAreChecked() throws {
    for (words, text) in [
      (["receive", "--universes", "0"], "--universes: universe: expected 1 to 63999, got 0"),
      (
        ["receive", "--protocol", "artnet", "--universes", "128.0.0"],
        "--universes: universe: expected a number, or net"
      ),
      (["receive", "--protocol", "dmx"], "--protocol"), (["receive", "--interface", "nowhere"], "(127.0.0.1)"),
      (["receive", "--format", "csv"], "'auto', 'text' or 'ndjson'"),
      (["receive", "--duration", "-1"], "seconds from 0"),
      (["nodes", "--to", "here"], "expected an IPv4 address"), (["nodes", "--interface", "nowhere"], "(127.0.0.1)"),
      (["nodes", "--format", "csv"], "'auto', 'text' or 'ndjson'"),
    ] {
      let result = try RustleProcess.run(["dmx", words[0], "--duration", "0"] + words.dropFirst())
      #expect(result.status == 64 && result.output == "" && result.errors.contains(text), "\(words): \(result.errors)")
    }
  }

  // MARK: bytes as they come

  @Test func bytesAreReadAsTheyCome() throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data([1, 2, 3]))
    let reader = pipe.fileHandleForReading
    #expect(try AvailableBytes.read(from: reader, atMost: 2) == Data([1, 2]))
    #expect(try AvailableBytes.read(from: reader, atMost: 1 << 16) == Data([3]))
    try pipe.fileHandleForWriting.close()
    let folder = try #require(FileHandle(forReadingAtPath: "/"))
    let failure = #expect(throws: AvailableBytes.Failure.self) { try AvailableBytes.read(from: folder, atMost: 1) }
    #expect(failure?.reason == "it is a folder")
    // The end comes when no other child has the pipe any more: of a file it comes at once.
    let nothing = try #require(FileHandle(forReadingAtPath: "/dev/null"))
    #expect(try AvailableBytes.read(from: nothing, atMost: 9).isEmpty)
  }
}

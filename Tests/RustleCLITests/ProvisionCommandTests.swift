import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

@testable import RustleCLI

/// The command provision, with the nodes of the demonstration; Tests/Peers/bluez_faults.py has a Bluetooth service.
@Suite(.releasesNativeObjects) struct ProvisionCommandTests {
  private let set = [
    "provision", "set", "--demo", "--name", "left", "--ssid", "stage", "--universe", "2", "--start", "401",
  ]

  @Test func aNodeIsProvisionedWithALineForEachState() throws {
    let result = try RustleProcess.run(set + ["--open", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = try SoundCommandTests.objects(result)
    let states = ["SCANNING", "CONNECTING", "READING_CONFIG", "WRITING_CONFIG", "APPLYING", "VERIFYING", "SUCCESS"]
    #expect(lines.map { $0["state"] as? String } == states)
    #expect(lines.first?["node"] is NSNull && lines[1]["node"] as? String == "02:00:00:00:00:01")
    let last = try #require(lines.last)
    #expect(last["v"] as? Int == 1 && last["universe"] as? Int == 2 && last["start"] as? Int == 401)
    #expect(last["flag"] as? String == "provisioned" && last["error"] is NSNull && last["progress"] as? Double == 1)
  }

  @Test func statesAreWrittenForPeople() throws {
    let result = try RustleProcess.run(set + ["--open", "--node", "ChromaDMX-0002", "--format", "text"])
    #expect(result.status == 0, "\(result.errors)")
    try Snapshot.expect(result.output)
  }

  @Test func thePasswordIsInNoOutput() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("canary-7f3a91\n".utf8), as: "password")
    for input in ["--password-file '\(path)'", "--password-file - < '\(path)'"] {
      let words = set.map { "'\($0)'" }.joined(separator: " ")
      let result = try RustleProcess.shell("RUSTLE_LOG=trace \"$RUSTLE\" \(words) -v --json \(input)")
      #expect(result.status == 0 && result.lines.count == 7, "\(result.errors)")
      #expect(!(result.output + result.errors).contains("canary"))
    }
  }

  @Test func aTableGoesOnAfterAFailure() throws {
    let folder = try ScratchFolder()
    let text = "node,name,universe,start\nChromaDMX-0001,a,1,1\nnobody,b,1,20\nChromaDMX-0003,c,1,40\n"
    let path = try folder.write(Data(text.utf8), as: "nodes.csv")
    let words = [
      "provision", "set", "--demo", "--table", path, "--ssid", "stage", "--open", "--timeout", "3", "--json",
    ]
    let result = try RustleProcess.run(words)
    let ends = try SoundCommandTests.objects(result).filter { ["SUCCESS", "ERROR"].contains($0["state"] as? String) }
    #expect(ends.map { $0["row"] as? Int } == [0, 1, 2])
    #expect(ends.map { $0["error"] as? String } == [nil, "notFound", nil])
    #expect(result.status == 66 && result.errors.contains("node: expected nobody within 3 s, got none"))
  }

  @Test(arguments: [SIGINT, SIGTERM]) func anAttemptThatIsEndedSaysSoLast(number: Int32) throws {
    let ended = try RustleProcess.interrupted(set + ["--open", "--json", "--node", "nobody"], with: number)
    let lines = ended.output.split(separator: "\n")
    let last = try #require(lines.last)
    #expect(ended.status == 128 + number && lines.count > 1, "\(ended)")
    #expect(last.contains(#""state":"ERROR""#) && last.contains(#""error":"cancelled""#), "\(last)")
  }

  @Test func anAttemptGoesOnWithoutAReader() throws {
    let words = (set + ["--open", "--json"]).map { "'\($0)'" }.joined(separator: " ")
    let ends = "; echo status ${PIPESTATUS[0]}"
    for (line, status) in [(words, 0), ("provision read nobody --demo --timeout 12", 66)] {
      let result = try RustleProcess.shell("rustle \(line) | head -n 1\(ends)")
      #expect(result.lines.count == 2 && result.lines.last == "status \(status)", "\(line): \(result.output)")
    }
  }

  @Test func valuesAreReadAndNodesAreReset() throws {
    let read = try RustleProcess.run(["provision", "read", "02:00:00:00:00:03", "--demo", "--json"])
    let last = try #require(try SoundCommandTests.objects(read).last)
    #expect(read.status == 0 && last["name"] as? String == "ChromaDMX-0003" && last["firmware"] as? String == "1.4.2")
    for words in [["reset"], ["reset", "--reboot"]] {
      let result = try RustleProcess.run(["provision"] + words + ["ChromaDMX-0001", "--demo", "--json"])
      let states = try SoundCommandTests.objects(result).map { $0["state"] as? String }
      #expect(result.status == 0 && states == ["SCANNING", "CONNECTING", "APPLYING", "SUCCESS"], "\(result.errors)")
    }
  }

  @Test func nodesAreListed() throws {
    let result = try RustleProcess.run(["provision", "list", "--demo", "--duration", "0.5", "--json"])
    let lines = try SoundCommandTests.objects(result)
    #expect(result.status == 0 && lines.count >= 4, "\(result.errors)")
    #expect(lines.first?["change"] as? String == "appeared" && lines.first?["rssi_dbm"] as? Double == -47)
    #expect(lines.first?["flag"] as? String == "unprovisioned" && lines.first?["firmware"] as? String == "1.4")
    let text = try RustleProcess.run(["provision", "list", "--demo", "--seconds", "0.1", "--format", "text"])
    #expect(
      text.lines.first == "02:00:00:00:00:01 appeared, -47 dBm: ChromaDMX-0001, unprovisioned, firmware 1.4",
      "\(text.output)")
  }

  @Test(arguments: [80, 60]) func nodesInRangeAreATable(columns: Int) async throws {
    var board = ScannedNodeBoard()
    #expect(DMXViewTests.text(board, columns: columns, rows: 9) == "no node is in range\n")
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    var configuration = NodeRadioConfiguration()
    configuration.adapter = NodeRadioConfiguration.demoAdapter
    configuration.sightingsLimit = 7
    let scanner = try NodeScanner(configuration, runtime: runtime)
    let stream = try await scanner.nodes()
    runtime.advance(nanoseconds: 10_000_000_000)
    for await element in stream { board.apply(element) }
    try Snapshot.expect(DMXViewTests.text(board, columns: columns, rows: 9), variant: "\(columns)")
    #expect(DMXViewTests.text(board, columns: columns, rows: 3, from: 1).split(separator: "\n").count == 3)
  }

  @Test func badOptionsAndValuesAreNamed() throws {
    let values = set.dropFirst(3)
    let long = String(repeating: "x", count: 33)
    let cases: [([String], Int32, String)] = [
      (["set", "--demo"] + values, 64, "expected --password-file or --open, got neither"),
      (["set", "--demo", "--open", "--password-file", "x"] + values, 64, "--password-file cannot be used with --open"),
      (["set", "--demo", "--open"], 64, "expected --name"),
      (
        ["set", "--demo", "--open", "--table", "x", "--node", "y", "--ssid", "z"], 64,
        "--table cannot be used with --node"
      ),
      (["set", "--demo", "--open", "--table", "x"], 64, "expected --ssid"),
      (["set", "--demo", "--password-file", "-", "--table", "-", "--ssid", "z"], 64, "cannot both be standard input"),
      (["set", "--demo", "--password", "secret"] + values, 64, "--password"),
      (["set", "--demo", "--open", "--start", "513"] + values.dropLast(2), 64, "a start address from 1 to 512"),
      (
        ["set", "--demo", "--open"] + values.dropFirst(2) + ["--name", long], 64, "name: expected 1 to 32 bytes, got 33"
      ),
      (["set", "--demo", "--password-file", "/nowhere"] + values, 66, "--password-file: /nowhere: no such file"),
      (["read", "nobody", "--demo", "--timeout", "12"], 66, "node: expected nobody within 10 s, got none"),
      (["read", ""], 64, "node: expected a name or an identifier, got none"),
      (["reset", ""], 64, "node: expected a name or an identifier, got none"),
      (["reset", "--reboot", ""], 64, "node: expected a name or an identifier, got none"),
      (["set", "--node", "", "--open", "--demo"] + values, 64, "node: expected a name or an identifier, got none"),
      (["list", "--demo", "--format", "csv"], 64, "one of 'auto', 'text' or 'ndjson'"),
    ]
    for (words, status, text) in cases {
      let result = try RustleProcess.run(["provision"] + words)
      #expect(result.status == status && result.errors.contains(text), "\(words): \(result.status) \(result.errors)")
    }
  }

  @Test func withoutABluetoothServiceTheBusIsNamed() throws {
    for words in ["list --duration 1", "read x", "reset x"] {
      let result = try RustleProcess.shell(
        "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere/bus \"$RUSTLE\" provision \(words)")
      #expect(result.status == 69, "\(words): \(result.status)")
      #expect(result.errors.contains("Bluetooth service is not there: unix:path=/nowhere/bus: no such file or folder"))
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// The commands of dmx, run as processes on the loopback: one after the other, since a child inherits the pipes of another.
@Suite(.serialized, .releasesNativeObjects) struct DMXCommandTests {
  private func counts(_ text: String) throws -> [String: Any] {
    let line = try #require(text.split(separator: "\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func aPatternEndsWithTerminationsAndCounts() throws {
    let words = ["dmx", "send", "--interface", "127.0.0.1", "--universes", "7401-7403", "--duration", "0.2", "--json"]
    for pattern in ["ramp", "chase", "solid", "random"] {
      let result = try RustleProcess.run(words + ["--pattern", pattern])
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      let counts = try counts(result.output)
      #expect(counts["v"] as? Int == 1 && counts["refusals"] as? Int == 0 && counts["refused"] as? [String] == [])
      // At least the first frame, and three terminations of each universe.
      #expect(try #require(counts["packets"] as? Int) >= 12)
      let datagrams = try #require(counts["datagrams"] as? Int)
      #expect(try #require(counts["bytes"] as? Int) >= 12 * 638 && datagrams > 12)
    }
  }

  @Test func linesAndSlotsAreReadFromAPipe() throws {
    let words = ["dmx", "send", "--demo", "--input", "-", "--duration", "0.1", "--json"]
    let lines = "{\"universe\":3,\"dmx\":[1,2]}\n{\"universe\":4,\"dmx\":[3]}"
    let read = try RustleProcess.run(words, input: Data(lines.utf8))
    #expect(read.status == 0 && read.errors == "", "\(read.errors)")
    #expect(try #require(try counts(read.output)["packets"] as? Int) >= 2 * (1 + 3))
    let raw = try RustleProcess.run(
      words + ["--raw", "--universes", "1-2", "--slots", "2"], input: Data([1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(raw.status == 0 && raw.errors == "", "\(raw.errors)")
    let odd = try RustleProcess.run(words + ["--raw", "--slots", "2"], input: Data([1, 2, 3]))
    #expect(odd.status == 65 && odd.errors.contains("expected whole frames"))
    let bad = try RustleProcess.run(words, input: Data("{\"universe\":0,\"dmx\":[1]}\n".utf8))
    #expect(bad.status == 65 && bad.errors.contains("line 1"))
  }

  /// The levels arrive while the pipe is open: a read that waits for more bytes than a line has would keep them.
  @Test func linesAreSentAsTheyCome() throws {
    var receive = try DMXProcess(["receive", "--protocol", "sacn", "--universes", "7721-7722", "--duration", "30"])
    let send = try DMXProcess(["send", "--input", "-", "--duration", "30"])
    for universe in [7_721, 7_722] {
      let line = "{\"universe\":\(universe),\"dmx\":[\(universe - 7_700),1]}\n"
      try send.input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
      let received = try receive.line { $0["universe"] as? Int == universe }
      #expect((received["dmx"] as? [Int])?.prefix(3) == [universe - 7_700, 1, 0])
    }
    #expect(send.end(SIGTERM) == 143 && receive.end(SIGTERM) == 143)
  }

  @Test func nodesAreFollowed() throws {
    var receive = try DMXProcess(
      ["receive", "--protocol", "artnet", "--universes", "32101", "--duration", "30"], interface: "127.0.0.2")
    let send = try DMXProcess([
      "send", "--protocol", "artnet", "--to", "auto", "--universes", "32101-32102", "--pattern", "solid", "--duration",
      "30",
    ])
    let received = try receive.line { $0["universe"] as? Int == 32_101 }
    #expect((received["dmx"] as? [Int])?.first == 255)
    #expect(send.end(SIGTERM) == 143 && receive.end(SIGTERM) == 143)
  }

  @Test func universesThatNoNodeListsAreCounted() throws {
    let words = [
      "dmx", "send", "--protocol", "artnet", "--to", "auto", "--interface", "127.0.0.1", "--duration", "0.2",
    ]
    let result = try RustleProcess.run(words + ["--universes", "32111-32112"])
    #expect(
      result.status == 0 && result.output.contains("; 2 universes not sent: no node lists them"), "\(result.output)")
  }

  @Test func universesThatAreRefusedAreNamed() throws {
    let words = ["dmx", "send", "--to", "127.0.0.1:9", "--interface", "127.0.0.1", "--universes", "7411-7412"]
    let result = try RustleProcess.run(words + ["--duration", "0.2"])
    #expect(result.status == 0 && result.output.contains(" refused (universes 7411, 7412), "), "\(result.output)")
  }

  @Test func identityIsKeptAndIsOneProcessesAlone() throws {
    let folder = try ScratchFolder()
    let path = folder.url.appending(path: "new/rustle/sacn-cid").path
    var first: SourceIdentity? = SourceIdentity(path: path)
    let kept = try #require(first).cid
    #expect(SourceIdentity(path: path).cid != kept)
    first = nil
    #expect(SourceIdentity(path: path).cid == kept)
    try Data("no identity".utf8).write(to: URL(filePath: path))
    let replaced = SourceIdentity(path: path).cid
    #expect(replaced != kept && SourceIdentity(path: path).cid == replaced)
    // Without a place for the file, each is new.
    #expect(SourceIdentity(path: "/dev/null/x").cid != SourceIdentity(path: nil).cid)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]) func aSignalEndsItWithTerminations(
    number: Int32, status: Int32
  ) throws {
    let input = Pipe()
    let output = Pipe()
    let process = try RustleProcess.start(
      ["dmx", "send", "--demo", "--input", "-", "--json", "--rate", "200"], input: input, output: output)
    // When the command has read all but the last of these, which a pipe does not hold, its signals are handled.
    let line = Data("{\"universe\":1,\"dmx\":[\(Array(repeating: "1", count: 512).joined(separator: ","))]}\n".utf8)
    for _ in 0..<200 { try input.fileHandleForWriting.write(contentsOf: line) }
    kill(process.processIdentifier, number)
    let counts = try counts(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
    #expect(try #require(counts["packets"] as? Int) >= 1 + 3)
    try input.fileHandleForWriting.close()
  }

  @Test func argumentsAreChecked() throws {
    for (words, text) in [
      (["--universes", "0"], "expected 1 to 63999, got 0"), (["--to", "here"], "expected an IPv4 address"),
      (["--protocol", "artnet", "--to", "multicast"], "--to multicast"), (["--cid", "x"], "expected a UUID"),
      (["--protocol", "artnet"], "for Art-Net, got none"), (["--interface", "nowhere"], "(127.0.0.1)"),
      (["--raw"], "--raw requires --input"), (["--to", "auto"], "--to auto"),
      (["--protocol", "artnet", "--to", "auto", "--to", "10.0.0.1"], "--to auto"),
      (["--art-sync"], "--art-sync requires --protocol artnet"),
      (["--protocol", "artnet", "--priority", "3"], "--priority requires --protocol sacn"),
      (["--protocol", "artnet", "--sync-address", "1", "--art-sync"], "--sync-address requires --protocol sacn"),
      (["--rate", "201"], "1 to 200"), (["--slots", "513"], "1 to 512"),
      (["--format", "csv"], "'auto', 'text' or 'ndjson'"),
    ] {
      let result = try RustleProcess.run(["dmx", "send", "--duration", "0"] + words)
      #expect(result.status == 64 && result.errors.contains(text), "\(words): \(result.errors)")
    }
    let missing = try RustleProcess.run(["dmx", "send", "--demo", "--input", "/nowhere/frames"])
    #expect(missing.status == 66)
    let folder = try RustleProcess.run(["dmx", "send", "--demo", "--input", "/"])
    #expect(
      folder.status == 66 && folder.errors.contains("/: cannot be read: it is a folder"), "\(folder.errors)")
  }

  @Test func countsAreInWordsForPeople() throws {
    let result = try RustleProcess.run([
      "dmx", "send", "--demo", "--protocol", "artnet", "--to", "127.0.0.1:9", "--duration", "0.1",
    ])
    #expect(result.status == 0 && result.output.hasPrefix("sent ") && result.output.contains(" skipped, 0 refused"))
  }
}

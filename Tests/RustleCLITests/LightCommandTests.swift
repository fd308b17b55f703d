import Foundation
import RustleLighting
import TestSupport
import Testing

@testable import RustleCLI

/// The commands light and venue.
@Suite(.releasesNativeObjects) struct LightCommandTests {
  private static let show = """
    {"v":1,"rig":{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"artnet","universe":"0.0.5","address":2}]},
    "scenes":[{"name":"full","layers":[{"effect":"solid"}]}],"cues":[{"scene":"full","fade_in":{"seconds":1}}]}
    """

  @Test func aRenderedShowIsTheSameEachTime() throws {
    let folder = try ScratchFolder()
    let paths = [folder.path("a.pcap"), folder.path("b.pcap")]
    for path in paths {
      let rendered = try RustleProcess.run(["light", "render", "--demo", "festival", "-o", path, "--to", "3"])
      #expect(rendered.status == 0 && rendered.errors == "rustle: wrote \(path)\n")
    }
    let first = try Data(contentsOf: URL(filePath: paths[0]))
    // 132 frames of at least one universe of 512 slots.
    #expect(first.count > 132 * 638)
    #expect(try Data(contentsOf: URL(filePath: paths[1])) == first)
  }

  @Test func levelsAreThoseOfTheFade() throws {
    let folder = try ScratchFolder()
    let (show, output) = (try folder.write(Data(Self.show.utf8), as: "show.json"), folder.path("show.ndjson"))
    let rendered = try RustleProcess.run(["light", "render", show, "-o", output, "--to", "2"])
    #expect(rendered.status == 0, "\(rendered.errors)")
    let text = try String(contentsOfFile: output, encoding: .utf8)
    var (levels, times): ([Int], [Int]) = ([], [])
    for line in text.split(separator: "\n") {
      let record = try JSONDecoder().decode(Levels.self, from: Data(line.utf8))
      #expect(record.universe == 5)
      #expect(record.protocol == "artnet")
      levels.append(record.dmx[1])
      times.append(record.t_ms)
    }
    #expect(levels == levels.sorted())
    #expect(levels.first == 0)
    #expect(levels.last == 255)
    // A line for each frame of the fade.
    #expect((43...46).contains(levels.count))
    let last = try #require(times.last)
    #expect((980...1_023).contains(last))
  }

  /// A line of levels.
  private struct Levels: Decodable {
    let t_ms: Int
    let `protocol`: String
    let universe: Int
    let dmx: [Int]
  }

  /// The universes of both protocols were refused: a rig had to be rendered once for each.
  @Test(arguments: ["0", "0.4"]) func bothProtocolsAreInOneCaptureInTheOrderOfTheirTimes(from: String) throws {
    let folder = try ScratchFolder()
    let fixtures = [
      #"{"id":1,"profile":"dimmer","protocol":"sacn","universe":5,"address":2}"#,
      #"{"id":2,"profile":"dimmer","protocol":"artnet","universe":"0.0.5","address":2}"#,
    ]
    func packets(of rig: [String], as name: String) throws -> [(time: UInt64, bytes: Data)] {
      let rig = #"{"v":1,"fixtures":[\#(rig.joined(separator: ","))]}"#
      let rigPath = try folder.write(Data(rig.utf8), as: "rig.json")
      let (show, path) = (try folder.write(Data(Self.show.utf8), as: "show.json"), folder.path(name))
      let arguments = ["light", "render", show, "--rig", rigPath, "-o", path, "--from", from, "--to", "2.5"]
      let rendered = try RustleProcess.run(arguments)
      #expect(rendered.status == 0, "\(rendered.errors)")
      return CapturedPackets.read(try Data(contentsOf: URL(filePath: path)))
    }
    let both = try packets(of: fixtures, as: "both.pcap")
    let alone = try fixtures.enumerated().map { try packets(of: [$1], as: "\($0).pcap") }
    #expect(both.map(\.time) == both.map(\.time).sorted())
    // The ports are those of sACN and Art-Net.
    for (port, expected) in zip([UInt16(5_568), 6_454], alone) {
      let ours = both.filter { CapturedPackets.port(of: $0.bytes) == port }
      #expect(ours.count > 25)
      #expect(ours.map(\.time) == expected.map(\.time) && ours.map(\.bytes) == expected.map(\.bytes))
    }
    #expect(both.count == alone[0].count + alone[1].count)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
        "0.pcap", "1.pcap", "both.pcap", "rig.json", "show.json",
      ])
  }

  /// A capture was written over the older one, and a part of it stayed.
  @Test(arguments: ["pcap", "ndjson"], [("INT", "130"), ("TERM", "143")])
  func anInterruptedRenderingLeavesTheOlderFile(ending: String, signal: (name: String, status: String)) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("older".utf8), as: "show.\(ending)")
    // With job control, a command beside the shell hears SIGINT.
    let ended = try RustleProcess.shell(
      """
      set -m; cd "\(folder.url.path)"; "$RUSTLE" light render --demo pars -o show.\(ending) --to 1000000 & \
      until [ -s .show.\(ending).*.part ]; do :; done; kill -\(signal.name) $!; wait $!; echo $?
      """)
    #expect(ended.lines == ["\(signal.status)"], "\(ended.errors)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["show.\(ending)"])
  }

  /// All lines were in memory until the last one.
  @Test func linesAreWrittenAsTheyAreRendered() throws {
    let folder = try ScratchFolder()
    let read = try RustleProcess.shell(
      """
      cd "\(folder.url.path)"; mkfifo show.ndjson; "$RUSTLE" light render --demo pars -o show.ndjson --to 1000000 & \
      head -n 1 show.ndjson | cut -c 1-40; wait $!; echo $?
      """)
    #expect(read.lines.first == #"{"v":1,"t_ms":0,"protocol":"sacn","unive"#, "\(read.output) \(read.errors)")
    // Nobody reads on.
    #expect(read.lines.last == "0")
  }

  @Test(arguments: ["pcap", "ndjson"]) func aFullDiskFailsARenderingSoon(ending: String) throws {
    let folder = try ScratchFolder()
    let path = folder.path("show.\(ending)")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let rendered = try RustleProcess.run(["light", "render", "--demo", "pars", "-o", path, "--to", "1000000"])
    #expect(rendered.status == 69 && rendered.errors.contains("write"), "\(rendered.errors)")
  }

  @Test func aSceneIsImportedAsARig() throws {
    let folder = try ScratchFolder()
    let text = """
      <?xml version="1.0"?><GeneralSceneDescription verMajor="1" verMinor="5"><Scene><Layers><Layer name="Truss" uuid="1"><ChildList>
      <Fixture name="par" uuid="0"><GDTFSpec>rgb-par</GDTFSpec><Addresses><Address break="0">1</Address></Addresses>
      <FixtureID>1</FixtureID></Fixture></ChildList></Layer></Layers></Scene></GeneralSceneDescription>
      """
    let scene = try folder.write(StoredZIP.archive([("GeneralSceneDescription.xml", text)]), as: "stage.mvr")
    let rig = folder.path("rig.json")
    let imported = try RustleProcess.run(["fixture", "import", scene, "--universe", "artnet:1.2.3", "-o", rig])
    #expect(imported.status == 0, "\(imported.errors)")
    let checked = try RustleProcess.run(["dmx", "patch", "check", rig])
    #expect(checked.status == 0 && checked.errors.contains("1 fixtures"), "\(checked.errors)")
    #expect(try String(contentsOfFile: rig, encoding: .utf8).contains(#""universe":"1.2.3""#))
    let universe = try RustleProcess.run(["fixture", "import", scene, "--universe", "sacn:0"])
    #expect(universe.status == 64 && universe.errors.contains("expected sacn:1 to sacn:63999"))
  }

  @Test func theRigIsTheFileThatTheShowNames() throws {
    let folder = try ScratchFolder()
    let rig = #"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":1}]}"#
    _ = try folder.write(Data(rig.utf8), as: "rig.json")
    let text = """
      {"v":1,"rig":"rig.json","scenes":[{"name":"full","layers":[{"effect":"solid"},
      {"effect":"solid","fixtures":{"groups":["back"]}}]}]}
      """
    let show = try folder.write(Data(text.utf8), as: "show.json")
    let output = folder.path("show.ndjson")
    let rendered = try RustleProcess.run(["light", "render", show, "-o", output, "--to", "0.1"])
    #expect(rendered.status == 0, "\(rendered.errors)")
    #expect(
      rendered.errors.contains(
        #"scenes[0].layers[1].fixtures.groups: expected a group of the rig, got "back""#), "\(rendered.errors)")
    #expect(try String(contentsOfFile: output, encoding: .utf8).contains(#""universe":7"#))
    // Neither file is written over, by either way to name it.
    let file = folder.path("rig.json")
    let other = try folder.write(Data(rig.utf8), as: "rig.ndjson")
    for arguments in [
      ["venue", show, "--svg", file], ["venue", show, "--rig", file, "--png", file], ["venue", show, "--png", show],
      ["light", "render", show, "--rig", other, "-o", other],
    ] {
      let refused = try RustleProcess.run(arguments)
      #expect(refused.status == 64 && refused.errors.contains("expected another file"), "\(refused.errors)")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == rig)
    #expect(try String(contentsOfFile: show, encoding: .utf8) == text)
    try FileManager.default.removeItem(atPath: folder.path("rig.json"))
    let missing = try RustleProcess.run(["venue", show])
    #expect(missing.status == 66 && missing.errors.contains("rig of \(show): \(folder.path("rig.json"))"))
  }

  @Test func aVenueIsDrawnAsPictureAndAsText() throws {
    let folder = try ScratchFolder()
    let (png, svg) = (folder.path("venue.png"), folder.path("venue.svg"))
    let drawn = try RustleProcess.run(["venue", "--demo", "heads", "--png", png, "--svg", svg, "--width", "320"])
    #expect(drawn.status == 0 && drawn.output == "")
    #expect(try Data(contentsOf: URL(filePath: png)).prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
    let plan = try String(contentsOfFile: svg, encoding: .utf8)
    #expect(plan.hasPrefix("<svg") && plan.contains("width=\"320\""))
    // One of them was written over the other.
    let new = folder.path("new")
    for paths in [[new, new], [new, "\(folder.url.path)/../\(folder.url.lastPathComponent)/new"]] {
      let same = try RustleProcess.run(["venue", "--demo", "heads", "--png", paths[0], "--svg", paths[1]])
      #expect(same.status == 64, "\(same.errors)")
      #expect(same.errors.contains("--svg: expected another file than that of --png, got \(paths[1])"))
    }
    #expect(!FileManager.default.fileExists(atPath: new))
    let text = try RustleProcess.run(["venue", "--demo", "pars", "--ascii"])
    #expect(text.status == 0 && text.output.split(separator: "\n").count >= 20)
    let json = try RustleProcess.run(["venue", "--demo", "pars", "--json"])
    #expect(json.output.hasPrefix("{\"v\":1,") && json.output.hasSuffix("}\n"))
  }

  /// Such a link was refused: permission denied.
  @Test(arguments: [["venue", "--png"], ["light", "render", "-o"]])
  func theFileBehindALinkIsCreated(arguments: [String]) throws {
    let folder = try ScratchFolder()
    let (link, path) = (folder.path("link.png"), folder.path("there.png"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "there.png")
    let drawn = try RustleProcess.run(arguments + [link, "--demo", "pars"])
    #expect(drawn.status == 0, "\(drawn.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "there.png")
    #expect(try Data(contentsOf: URL(filePath: path)).prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func aFullDiskFailsAPictureWithItsAdvice() throws {
    let folder = try ScratchFolder()
    let path = folder.path("venue.png")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let drawn = try RustleProcess.run(["venue", "--demo", "pars", "--png", path])
    #expect(drawn.status != 0 && drawn.errors.contains("no space left on the disk"), "\(drawn.errors)")
    #expect(drawn.errors.contains("Free space on that disk"), "\(drawn.errors)")
  }

  @Test func aRenderingTellsHowFarItIs() async throws {
    let rendering = try Rendering(LightShow(demo: .pars), configuration: LightingController.Configuration())
    var seconds: [Double] = []
    let drawn = try await rendering.pictures([VenuePictureOptions(width: 9, height: 9)], at: 2) { seconds.append($0) }
    #expect(drawn.count == 1 && seconds.count > 10 && seconds == seconds.sorted())
    #expect(try abs(#require(seconds.last) - 2) < 0.03)
  }

  @Test func aRunWithoutAnOutputReportsToAPipe() throws {
    let run = try RustleProcess.run(["light", "run", "--demo", "pars", "--duration", "0.3"])
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output.contains("\"event\":\"cue_started\"") && run.output.contains("\"outputs\":0"))
  }

  @Test func protocolsWithoutFixturesOrOutputsAreNoted() throws {
    let folder = try ScratchFolder()
    let rig = #"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"artnet","universe":3,"address":1}]}"#
    let path = try folder.write(Data(rig.utf8), as: "rig.json")
    let run = try RustleProcess.run([
      "light", "run", "--rig", path, "--duration", "0.1", "--interface", "lo", "--output", "sacn:127.0.0.1",
    ])
    #expect(run.status == 0)
    #expect(run.errors.contains("nothing is sent by sACN: no fixture is patched to it"), "\(run.errors)")
    #expect(run.errors.contains("the fixtures of Art-Net have no output: add --output artnet:ADDRESS"), "\(run.errors)")
  }

  @Test func theEndOfARunTerminatesItsUniverses() throws {
    let arguments = ["light", "run", "--demo", "pars", "--output", "sacn:127.0.0.1", "--interface", "lo"]
    #expect(try RustleProcess.interrupt(arguments, with: SIGTERM) == 143)
  }

  @Test(arguments: [
    (["light", "render", "-o", "show.gif"], 64, "--output-file: expected a name that ends with one of .pcap"),
    (["light", "render", "-o", "show.png", "--to", "3"], 64, "file: a picture is that of --from"),
    (["light", "render", "-o", "show.svg", "--to", "3"], 64, "--to requires a .pcap or .ndjson file"),
    (["light", "render", "-o", "show.pcap", "--from", "4", "--to", "3"], 64, "--to: expected more than --from, 4.0"),
    (["light", "render", "-o", "/missing/show.png"], 69, "there is no folder /missing"),
    (["light", "run", "missing.json"], 66, "missing.json"),
    (["light", "run", "--output", "sacn:auto"], 64, "sacn:auto"),
    (["light", "run", "--tempo", "0"], 64, "--tempo"),
    (["light", "run", "--output", "sacn:multicast", "--output", "sacn:multicast"], 64, "got one twice"),
    (["venue", "--width", "0"], 64, "--width"),
    (["venue", "--width", "9"], 64, "--width requires --png, --svg or --json"),
    (["venue", "--height", "9", "--ascii"], 64, "--height requires --png, --svg or --json"),
    (["venue", "--labels"], 64, "--labels requires --png, --svg or --json"),
    (["venue", "--json", "--png", "venue.png"], 64, "--json cannot be used with --png"),
    (["venue", "--ascii", "--svg", "venue.svg"], 64, "--ascii cannot be used with --svg"),
    (["venue", "--png", "plan.svg"], 64, "--png: expected the name of a PNG file, got plan.svg"),
    (["venue", "--svg", "venue.png"], 64, "--svg: expected the name of an SVG file, got venue.png"),
    (["light", "render", "-o", "show.pcap", "--width", "9"], 64, "--width requires a .png or .svg file"),
    (["light", "render", "-o", "show.pcap", "--height", "9"], 64, "--height requires a .png or .svg file"),
    (["light", "render", "-o", "show.ndjson", "--view", "front"], 64, "--view requires a .png or .svg file"),
    (["light", "render", "-o", "show.ndjson", "--labels"], 64, "--labels requires a .png or .svg file"),
  ]) func whatCannotBeDoneIsRefused(arguments: [String], status: Int32, words: String) throws {
    let refused = try RustleProcess.run(arguments)
    #expect(refused.status == status && refused.errors.contains(words), "\(refused.errors)")
  }

  @Test func faultsOfAShowAreNamedAtOnce() throws {
    let folder = try ScratchFolder()
    let wrong = Self.show.replacing("solid", with: "sollid").replacing("\"scene\":\"full\"", with: "\"scene\":\"none\"")
    let path = try folder.write(Data(wrong.utf8), as: "show.json")
    let refused = try RustleProcess.run(["venue", path])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("scenes[0].layers[0].effect") && refused.errors.contains("cues[0].scene"))
  }

  private static let par = """
    {"v":1,"name":"Par","modes":[{"name":"3","channels":[{"attribute":"red","slots":[1]},{"attribute":"green","slots":[2]},
    {"attribute":"blue","slots":[3]}]}]}
    """

  @Test func aProfileIsShownAndWrittenForRigs() throws {
    let folder = try ScratchFolder()
    let (path, written) = (try folder.write(Data(Self.par.utf8), as: "par.json"), folder.path("out.json"))
    let shown = try RustleProcess.run(["fixture", "show", path])
    #expect(shown.status == 0 && shown.output == "Par, 3: 3 slots: red, green, blue\n")
    let imported = try RustleProcess.run(["fixture", "import", path, "-o", written])
    #expect(imported.status == 0 && imported.output == "")
    let again = try RustleProcess.run(["fixture", "import", written])
    #expect(try again.output == String(contentsOfFile: written, encoding: .utf8))
  }

  @Test func filesThatAreNoFixturesAreNamedEach() throws {
    let folder = try ScratchFolder()
    let good = try folder.write(Data(Self.par.utf8), as: "good.json")
    let bad = try folder.write(Data("<FixtureDefinition/>".utf8), as: "bad.qxf")
    let checked = try RustleProcess.run(["fixture", "check", bad, good, good + ".missing"])
    #expect(checked.status == 65)
    let lines = checked.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("\(bad): ") && lines[1] == "\(good): Par, modes: 1")
    #expect(lines[2].contains("no such file"))
    let none = good + ".missing"
    for arguments in [["check", none, bad], ["import", none], ["show", none]] {
      let missing = try RustleProcess.run(["fixture"] + arguments)
      #expect(missing.status == 66 && (missing.output + missing.errors).contains("no such file"), "\(arguments)")
    }
  }

  /// What the nodes of a plan would not have in common is refused, and so is a plan that does not fit.
  @Test(arguments: [
    (["--plan", "PLAN"], 64, "--plan and --node require each other"),
    (["--node", "left"], 64, "--plan and --node require each other"),
    (["--plan", "PLAN", "--node", "left"], 64, "--plan requires one --output, of sACN"),
    (["--plan", "PLAN", "--node", "left", "--output", "artnet:10.0.0.7"], 64, "--plan requires one --output, of sACN"),
    (
      ["--plan", "PLAN", "--node", "left", "--output", "sacn:multicast", "--tempo", "tap"], 64,
      "--plan requires a --tempo"
    ),
    (
      ["--plan", "PLAN", "--node", "middle", "--output", "sacn:multicast"], 64,
      "--node: expected one of left of --plan, got 'middle'"
    ),
    (["--lease-replicas", "3"], 64, "--lease-replicas requires --lease"),
    (["--lease-replicas", "6"], 64, "expected a number of servers from 1 to 5, got '6'"),
    (["--lease-roots", "a.pem"], 64, "--lease-roots requires --lease"),
    (["--plan", "SHOW", "--node", "left", "--output", "sacn:multicast"], 65, "got 'cues'"),
    (["--plan", "NONE", "--node", "left", "--output", "sacn:multicast"], 66, "--plan"),
  ]) func nodeOfAPlanIsRefused(arguments: [String], status: Int32, expected: String) throws {
    let folder = try ScratchFolder()
    let plan = #"{"v":1,"start":"2026-11-28T20:00:00Z","nodes":[{"name":"left","address":"127.0.0.1:5570"}]}"#
    let paths = [
      "PLAN": try folder.write(Data(plan.utf8), as: "plan.json"),
      "SHOW": try folder.write(Data(Self.show.utf8), as: "show.json"), "NONE": folder.path("none.json"),
    ]
    let refused = try RustleProcess.run(["light", "run"] + arguments.map { paths[$0] ?? $0 })
    #expect(refused.status == status && refused.errors.contains(expected), "\(refused.errors)")
  }

  /// The universes were those of the built-in rig.
  @Test func aMonitorKnowsTheUniversesOfTheRigsFile() throws {
    let folder = try ScratchFolder()
    let nodes = #"[{"name":"left","address":"127.0.0.1:5570","universes":"7701"}]"#
    let plan = #"{"v":1,"start":"2026-11-28T20:00:00Z","nodes":\#(nodes)}"#
    let scenes = #"{"v":1,"scenes":[{"name":"full","layers":[{"effect":"solid"}]}],"cues":[{"scene":"full"}]}"#
    let rig = #"{"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":7702,"address":1}]}"#
    let plans = try folder.write(Data(plan.utf8), as: "plan.json")
    let show = try folder.write(Data(scenes.utf8), as: "show.json")
    let words = ["dmx", "monitor", "--plan", plans, "--rig", try folder.write(Data(rig.utf8), as: "rig.json")]
    let alone = try RustleProcess.run(words)
    #expect(alone.status == 64 && alone.errors.contains("--rig requires --show"), "\(alone.errors)")
    // The first verdict comes after three seconds.
    let monitor = try RustleProcess.shell(
      "rustle '\(words.joined(separator: "' '"))' --show '\(show)' --interface 127.0.0.1 --duration 600 --json | head -n 2"
    )
    let unowned = #"{"v":1,"fault":"unowned","present":true,"universe":"#
    let universes = monitor.lines.filter { $0.hasPrefix(unowned) }.map { $0.dropFirst(unowned.count).prefix(5) }
    #expect(universes == ["7702,"], "\(monitor.output) \(monitor.errors)")
  }
}

internal import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import RustleCLI
@testable import RustleLighting

/// `rustle map`, in processes of its own.
@Suite(.releasesNativeObjects)
struct MapCommandTests {
  /// Lamps that may not have been put back ended with the status 0.
  @Test(arguments: [LightingError.Code.malformedInput, .network])
  func whatFailsAfterTheFirstPassIsReportedBesideTheMap(code: LightingError.Code) async throws {
    let map = try FixtureMap(
      json: Data(#"{"v":1,"width":2,"height":2,"fixtures":[{"id":0,"found":false,"reason":"dark"}]}"#.utf8))
    func followed(_ phase: CameraMapper.Phase) async throws -> MapRunCommand.Known? {
      let (updates, continuation) = AsyncThrowingStream.makeStream(of: CameraMapper.Update.self)
      continuation.yield(
        CameraMapper.Update(phase: phase, part: 0, frames: 9, droppedFrames: 0, delay: nil, delaySpread: 0, map: map))
      continuation.finish(throwing: LightingError(code, "it failed", advice: ""))
      return try await MapRunCommand.parse(["--demo"]).follow(updates)
    }
    let known = try #require(try await followed(.again))
    #expect(known.map == map && (known.failure as? LightingError)?.code == (code == .network ? .network : nil))
    await #expect(throws: LightingError.self) { _ = try await followed(.schedule) }
  }

  @Test func recordingIsSimulatedDecodedJudgedAndPlanned() throws {
    let folder = try ScratchFolder()
    let path = { (name: String) in folder.path(name) }
    let simulated = try RustleProcess.run([
      "map", "simulate", "--scene", "club", "--count", "60", "--size", "320x240", "--truth", path("truth.json"), "-o",
      path("take.y4m"),
    ])
    #expect(simulated.status == 0, "\(simulated.errors)")
    let decoded = try RustleProcess.run([
      "map", "decode", path("take.y4m"), "--count", "60", "-o", path("found.json"), "--overlay", path("found.png"),
    ])
    #expect(decoded.status == 0 && decoded.errors.contains("60 of 60 fixtures found"), "\(decoded.errors)")
    #expect(try Data(contentsOf: URL(filePath: path("found.png"))).starts(with: [0x89, 0x50]))
    let judged = try RustleProcess.run(["map", "judge", path("truth.json"), path("found.json")])
    #expect(judged.output.contains(#""recall":1.0"#) && judged.output.contains(#""wrong":0"#), "\(judged.output)")
    try MapPlanCommand.demoPoints.write(toFile: path("points.json"), atomically: true, encoding: .utf8)
    let planned = try RustleProcess.run(["map", "plan", path("found.json"), path("points.json")])
    #expect(planned.status == 0 && planned.output.contains("\"residuals\""), "\(planned.errors)")
  }

  @Test func aDemonstrationTakesTheRigOfAFile() throws {
    let folder = try ScratchFolder()
    let rig = #"{"v":1,"fixtures":[{"id":7,"profile":"rgb-par","protocol":"artnet","universe":0,"address":1}]}"#
    let path = try folder.write(Data(rig.utf8), as: "rig.json")
    let run = try RustleProcess.run(["map", "run", "--demo", "--rig", path])
    #expect(run.status == 0 && run.errors.contains("1 of 1 fixtures found"), "\(run.errors)")
  }

  @Test func aTruthOfAnotherRecordingJudgesNoMap() throws {
    let folder = try ScratchFolder()
    let map = try RustleProcess.run(["map", "decode", "--demo", "-o", folder.path("map")])
    #expect(map.status == 0, "\(map.errors)")
    let truth = try folder.write(Data(#"{"v":1,"width":64,"height":32,"fixtures":[]}"#.utf8), as: "truth.json")
    let run = try RustleProcess.run(["map", "judge", truth, folder.path("map")])
    #expect(run.status == 65 && run.errors.contains("expected 64x32 pixels, the size of the truth"), "\(run.errors)")
  }

  @Test(arguments: [["run"], ["decode"], ["judge"], ["plan"]])
  func everythingRunsAsADemonstration(_ words: [String]) throws {
    let run = try RustleProcess.run(["map"] + words + ["--demo"])
    #expect(run.status == 0 && run.output.hasPrefix("{\""), "\(run.errors)")
  }

  @Test(arguments: [
    (["run"], 64, "--rig"), (["decode"], 64, "recording"), (["decode", "a.y4m"], 64, "--count"),
    (["decode", "/nowhere.y4m", "--count", "4"], 66, "no such file"),
    (["judge", "/nowhere", "/nowhere"], 66, "<found>"),
    (["decode", "--demo", "--schedule", "/nowhere"], 64, "--schedule"),
    (["decode", "--demo", "--gray", "8x8"], 64, "--gray"),
    (["simulate", "--size", "8x8"], 64, "sides of 32"), (["plan"], 64, "points"),
  ])
  func whatCannotBeDoneIsRefused(_ words: [String], _ status: Int32, _ text: String) throws {
    let run = try RustleProcess.run(["map"] + words)
    #expect(run.status == status && run.errors.contains(text), "\(run.status) \(run.errors)")
  }

  @Test(arguments: [
    ["decode", "in.y4m", "--count", "4", "-o", "in.y4m"],
    ["decode", "a.y4m", "in.y4m", "--count", "4", "--overlay", "in.y4m"],
    ["decode", "a.y4m", "--count", "4", "--corrections", "in.y4m", "-o", "in.y4m"],
    ["decode", "a.y4m", "--count", "4", "--schedule", "in.y4m", "-o", "in.y4m"],
    ["decode", "a.y4m", "--count", "4", "-o", "new", "--overlay", "new"],
    ["run", "--rig", "a", "--frames", "-", "--output", "artnet:127.0.0.1", "--corrections", "in.y4m", "-o", "in.y4m"],
    ["run", "--rig", "a", "--frames", "in.y4m", "--output", "artnet:127.0.0.1", "--overlay", "in.y4m"],
    ["run", "--rig", "a", "--frames", "-", "--output", "artnet:127.0.0.1", "-o", "new", "--overlay", "new"],
    ["simulate", "--truth", "new", "-o", "new"], ["plan", "a", "in.y4m", "-o", "in.y4m"],
    ["plan", "a", "b", "--rig", "in.y4m", "-o", "in.y4m"],
  ])
  func outputsOverInputsAndOverEachOtherAreRefused(_ words: [String]) throws {
    let folder = try ScratchFolder()
    let input = try folder.write(Data("here".utf8), as: "in.y4m")
    let run = try RustleProcess.run(["map"] + words.map { ["in.y4m", "new"].contains($0) ? folder.path($0) : $0 })
    #expect(run.status == 64 && run.errors.contains("expected another file"), "\(run.status) \(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: input)) == Data("here".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.path("new")))
  }

  @Test func correctionsAreReadBeforeTheMappingAndDrawn() throws {
    let folder = try ScratchFolder()
    let missing = try RustleProcess.run([
      "map", "run", "--demo", "--corrections", "/nowhere.json", "-o", folder.path("map"),
    ])
    #expect(missing.status == 66 && !missing.errors.contains("the schedule runs"), "\(missing.errors)")
    // Those that do not fit leave the map that was found.
    let corrections = { (text: String) in
      try folder.write(Data(#"{"v":1,"corrections":[\#(text)]}"#.utf8), as: "corrections")
    }
    let bad = try corrections(#"{"id":99,"found":false}"#)
    let unfit = try RustleProcess.run([
      "map", "run", "--demo", "--corrections", bad, "-o", folder.path("map"), "--overlay", folder.path("unfit.png"),
    ])
    #expect(unfit.status == 65 && unfit.errors.contains("corrections[0]"), "\(unfit.errors)")
    #expect(try String(contentsOfFile: folder.path("map"), encoding: .utf8).contains(#""found":true"#))
    #expect(try Data(contentsOf: URL(filePath: folder.path("unfit.png"))).starts(with: [0x89, 0x50]))
    let decode = { (words: [String], name: String) in
      let run = try RustleProcess.run(
        ["map", "decode", "--demo", "-o", folder.path("map"), "--overlay", folder.path(name)] + words)
      #expect(run.status == 0, "\(run.errors)")
      return try Data(contentsOf: URL(filePath: folder.path(name)))
    }
    let good = try corrections(#"{"id":3,"found":false}"#)
    let mapped = { (words: [String]) in
      let path = folder.path("run.png")
      let run = try RustleProcess.run(["map", "run", "--demo", "-o", folder.path("run"), "--overlay", path] + words)
      #expect(run.status == 0, "\(run.errors)")
      let picture = try Data(contentsOf: URL(filePath: path))
      #expect(picture.starts(with: [0x89, 0x50]))
      return picture
    }
    #expect(try mapped([]) != mapped(["--corrections", good]))
    #expect(try decode([], "plain.png") != decode(["--corrections", good], "corrected.png"))
    #expect(try String(contentsOfFile: folder.path("map"), encoding: .utf8).contains(#""found":false,"id":3"#))
  }

  @Test func correctedMapIsTheBeginningOfTheNextPass() throws {
    let folder = try ScratchFolder()
    let map = { (name: String) in
      try FixtureMap(json: Data(contentsOf: URL(filePath: folder.path(name))))
    }
    let first = try RustleProcess.run(["map", "run", "--demo", "-o", folder.path("first")])
    #expect(first.status == 0, "\(first.errors)")
    let corrections = try folder.write(
      Data(#"{"v":1,"corrections":[{"id":3,"found":false},{"id":5,"x":1,"y":2}]}"#.utf8), as: "corrections")
    let next = try RustleProcess.run([
      "map", "run", "--demo", "--known", folder.path("first"), "--corrections", corrections, "-o", folder.path("next"),
    ])
    #expect(next.status == 0 && next.errors.contains("24 of 24 fixtures found"), "\(next.errors)")
    let (before, after) = (try map("first"), try map("next"))
    #expect(after.fixtures[5].x == 1 && after.fixtures[3].x != nil && after.fixtures[4] == before.fixtures[4])
    let both = try RustleProcess.run([
      "map", "run", "--demo", "--known", folder.path("first"), "--schedule", corrections,
    ])
    #expect(both.status == 64 && both.errors.contains("--known"), "\(both.errors)")
    let small = try RustleProcess.run([
      "map", "decode", folder.path("first"), "--count", "9", "--known", folder.path("first"),
    ])
    let rig = try folder.write(
      Data(#"{"v":1,"fixtures":[{"id":1,"profile":"bar-8","protocol":"artnet","universe":0,"address":1}]}"#.utf8),
      as: "rig")
    let other = try RustleProcess.run([
      "map", "run", "--rig", rig, "--frames", "-", "--output", "artnet:127.0.0.1", "--known", folder.path("first"),
    ])
    for (run, count) in [(small, 9), (other, 8)] {
      let text = "--known: \(folder.path("first")): known: expected a result of \(count) fixtures, got one of 24"
      #expect(run.status == 65 && run.errors.contains(text), "\(run.status) \(run.errors)")
    }
  }

  @Test func inputsThatDoNotGoTogetherAreNamedBeforeAnythingStarts() throws {
    let folder = try ScratchFolder()
    let schedule = try folder.write(Data(#"{"v":1,"states":["bit 99"]}"#.utf8), as: "states.json")
    let rig = try folder.write(MapRunCommand.demoRig, as: "rig")
    let run = try RustleProcess.run([
      "map", "run", "--rig", rig, "--frames", "-", "--output", "artnet:127.0.0.1", "--schedule", schedule,
    ])
    #expect(run.status == 65 && run.errors.contains("states.json: states: expected"), "\(run.status) \(run.errors)")
    let recording = try folder.write(Data("YUV4MPEG2 W8 H8 Cmono\nFRAME\n".utf8) + Data(count: 64), as: "in.y4m")
    let decode = { try RustleProcess.run(["map", "decode", recording, "--count", "24"] + $0) }
    let scheduled = try decode(["--schedule", schedule])
    #expect(scheduled.status == 65 && scheduled.errors.contains("states: expected"), "\(scheduled.errors)")
    let sized = try decode(["--gray", "8x8"])
    #expect(sized.status == 65 && sized.errors.contains("expected bytes of gray, got YUV4MPEG2"), "\(sized.errors)")
    let picture = try folder.write(Data("P5 2 2 255 0000".utf8), as: "0.pgm")
    let gray = try RustleProcess.run(["map", "decode", picture, "--count", "2", "--gray", "2x2"])
    #expect(gray.status == 64 && gray.errors.contains("--gray"), "\(gray.status) \(gray.errors)")
    let demo = try RustleProcess.run(["map", "run", "--demo", "--once"])
    #expect(demo.status == 0 && !demo.errors.contains("lost"), "\(demo.errors)")
  }

  @Test func completeMapLightsNothingAndStatesOfOneFrameAreFound() throws {
    let folder = try ScratchFolder()
    let first = try RustleProcess.run(["map", "run", "--demo", "--hold", "1", "-o", folder.path("first")])
    #expect(first.status == 0 && first.errors.contains("24 of 24 fixtures found"), "\(first.errors)")
    let next = try RustleProcess.run([
      "map", "run", "--demo", "--known", folder.path("first"), "-o", folder.path("next"), "--overlay",
      folder.path("next.png"),
    ])
    // Neither a schedule nor that no light was seen.
    #expect(next.status == 0 && next.errors.hasPrefix("rustle: 24 of 24 fixtures found"), "\(next.errors)")
    #expect(try Data(contentsOf: URL(filePath: folder.path("next.png"))).starts(with: [0x89, 0x50]))
    let places = { (name: String) in
      try FixtureMap(json: Data(contentsOf: URL(filePath: folder.path(name)))).fixtures.map { [$0.x, $0.y] }
    }
    #expect(try places("next") == places("first"))
  }

  @Test func knownMapOfAnotherSizeIsRefused() throws {
    let folder = try ScratchFolder()
    let fixture = #"{"id":0,"found":true,"x":3,"y":4},{"id":1,"found":false,"reason":"dark"}"#
    let known = try folder.write(
      Data(#"{"v":1,"width":160,"height":120,"fixtures":[\#(fixture)]}"#.utf8), as: "known")
    let frame = String(repeating: "0", count: 4_096)
    let take = try folder.write(Data("YUV4MPEG2 W64 H64 Cmono\nFRAME\n\(frame)".utf8), as: "take.y4m")
    let run = try RustleProcess.run(["map", "decode", take, "--count", "2", "--known", known])
    #expect(
      run.status == 65 && run.errors.contains("known: expected frames of 160 x 120, got 64 x 64"),
      "\(run.status) \(run.errors)")
  }

  @Test func recordingOfALateCameraThatDropsFramesIsDecoded() throws {
    let folder = try ScratchFolder()
    let simulated = try RustleProcess.run([
      "map", "simulate", "--count", "60", "--hold", "3", "--drops", "0.04", "--auto-exposure", "0.3", "--delay", "4.5",
      "--truth", folder.path("truth"), "-o", folder.path("take.y4m"),
    ])
    #expect(simulated.status == 0, "\(simulated.errors)")
    let decoded = try RustleProcess.run(["map", "decode", folder.path("take.y4m"), "--count", "60", "--hold", "3"])
    #expect(decoded.status == 0 && decoded.errors.contains("60 of 60 fixtures found"), "\(decoded.errors)")
    let late = try RustleProcess.run(["map", "simulate", "--delay", "16"])
    #expect(late.status == 64 && late.errors.contains("frames from 0 to 15"), "\(late.errors)")
  }

  @Test func recordingThatCannotBeWrittenAndOneThatIsEndedLeaveNothing() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("full"), withDestinationPath: "/dev/full")
    let full = try RustleProcess.run(["map", "simulate", "--size", "32x32", "-o", folder.path("full")])
    #expect(full.status == 69 && full.errors.contains("no space left"), "\(full.status) \(full.errors)")
    try FileManager.default.removeItem(atPath: folder.path("full"))
    let ended = try RustleProcess.shell(
      """
      cd '\(folder.path("."))' || exit; "$RUSTLE" map simulate --hold 1000 --size 640x480 -o take.y4m & process=$!
      until compgen -G '.take*' >/dev/null || ! kill -0 $process; do sleep 0.01; done
      kill $process; wait $process; echo $?; ls -A
      """)
    #expect(ended.output == "143\n", "\(ended.output) \(ended.errors)")
  }

  @Test func fixturesBeyondTheHorizonHaveNoPlaceOnThePlan() throws {
    let folder = try ScratchFolder()
    // A floor that is seen from its edge: its horizon is at 175 pixels.
    let map =
      #"{"v":1,"width":640,"height":480,"fixtures":[{"id":0,"found":true,"x":320,"y":300},{"id":1,"found":true,"x":320,"y":100}]}"#
    let points = [("0,480", "0,0"), ("640,480", "8,0"), ("420,270", "8,6"), ("220,270", "0,6")].map {
      #"{"pixel":[\#($0)],"plan":[\#($1)]}"#
    }
    let run = try RustleProcess.run([
      "map", "plan", try folder.write(Data(map.utf8), as: "map"),
      try folder.write(Data(#"{"v":1,"points":[\#(points.joined(separator: ","))]}"#.utf8), as: "points"),
    ])
    #expect(run.status == 0 && run.errors.contains("1 fixtures are beyond the horizon"), "\(run.errors)")
    #expect(run.output.contains(#""missing":[{"id":1,"reason":"horizon"}]"#), "\(run.output)")
  }

  @Test func foldersArePicturesInTheOrderOfTheirNumbers() throws {
    let folder = try ScratchFolder()
    let frames = folder.path("frames")
    try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
    let words = ["map", "decode", frames, "--count", "1"]
    let empty = try RustleProcess.run(words)
    #expect(empty.status == 65 && empty.errors.contains("PNG or PGM files in the folder"), "\(empty.errors)")
    // Dark, all, then the bit of id 0, which has none, and its complement, two frames each: by name the tenth would be the second.
    for (number, isLit) in [false, false, true, true, false, false, true, true, false, false, false].enumerated() {
      var pixels = Data(repeating: 10, count: 32 * 32)
      for row in 10...12 where isLit { for column in 20...22 { pixels[row * 32 + column] = 200 } }
      if isLit { pixels[11 * 32 + 21] = 250 }
      try (Data("P5\n32 32\n255\n".utf8) + pixels).write(to: URL(filePath: "\(frames)/\(number).pgm"))
    }
    let run = try RustleProcess.run(words)
    #expect(run.status == 0 && run.output.contains(#""x":21.0,"y":11.0"#), "\(run.output) \(run.errors)")
  }

  @Test func mapsAndPointsWithAnIdTwiceAreRefused() throws {
    let folder = try ScratchFolder()
    let write = { (name: String, text: String) in try folder.write(Data(text.utf8), as: name) }
    let fixture = { (id: Int) in #"{"id":\#(id),"found":true,"x":\#(id * id),"y":\#(id)}"# }
    let head = #"{"v":1,"width":64,"height":64,"fixtures":["#
    let map = try write("map", head + [0, 1, 2, 3].map(fixture).joined(separator: ",") + "]}")
    let twice = try write("twice", head + [0, 0].map(fixture).joined(separator: ",") + "]}")
    let point = { (id: Int, place: String) in #"{"id":\#(id),"plan":[\#(place)]}"# }
    let points = { (ids: [Int]) in
      #"{"v":1,"points":["# + zip(ids, ["0,0", "8,0", "8,5", "0,5"]).map(point).joined(separator: ",") + "]}"
    }
    let good = try write("points", points([0, 1, 2, 3]))
    #expect(try RustleProcess.run(["map", "plan", map, good]).status == 0)
    for (words, text) in [
      (["plan", twice, good], "fixtures[1].id: expected each once, got 0"),
      (["plan", map, try write("same", points([0, 0, 2, 3]))], "points[1].id: expected each once, got 0"),
      (["plan", map, try write("negative", points([-1, 1, 2, 3]))], "points[0]: expected a pixel or the id"),
      (["judge", good, twice], "fixtures"),
    ] {
      let run = try RustleProcess.run(["map"] + words)
      #expect(run.status == 65 && run.errors.contains(text), "\(run.status) \(run.errors)")
    }
  }

  @Test func rigWithAnIdTwiceIsRefused() throws {
    let folder = try ScratchFolder()
    let fixture = { (address: Int) in
      #"{"id":1,"profile":"rgb-par","protocol":"artnet","universe":0,"address":\#(address)}"#
    }
    let rig = try folder.write(Data(#"{"v":1,"fixtures":[\#(fixture(1)),\#(fixture(4))]}"#.utf8), as: "rig.json")
    let run = try RustleProcess.run(["map", "run", "--rig", rig, "--frames", "-", "--output", "artnet:127.0.0.1"])
    #expect(
      run.status == 65 && run.errors.contains("rig: id: expected each once, got 1 again"), "\(run.status) \(run.errors)"
    )
  }

  @Test func recordingThatIsCutOffIsDecodedAsFarAsItGoes() throws {
    let folder = try ScratchFolder()
    let path = folder.path("cut.y4m")
    try Data("YUV4MPEG2 W64 H64 Cmono\nFRAME\n\(String(repeating: "0", count: 4_096))FRAME\n0".utf8)
      .write(to: URL(filePath: path))
    let run = try RustleProcess.run(["map", "decode", path, "--count", "4"])
    #expect(run.status == 0 && run.errors.contains("a whole frame") && run.errors.contains("0 of 4"), "\(run.errors)")
  }
}

import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// `rustle map`, in processes of its own.
@Suite(.releasesNativeObjects)
struct MapCommandTests {
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

  @Test(arguments: [["run"], ["decode"], ["judge"], ["plan"]])
  func everythingRunsAsADemonstration(_ words: [String]) throws {
    let run = try RustleProcess.run(["map"] + words + ["--demo"])
    #expect(run.status == 0 && run.output.hasPrefix("{\""), "\(run.errors)")
  }

  @Test(arguments: [
    (["run"], 64, "--rig"), (["decode"], 64, "recording"), (["decode", "a.y4m"], 64, "--count"),
    (["decode", "/nowhere.y4m", "--count", "4"], 66, "no such file"),
    (["judge", "/nowhere", "/nowhere"], 66, "<found>"),
    (["simulate", "--size", "8x8"], 64, "sides of 32"), (["plan"], 64, "points"),
  ])
  func whatCannotBeDoneIsRefused(_ words: [String], _ status: Int32, _ text: String) throws {
    let run = try RustleProcess.run(["map"] + words)
    #expect(run.status == status && run.errors.contains(text), "\(run.status) \(run.errors)")
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

import Foundation
import RustleLighting
import TestSupport
import Testing

@testable import RustleCLI

/// `rustle map locate`, in processes of its own.
@Suite(.releasesNativeObjects)
struct MapLocateCommandTests {
  @Test func demonstrationFindsTheFixturesOfItsRig() throws {
    let run = try RustleProcess.run(["map", "locate", "--demo"])
    #expect(run.status == 0 && run.errors.contains("24 fixtures in space, 0 not"), "\(run.errors)")
    #expect(run.errors.contains("camera 3 at"))
    struct Written: Decodable {
      let places: [SpaceMap.Place]
      let cameras: [SpaceMap.Camera]
    }
    let written = try JSONDecoder().decode(Written.self, from: Data(run.output.utf8))
    #expect(written.places.count == 24 && written.cameras.count == 3)
    for place in written.places {
      let off = zip([place.x, place.y, place.z], MapLocateDemo.at(place.id)).map { abs($0 - $1) }
      #expect(off.allSatisfy { $0 < 0.05 }, "\(place)")
    }
  }

  @Test func mapsOfFilesPlaceARig() throws {
    let folder = try ScratchFolder()
    let maps = try MapLocateDemo.maps().enumerated().map { try folder.write($1.json, as: "map-\($0).json") }
    let points = try folder.write(MapLocateDemo.points, as: "points.json")
    let rig = try folder.write(MapLocateDemo.rig, as: "rig.json")
    let run = try RustleProcess.run(
      ["map", "locate"] + maps + ["--points", points, "--rig", rig, "-o", folder.path("placed.json"), "--quiet"])
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
    let placed = try Data(contentsOf: URL(filePath: folder.path("placed.json")))
    let camera = Data(#"{"v":1,"place":[3,-8,3],"to":[0,4,2.5],"noise":0}"#.utf8)
    let (truth, found) = try (FixtureMap(of: MapLocateDemo.rig, seenBy: camera), FixtureMap(of: placed, seenBy: camera))
    for (truth, found) in zip(truth.found, found.found) {
      #expect(abs((truth.x ?? 0) - (found.x ?? 9)) < 3, "\(truth) \(found)")
    }
    let bad = try folder.write(Data(#"{"v":1,"points":[]}"#.utf8), as: "bad.json")
    let refused = try RustleProcess.run(["map", "locate"] + maps + ["--points", bad])
    #expect(refused.status == 65 && refused.errors.contains("three or more"), "\(refused.status) \(refused.errors)")
    let same = try RustleProcess.run(["map", "locate"] + maps + ["--points", points, "-o", maps[1]])
    #expect(same.status == 64 && same.errors.contains("expected another file"), "\(same.status) \(same.errors)")
  }

  @Test(arguments: [
    (["a.json"], 64, "two maps"), (["a.json", "b.json"], 64, "--points"),
    (["/nowhere", "/nowhere", "--points", "/nowhere"], 66, "<map>"),
    (["--demo", "--rig", "rig.json"], 64, "--demo takes no maps"),
  ])
  func whatCannotBeDoneIsRefused(_ words: [String], _ status: Int32, _ text: String) throws {
    let run = try RustleProcess.run(["map", "locate"] + words)
    #expect(run.status == status && run.errors.contains(text), "\(run.status) \(run.errors)")
  }
}

import Foundation
import TestSupport
import Testing

@testable import RustleLighting

/// Fixtures in space, from maps of a rig whose positions are known.
@Suite(.releasesNativeObjects)
struct SpaceMapTests {
  /// Pars on a back wall, a truss and the floor, and a bar of eight cells that is turned.
  static func position(_ id: Int) -> [Double] {
    let across = Double(id * 7 % 9) - 4
    return [across, [2.0, 5, 8][id % 3], [4.5, 0.2, 1 + Double(id) / 8][id % 3]]
  }

  static let pars = 24

  static func rig(positions: Bool = true) -> Data {
    let pars = (0..<Self.pars).map { id in
      let position = positions ? #","position":\#(position(id))"# : ""
      return
        #"{"id":\#(id),"profile":"rgb-par","protocol":"sacn","universe":1,"address":\#(1 + 3 * id)\#(position)}"#
    }
    let turned = positions ? #","position":[1,4,3],"rotation":[0,20,40]"# : ""
    let bar = #"{"id":99,"profile":"bar-8","protocol":"sacn","universe":2,"address":1\#(turned)}"#
    return Data(#"{"v":1,"fixtures":[\#((pars + [bar]).joined(separator: ","))]}"#.utf8)
  }

  static func maps(_ places: [[Double]], noise: Double = 0.1) throws -> [FixtureMap] {
    try places.enumerated().map { seed, place in
      let camera = #"{"v":1,"place":\#(place),"to":[0,4,2.5],"noise":\#(noise),"seed":\#(seed)}"#
      return try FixtureMap(of: rig(), seenBy: Data(camera.utf8))
    }
  }

  static func points(_ ids: [Int], _ rest: String = "") -> Data {
    let points = ids.map { #"{"id":\#($0),"at":\#(position($0)),"sigma":0}"# }
    return Data(#"{"v":1,"points":[\#(points.joined(separator: ","))]\#(rest)}"#.utf8)
  }

  static let places: [[Double]] = [[-6, -7, 1.7], [5.5, -6, 1.6], [0.5, -9, 2.6]]

  @Test(arguments: [2, 3])
  func fixturesAreWhereTheRigHasThem(cameras: Int) throws {
    let maps = try Self.maps(Array(Self.places.prefix(cameras)))
    let space = try SpaceMap(maps, points: Self.points([0, 4, 8, 11, 13, 21]))
    #expect(space.places.map(\.id) == Array(0..<(Self.pars + 8)) && space.missing.isEmpty)
    for place in space.places where place.id < Self.pars {
      for (found, truth) in zip([place.x, place.y, place.z], Self.position(place.id)) {
        #expect(abs(found - truth) < 0.03, "\(place)")
      }
      #expect(place.sigma.count == 3 && place.sigma.allSatisfy { 0 <= $0 && $0 < 0.02 } && place.cameras == cameras)
    }
    for (camera, truth) in zip(space.cameras, Self.places) {
      #expect(zip(camera.place, truth).allSatisfy { abs($0 - $1) < 0.05 } && abs(camera.fov - 66) < 0.5, "\(camera)")
      #expect(camera.rms < 0.2 && camera.fixtures == Self.pars + 8)
    }
    #expect(space.residuals.allSatisfy { $0.map { $0 < 0.001 } ?? false })
  }

  @Test func rigGetsPositionsAndRotations() throws {
    let space = try SpaceMap(try Self.maps(Self.places, noise: 0.05), points: Self.points([0, 4, 8, 11, 13, 21]))
    let placed = try space.placing(Self.rig(positions: false))
    // What a camera sees of it is what it saw of the rig.
    let camera = Data(#"{"v":1,"place":[3,-8,3],"to":[0,4,2.5],"noise":0}"#.utf8)
    let (truth, found) = (try FixtureMap(of: Self.rig(), seenBy: camera), try FixtureMap(of: placed, seenBy: camera))
    for (truth, found) in zip(truth.fixtures, found.fixtures) {
      let off = try hypot(#require(truth.x) - #require(found.x), #require(truth.y) - #require(found.y))
      #expect(off < 2, "\(truth) \(found)")
    }
  }

  @Test func wrongIdHasAReasonAndNoPlace() throws {
    var maps = try Self.maps(Array(Self.places.prefix(2)))
    maps[1] = try maps[1].corrected(by: Data(#"{"v":1,"corrections":[{"swap":[1,5]},{"id":6,"found":false}]}"#.utf8))
    let space = try SpaceMap(maps, points: Self.points([0, 4, 8, 11, 13, 21]))
    let missing = Dictionary(uniqueKeysWithValues: space.missing.map { ($0.id, $0.reason) })
    #expect(missing == [1: .residual, 5: .residual, 6: .oneCamera])
  }

  @Test func whatDoesNotFixTheCamerasIsRefused() throws {
    let maps = try Self.maps(Self.places)
    let good = Self.points([0, 4, 8, 11])
    let refused = { (maps: [FixtureMap], points: Data, text: String) in
      let error = #expect(throws: LightingError.self) { try SpaceMap(maps, points: points) }
      #expect(error?.code == .malformedInput && error?.message.contains(text) == true, "\(String(describing: error))")
    }
    refused([maps[0]], good, "2 to 32")
    refused([], good, "2 to 32")
    refused(maps, Data("{}".utf8), "v: expected 1")
    refused(maps, Self.points([0, 4]), "three or more")
    refused(maps, Self.points([0, 4, 8], #","cameras":[{}]"#), "one for each of 3 maps")
    refused([maps[0], maps[0]], good, "places apart")
    #expect(throws: LightingError.self) { try FixtureMap(of: Self.rig(), seenBy: Data("{}".utf8)) }
    let space = try SpaceMap(maps, points: good)
    #expect(throws: LightingError.self) { try space.placing(Data("{}".utf8)) }
  }
}

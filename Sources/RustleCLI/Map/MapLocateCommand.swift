internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct MapLocateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Find fixtures in space, by maps from several places.",
    usage: """
      rustle map locate <map> <map>... --points <file> [--rig <file>]
              [-o <file>]
      """,
    discussion: """
      The maps are of one rig, from cameras at two places or more, far apart. The points are fixtures whose places were measured, three or \
      more that are on no line; four or more in no plane need no field of view: \
      {"v":1, "points":[{"id":0, "at":[-4,1,0.1]}, {"id":7, "at":[4,1.5,5], "sigma":0.02}, …]}, in metres to the right, to the back and up; the \
      sigma is how exact that is, 0.01 m unless it is given. Beside the points, "cameras":[{"fov":66, "k1":-0.1, "k2":0}, …] says for each map \
      the degrees of the whole width and the distortion of the lens, as far as they are known, and "oneLens":true that all were made at one \
      zoom. A fixture about which the maps disagree has no place; two maps with a wrong id whose rays meet do not show it.

      With --rig the answer is that rig with the positions of its fixtures; those of several cells are turned as these are.

      EXAMPLES:
        rustle map locate left.json right.json --points points.json
        rustle map locate left.json middle.json right.json \\
          --points points.json --rig rig.json -o placed.json

      JSON FIELDS:
        v          version of the fields
        residuals  distances of the points from where they were measured, in m;
                   null: no map has it
        cameras    of each map: place and direction of the camera, sigma of its
                   place in m, focal length in pixels, fov in degrees, rms of
                   the residuals in pixels, the number of fixtures that fit
        places     of each fixture: id, x, y, z and their sigma in m, residual
                   in pixels, the number of cameras that agree
        missing    id and reason of the others: that of the first map, oneCamera,
                   parallelRays, or residual: the maps disagree
      """)

  @Argument(help: "Files of the maps.", completion: .file(extensions: ["json"]))
  var maps: [String] = []

  @Option("File of the measured fixtures.", value: "file", completion: .file(extensions: ["json"]))
  var points: String?

  @Option("File of the rig to place.", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp("File to write. (default: standard output)", valueName: "file"))
  var output: String?

  @Flag(help: "Locate the fixtures of a built-in rig, which simulated cameras see from three places.")
  var demo = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject(
      (!demo && (maps.count < 2 || points == nil), "expected two maps or more and --points, or --demo"),
      (demo && !(maps.isEmpty && points == nil && rig == nil), "--demo takes no maps, --points or --rig"))
  }

  func run() async throws {
    log.bootstrap()
    if let output {
      for input in maps + [points, rig] { try OutputPath.check(output, option: "--output-file", isNot: input) }
    }
    let space: SpaceMap
    if let points {
      let read = try maps.map { path in
        try TextFile.value(of: path, option: "<map>", limit: MapFiles.longest) { try FixtureMap(json: $0) }
      }
      space = try TextFile.value(of: points, option: "--points") { try SpaceMap(read, points: $0) }
    } else {
      space = try SpaceMap(try MapLocateDemo.maps(), points: MapLocateDemo.points)
    }
    for (place, camera) in space.cameras.enumerated() {
      let at = camera.place.map { Numbers.plain($0, digits: 3) }.joined(separator: ", ")
      log.note(
        "camera \(place + 1) at \(at) m, \(Numbers.plain(camera.fov, digits: 3)) degrees, \(camera.fixtures) fixtures within "
          + "\(Numbers.plain(camera.rms, digits: 2)) px")
    }
    let worst = space.residuals.compactMap { $0 }.max() ?? 0
    log.note(
      "\(space.places.count) fixtures in space, \(space.missing.count) not; points are off by "
        + "\(Numbers.plain(worst, digits: 2)) m at most")
    guard let rig else { return try MapFiles.write(space.json, to: output) }
    let placed = try TextFile.value(of: rig, option: "--rig", limit: TextFile.longestShow) { try space.placing($0) }
    try MapFiles.write(placed, to: output)
  }
}

/// A rig of two trusses and a floor, seen from three places.
enum MapLocateDemo {
  /// The fixtures whose places were measured.
  static var points: Data {
    let points = [0, 7, 8, 15, 18, 21].map { #"{"id":\#($0),"at":\#(at($0))}"# }
    return Data(#"{"v":1,"oneLens":true,"points":[\#(points.joined(separator: ","))]}"#.utf8)
  }

  /// Eight fixtures on each truss, and eight on the floor.
  static func at(_ id: Int) -> [Double] {
    let across = Double(id % 8) - 3.5
    return switch id / 8 {
    case 0: [across, 2, 4.5]
    case 1: [across, 6, 5.5]
    default: [across * 1.1, 4 + abs(across) / 2, 0.2]
    }
  }

  static var rig: Data { Data(#"{"v":1,"fixtures":[\#((0..<24).map(fixture).joined(separator: ","))]}"#.utf8) }

  private static func fixture(_ id: Int) -> String {
    #"{"id":\#(id),"profile":"rgb-par","protocol":"sacn","universe":1,"address":\#(1 + 3 * id),"position":\#(at(id))}"#
  }

  static func maps() throws -> [FixtureMap] {
    try [[-6, -7, 1.7], [0.5, -9, 2.6], [5.5, -6, 1.6]].enumerated().map { seed, place in
      try FixtureMap(
        of: rig, seenBy: Data(#"{"v":1,"place":\#(place),"to":[0,4,2.5],"seed":\#(seed)}"#.utf8))
    }
  }
}

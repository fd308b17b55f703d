internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct MapJudgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "judge",
    abstract: "Judge a map by the truth of a simulated camera.",
    usage: "rustle map judge <truth> <found>",
    discussion: """
      Fixtures are found within two pixels; farther ones, and dead ones that have a place, are wrong. The verdict is a line of JSON. A truth \
      is {"v":1,"fixtures":[{"id":0,"alive":true,"x":81.5,"y":40}]}, with all ids, in pixels.

      EXAMPLES:
        rustle map simulate --scene hard --count 500 --truth truth.json -o take.y4m
        rustle map decode take.y4m --count 500 -o found.json
        rustle map judge truth.json found.json

      JSON FIELDS:
        v         version of the fields
        alive     fixtures that give light
        found     those of them within two pixels of their true place
        recall    found / alive, 0 to 1
        wrong     places farther than two pixels from it, ghosts included
        ghosts    fixtures without light that have a place
        median_px, p95_px  distances of the found from their true places
      """)

  @Argument(help: "File of the truth.", completion: .file(extensions: ["json"]))
  var truth: String?

  @Argument(help: "File of the map.", completion: .file(extensions: ["json"]))
  var found: String?

  @Flag(help: "Judge the map of a built-in recording.")
  var demo = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject((!demo && found == nil, "expected a truth and a map, or --demo"))
  }

  func run() async throws {
    log.bootstrap()
    let verdict: Data
    if let truth, let found {
      let map = try TextFile.value(of: found, option: "<found>", limit: MapFiles.longest) { try FixtureMap(json: $0) }
      verdict = try TextFile.value(of: truth, option: "<truth>", limit: MapFiles.longest) { try map.verdict(by: $0) }
    } else {
      let recorded = try await MapDemo.recorded(MappingSettings())
      verdict = try recorded.map.verdict(by: recorded.truth)
    }
    try LineWriter.standardOutput.write(verdict + Data("\n".utf8))
  }
}

struct MapPlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Map fixtures from the picture to a plan in metres.",
    usage: "rustle map plan <found> <points> [--rig <file>] [--upright] [-o <file>]",
    discussion: """
      Four points or more, of which no three are on a line, say where the plane that the fixtures are on is seen: \
      {"v":1,"points":[{"pixel":[12,40],"plan":[0,0]},{"id":7,"plan":[8,0]},…]}, where an id stands for its place in the map. The plan is \
      JSON with the residuals, the distances of the points from where the map puts them, in metres. With --rig the answer is that rig with \
      the positions of its fixtures: along the first two axes, or with --upright along the first and the third; those of several cells are \
      turned as these are.

      EXAMPLES:
        rustle map plan found.json points.json -o plan.json
        rustle map plan found.json points.json --rig rig.json --upright -o placed.json
      """)

  @Argument(help: "File of the map.", completion: .file(extensions: ["json"]))
  var found: String?

  @Argument(help: "File of the points.", completion: .file(extensions: ["json"]))
  var points: String?

  @Option("File of the rig to place.", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @Flag(help: "The plan is upright: its second axis is the height.")
  var upright = false

  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp("File to write. (default: standard output)", valueName: "file"))
  var output: String?

  @Flag(help: "Plan the map of a built-in recording.")
  var demo = false

  @OptionGroup var log: LogOptions

  static let demoPoints = """
    {"v":1,"points":[{"pixel":[0,239],"plan":[0,0]},{"pixel":[319,239],"plan":[8,0]},{"pixel":[319,0],"plan":[8,6]},\
    {"pixel":[0,0],"plan":[0,6]}]}
    """

  func validate() throws {
    try Parse.reject(
      (!demo && points == nil, "expected a map and points, or --demo"),
      (upright && rig == nil, "--upright requires --rig"))
  }

  func run() async throws {
    log.bootstrap()
    if let output {
      for input in [found, points, rig] { try OutputPath.check(output, option: "--output-file", isNot: input) }
    }
    let plan: CoordinateMap
    if let found, let points {
      let map = try TextFile.value(of: found, option: "<found>", limit: MapFiles.longest) { try FixtureMap(json: $0) }
      plan = try TextFile.value(of: points, option: "<points>") { try CoordinateMap(map, points: $0) }
    } else {
      plan = try CoordinateMap(try await MapDemo.recorded(MappingSettings()).map, points: Data(Self.demoPoints.utf8))
    }
    if let worst = plan.residuals.max() {
      log.note(
        "\(plan.places.count) fixtures on the plan; points are off by \(Numbers.plain(worst, digits: 2)) m at most")
    }
    if !plan.beyondHorizon.isEmpty {
      log.note("\(plan.beyondHorizon.count) fixtures are beyond the horizon of the plane and have no place")
    }
    guard let rig else { return try MapFiles.write(plan.json, to: output) }
    let placed = try TextFile.value(of: rig, option: "--rig", limit: TextFile.longestShow) {
      try plan.placing($0, isUpright: upright)
    }
    try MapFiles.write(placed, to: output)
  }
}

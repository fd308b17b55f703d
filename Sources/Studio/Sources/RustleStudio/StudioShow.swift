public import Foundation
public import RustleLighting

/// A show of light, and what it is played as: with scenes of one colour at its end, to test lamps with.
public struct StudioShow: Sendable, Hashable {
  /// The show.
  let show: LightShow
  let played: LightShow
  /// The colours of the scenes at the end, in their order; empty where the show has no room for them.
  let testColors: [String]
  /// The file of the rig; nil: it is the one inside the show, or that of a festival.
  private let rig: Data?

  private static let colors = [
    ("white", "#ffffff"), ("red", "#ff0000"), ("green", "#00ff00"), ("blue", "#0000ff"),
  ]

  /// Reads a show.
  ///
  /// - Parameters:
  ///   - show: the file of the show; nil: the built-in one.
  ///   - rig: the file of the rig; nil: the one inside the show, or else that of a festival.
  /// - Throws: as ``RustleLighting/LightShow/init(show:rig:demo:)``.
  public init(show: Data? = nil, rig: Data? = nil) throws(LightingError) {
    let read = try LightShow(show: show, rig: rig, demo: .festival)
    (self.show, self.rig) = (read, rig)
    let tested = try? LightShow(show: Self.withColors(Self.written(read)), rig: rig, demo: .festival)
    // A show that has scenes of these names, or as many scenes as it may, is played as it is.
    let isWhole = tested?.scenes == read.scenes + Self.colors.map { Self.scene($0.0) }
    (played, testColors) = isWhole ? (tested ?? read, Self.colors.map(\.0)) : (read, [])
  }

  private static func scene(_ color: String) -> String { "test \(color)" }

  /// The show's file.
  private static func written(_ show: LightShow) throws -> [String: Any] {
    let file = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try show.write(to: file)
    guard let value = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] else {
      throw CocoaError(.coderInvalidValue)
    }
    return value
  }

  /// A show's file with a scene for each colour.
  private static func withColors(_ file: [String: Any]) throws -> Data {
    var value = file
    let tests = colors.map { name, color in
      ["name": scene(name), "layers": [["effect": "solid", "palette": [color]] as [String: Any]]] as [String: Any]
    }
    value["scenes"] = (value["scenes"] as? [Any] ?? []) + tests
    return try JSONSerialization.data(withJSONObject: value)
  }
}

extension StudioShow {
  /// The rig of a show as a mapping takes it.
  struct CellRig: Sendable {
    /// The file.
    let json: Data
    /// What each id is: a fixture, or a cell of one.
    let cells: [String]
  }

  /// The rig, and its cells in the order of their ids.
  func cellRig() throws -> CellRig {
    let fixtures = try show.fixtures()
    let file: [String: Any] =
      if let rig {
        try JSONSerialization.jsonObject(with: rig) as? [String: Any] ?? [:]
      } else if let inside = try Self.written(show)["rig"] as? [String: Any] {
        inside
      } else {
        ["v": 1, "fixtures": fixtures.map(Self.patched)]
      }
    var counts: [[String]: Int] = [:]
    for fixture in fixtures where counts[[fixture.profile, fixture.mode]] == nil {
      // A rig of this one alone has as many elements as the fixture has cells.
      var alone = file
      alone["fixtures"] = [Self.patched(fixture)]
      let show = try LightShow(rig: try JSONSerialization.data(withJSONObject: alone))
      counts[[fixture.profile, fixture.mode]] = show.elementCount
    }
    let cells = fixtures.flatMap { fixture in
      let count = counts[[fixture.profile, fixture.mode]] ?? 0
      return (0..<count).map { count == 1 ? fixture.id : "\(fixture.id), cell \($0 + 1)" }
    }
    return CellRig(json: try JSONSerialization.data(withJSONObject: file), cells: cells)
  }

  /// A fixture as in the file of a rig.
  private static func patched(_ fixture: LightShow.Fixture) -> [String: Any] {
    [
      "id": fixture.id, "profile": fixture.profile, "mode": fixture.mode,
      "protocol": fixture.universe.protocol.rawValue, "universe": fixture.universe.number,
      "address": fixture.address,
    ]
  }
}

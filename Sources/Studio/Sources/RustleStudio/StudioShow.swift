public import Foundation
public import RustleLighting

/// A show of light, and what it is played as: with scenes of one colour at its end, to test lamps with.
public struct StudioShow: Sendable, Hashable {
  /// The show.
  let show: LightShow
  let played: LightShow
  /// The colours of the scenes at the end, in their order; empty where the show has no room for them.
  let testColors: [String]

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
    self.show = read
    let tested = try? LightShow(show: Self.withColors(read), rig: rig, demo: .festival)
    // A show that has scenes of these names, or as many scenes as it may, is played as it is.
    let isWhole = tested?.scenes == read.scenes + Self.colors.map { Self.scene($0.0) }
    (played, testColors) = isWhole ? (tested ?? read, Self.colors.map(\.0)) : (read, [])
  }

  private static func scene(_ color: String) -> String { "test \(color)" }

  /// The show's file with a scene for each colour.
  private static func withColors(_ show: LightShow) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try show.write(to: file)
    guard var value = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] else {
      throw CocoaError(.coderInvalidValue)
    }
    let tests = colors.map { name, color in
      ["name": scene(name), "layers": [["effect": "solid", "palette": [color]] as [String: Any]]] as [String: Any]
    }
    value["scenes"] = (value["scenes"] as? [Any] ?? []) + tests
    return try JSONSerialization.data(withJSONObject: value)
  }
}

public import Foundation
internal import RustleCore

/// The places of fixtures on a plan: a plane that the camera sees, in metres.
///
/// ```swift
/// let points = Data(#"{"v":1,"points":[{"id":0,"plan":[0,0]},{"id":7,"plan":[8,0]},{"id":9,"plan":[8,5]},{"id":2,"plan":[0,5]}]}"#.utf8)
/// let plan = try CoordinateMap(found, points: points)
/// let placed = try plan.placing(rig)
/// ```
public struct CoordinateMap: Sendable, Hashable {
  /// A fixture on the plan.
  public struct Place: Sendable, Hashable, Codable {
    /// The fixture's id.
    public let id: Int
    /// Metres along the plan's first axis.
    public let x: Double
    /// Metres along the plan's second axis.
    public let y: Double
  }

  /// The fixtures that were found.
  public let places: [Place]
  /// The ids of those that are not on the plane: in the picture they are beyond its horizon.
  public let beyondHorizon: [Int]
  /// How far each point is from where the map puts it, in metres, in the order of the points.
  public let residuals: [Double]
  /// The plan as JSON of version 1.
  public let json: Data

  /// Maps the fixtures of a picture by four points or more, of which no three are on a line.
  ///
  /// - Parameter points: JSON: each has a `plan` of two numbers in metres, and a `pixel` of two or the `id` of a fixture.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public init(_ map: FixtureMap, points: Data) throws(LightingError) {
    json = try FixtureMap.report(.plan, map.json, points)
    guard let written = try? JSONDecoder().decode(Written.self, from: json) else {
      throw LightingError(.native, "expected a plan, got other JSON", advice: "Report it with the points.")
    }
    (places, residuals) = (written.places, written.residuals)
    beyondHorizon = written.missing.filter { $0.reason == "horizon" }.map(\.id)
  }

  /// Writes the places into a rig: a fixture is in the middle of its cells, and turned as they are, in their order.
  ///
  /// - Parameters:
  ///   - rig: the file of the rig that was mapped.
  ///   - isUpright: whether the plan's second axis is the height, and not the depth.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func placing(_ rig: Data, isUpright: Bool = false) throws(LightingError) -> Data {
    try FixtureMap.report(isUpright ? .placedUpright : .placed, rig, json)
  }

  private struct Written: Decodable {
    let places: [Place]
    let residuals: [Double]
    let missing: [Missing]

    struct Missing: Decodable {
      let id: Int
      let reason: String
    }
  }
}

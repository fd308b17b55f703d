public import Foundation
internal import RustleCore

/// The places of fixtures in space, from the maps of cameras at several places, in metres along the axes of a rig.
///
/// Two maps or more, and three fixtures or more, on no line, whose places were measured, fix where the cameras were; five that are in no
/// plane are better. The noise of a map and of what was measured gives each place a standard deviation. Takes tens of ms for a hundred
/// fixtures, in the calling thread.
///
/// ```swift
/// func file(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: name)) }
/// let maps = try ["left.json", "right.json"].map { try FixtureMap(json: file($0)) }
/// let points = Data(
///   #"{"v":1,"points":[{"id":0,"at":[-4,1,0.1]},{"id":7,"at":[4,1.5,0.2]},{"id":9,"at":[0,7.5,4.8]},{"id":2,"at":[1,3,5]}]}"#.utf8)
/// let placed = try SpaceMap(maps, points: points).placing(file("rig.json"))
/// ```
public struct SpaceMap: Sendable, Hashable {
  /// A fixture in space.
  public struct Place: Sendable, Hashable, Codable {
    /// The fixture's id.
    public let id: Int
    /// Metres to the right.
    public let x: Double
    /// Metres to the back.
    public let y: Double
    /// Metres up.
    public let z: Double
    /// The standard deviations of the three, in metres.
    public let sigma: [Double]
    /// The root of the mean square distance between where the cameras see it and where they should, in pixels.
    public let residual: Double
    /// The number of cameras whose pictures of it agree; 0 for one that was measured and not found.
    public let cameras: Int
  }

  /// A camera, in the order of the maps.
  public struct Camera: Sendable, Hashable, Codable {
    /// Where it was: metres to the right, to the back and up.
    public let place: [Double]
    /// The direction in which it looked, of the length 1.
    public let direction: [Double]
    /// The standard deviation of the place along the axis where it is the largest, in metres.
    public let sigma: Double
    /// The focal length in pixels.
    public let focal: Double
    /// The field of view of the whole width, in degrees.
    public let fov: Double
    /// The root of the mean square residual of its fixtures, in pixels.
    public let rms: Double
    /// The number of fixtures in its picture that agree with the others.
    public let fixtures: Int
  }

  /// Why a fixture has no place.
  public enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
    /// No map has it: no light in the first one.
    case dark
    /// No map has it: hidden in the first one.
    case hidden
    /// No map has it: the first one is white there.
    case saturated
    /// No map has it: in the first one its light may also be another fixture's.
    case ambiguous
    /// No map has it: in the first one its light is hardly above the noise.
    case lowContrast
    /// Only one map has it.
    case oneCamera
    /// The cameras see it in nearly one direction.
    case parallelRays
    /// The maps disagree: in one of them it has the place of something else.
    case residual
  }

  /// A fixture without a place.
  public struct Missing: Sendable, Hashable, Codable {
    /// The fixture's id.
    public let id: Int
    /// Why it has none.
    public let reason: Reason
  }

  /// The fixtures with a place, by id.
  public let places: [Place]
  /// The cameras.
  public let cameras: [Camera]
  /// The fixtures without a place, by id.
  public let missing: [Missing]
  /// How far each point is from where it was measured, in metres, in the order of the points; nil for one that no map has.
  public let residuals: [Double?]
  /// All of it as JSON of version 1.
  public let json: Data

  /// Finds the places of fixtures.
  ///
  /// - Parameters:
  ///   - maps: 2 to 32 maps of as many fixtures, from cameras at places apart from each other.
  ///   - points: JSON: each of the `points` has the `id` of a fixture, the numbers of `at` in metres, and the standard deviation `sigma` of
  ///     these, 0.01 m unless it is given; 0 is exact. `cameras`, if any, has an object for each map, with the field of view of the whole
  ///     width in degrees, `fov`, 5 to 160, and the distortion of the lens, `k1` and `k2`, -1 to 1. With `"oneLens":true` the focal
  ///     lengths that are not given are one.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for files that cannot be read, and for those that do not fix the
  ///   cameras: too few points or fixtures in common, points on a line or on a plane that all cameras face, cameras at one place.
  public init(_ maps: [FixtureMap], points: Data) throws(LightingError) {
    let list = maps.map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ",")
    json = try FixtureMap.report(.located, Data(#"{"v":1,"maps":[\#(list)]}"#.utf8), points)
    guard let written = try? JSONDecoder().decode(Written.self, from: json) else {
      throw LightingError(.native, "expected places in space, got other JSON", advice: "Report it with the points.")
    }
    (places, cameras) = (written.places, written.cameras)
    (missing, residuals) = (written.missing, written.residuals)
  }

  /// Writes the places into a rig: a fixture is in the middle of its cells, and turned as they are, in their order; around the axis of a
  /// bar it stays as it was.
  ///
  /// - Parameter rig: the file of the rig that was mapped.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func placing(_ rig: Data) throws(LightingError) -> Data {
    try FixtureMap.report(.placedInSpace, rig, json)
  }

  private struct Written: Decodable {
    let places: [Place]
    let cameras: [Camera]
    let missing: [Missing]
    let residuals: [Double?]
  }
}

extension FixtureMap {
  /// The map of a camera that sees a rig from a place, for rehearsals and for the choice of places; nothing hides anything.
  ///
  /// - Parameters:
  ///   - rig: the file of the rig, with the positions of its fixtures.
  ///   - camera: JSON: `{"v":1,"place":[0,-8,2],"to":[0,3,3]}`, where it is and what it looks to, in metres; if any, its `fov` in degrees
  ///     of the whole width, 5 to 160, its `width` and `height` in pixels, 1 to 8,192, `k1` and `k2`, the `noise` of places in pixels, 0 to
  ///     100, and the noise's `seed`.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public init(of rig: Data, seenBy camera: Data) throws(LightingError) {
    try self.init(written: Self.report(.seen, rig, camera))
  }
}

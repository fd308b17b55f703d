public import Foundation
internal import RustleCore

/// Where fixtures are in the picture of a camera.
public struct FixtureMap: Sendable, Hashable {
  /// Why a fixture has no place.
  public enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
    /// No light in any frame.
    case dark
    /// Something was in front of it while it was lit.
    case hidden
    /// Where it may be, the picture is white.
    case saturated
    /// Its light may also be another fixture's.
    case ambiguous
    /// Its light is hardly above the noise.
    case lowContrast
  }

  /// A fixture, or a cell of one.
  public struct Fixture: Sendable, Hashable, Codable {
    /// The id: of a rig, the place of the cell among all cells, from 0.
    public let id: Int
    /// Whether it has a place.
    public let found: Bool
    /// Pixels from the middle of the first column to the right; nil without a place.
    public let x: Double?
    /// Pixels from the middle of the first row down; nil without a place.
    public let y: Double?
    /// The place as parts of the picture, from -1 to 1 to the right and up; nil without one.
    public let normalized: [Double]?
    /// The standard deviation of both in pixels; nil without a place.
    public let sigma: Double?
    /// How likely the place is right, 0 to 1.
    public let confidence: Double
    /// Whether the place is hardly ever another fixture's: the confidence is 0.98 or more; nil without a place.
    public let sure: Bool?
    /// The light in its middle, in parts of white; nil without a place.
    public let brightness: Double?
    /// The number of pixels with half of that light or more; nil without a place.
    public let pixels: Int?
    /// Why it has no place; nil with one.
    public let reason: Reason?
    /// The place of a weaker picture of it, on a floor or in glass, x and y; nil without one.
    public let mirror: [Double]?
  }

  /// The width of the picture in pixels.
  public let width: Int
  /// The height of the picture in pixels.
  public let height: Int
  /// All fixtures, by id.
  public let fixtures: [Fixture]
  /// The map as JSON of version 1, which ``init(json:)`` reads.
  public let json: Data

  /// Reads a map, of which only ids, places and reasons are needed.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public init(json: Data) throws(LightingError) {
    try self.init(written: Self.report(.corrected, json, Data(#"{"v":1,"corrections":[]}"#.utf8)))
  }

  /// Takes a map that the native side wrote.
  init(written json: Data) throws(LightingError) {
    do {
      let written = try JSONDecoder().decode(Written.self, from: json)
      (width, height, fixtures, self.json) = (written.width, written.height, written.fixtures, json)
    } catch {
      throw LightingError(.native, "map: \(error)", advice: "Run scripts/build and build the package again.")
    }
  }

  /// The fixtures with a place.
  public var found: [Fixture] { fixtures.filter(\.found) }

  /// Applies corrections, in their order: `{"v":1,"corrections":[{"id":3,"x":10.5,"y":20},{"id":4,"found":false},{"swap":[1,2]}]}`.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func corrected(by corrections: Data) throws(LightingError) -> Self {
    try Self(written: Self.report(.corrected, json, corrections))
  }

  /// Judges the map by the truth of a simulated camera: JSON with `alive`, `found`, `recall`, `wrong`, `ghosts`, `median_px`, `p95_px`.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func verdict(by truth: Data) throws(LightingError) -> Data {
    try Self.report(.verdict, truth, json)
  }

  static func report(_ kind: NativeMappingReport, _ one: Data, _ other: Data) throws(LightingError) -> Data {
    guard !one.isEmpty else {
      throw LightingError(
        .malformedInput, "file: expected JSON, got nothing", advice: "Give a file that rustle map wrote.")
    }
    return try LightingError.rethrowing { () throws(NativeError) in
      Data(try NativeCalls.report(kind, Array(one), Array(other)))
    }
  }

  private struct Written: Decodable {
    let width: Int
    let height: Int
    let fixtures: [Fixture]
  }
}

public import Foundation
internal import RustleCore

/// The rig of a scene of another program: an MVR archive, with the profiles of its devices.
///
/// ``json`` is the file of a ``Rig`` and of a ``LightShow``.
public struct ImportedRig: Sendable, Hashable {
  /// The rig as JSON of version 1.
  public let json: String
  /// The number of its fixtures.
  public let fixtureCount: Int
  /// What was assumed or left out, each in one sentence.
  public let notes: [String]

  /// Reads a scene.
  ///
  /// - Parameters:
  ///   - mvr: the archive, at most 8 MiB.
  ///   - first: the universe that the scene's first one is; the others follow it.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for bytes that are no scene. With
  ///   ``LightingError/Code/validation`` for too many bytes.
  public init(mvr: Data, from first: DMXUniverse) throws(LightingError) {
    let read = try LightingError.rethrowing { () throws(NativeError) in
      let native = try NativeProfile(
        NativeProfileConfiguration(
          file: Array(mvr), kind: first.protocol == .sacn ? .sacn : .artNet, firstUniverse: first.number))
      return (
        json: try native.text(.json, 0), notes: try native.notes(), count: native.description.fixtures,
        isScene: native.description.isScene
      )
    }
    guard read.isScene else {
      throw LightingError(
        .malformedInput, "scene: expected an MVR archive, got \(mvr.isEmpty ? "nothing" : "another file")",
        advice: "Read the file of one fixture as a FixtureProfile.")
    }
    (json, fixtureCount, notes) = (read.json, read.count, read.notes)
  }

  /// Whether a file is a scene, and not that of one fixture.
  public static func isScene(_ file: Data) -> Bool {
    let native = try? NativeProfile(
      NativeProfileConfiguration(file: Array(file), kind: .sacn, firstUniverse: 1))
    return native.map { $0.description.isScene } ?? false
  }
}

public import Foundation
internal import RustleCore

/// The profile of a fixture: its modes, and what the slots of each control.
///
/// It is read from JSON of the Open Fixture Library, a definition of QLC+ (`.qxf`), a GDTF archive, or JSON of ours, which ``json`` is: a
/// rig has it in its `profiles`, and names it by ``name``.
public struct FixtureProfile: Sendable, Hashable {
  /// A mode.
  public struct Mode: Sendable, Hashable {
    /// The name, by which rigs refer to it.
    public let name: String
    /// What the slots control, in their order.
    public let attributes: [String]
    /// The slots that a fixture takes.
    public let footprint: Int
  }

  /// The name.
  public let name: String
  /// The modes, one or more.
  public let modes: [Mode]
  /// What was assumed or left out in reading the file, each in one sentence.
  public let notes: [String]
  /// The profile as JSON of version 1.
  public let json: String

  /// Reads a file.
  ///
  /// - Parameter file: the bytes, at most 8 MiB; the format is known by them.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for bytes of no such format, or of a fixture that cannot be a
  ///   profile: the message has the place of the fault. With ``LightingError/Code/validation`` for too many bytes.
  public init(file: Data) throws(LightingError) {
    guard !file.isEmpty else {
      throw LightingError(.malformedInput, "fixture file: expected a fixture, got nothing", advice: Self.advice)
    }
    let read = try LightingError.rethrowing { () throws(NativeError) in
      let native = try NativeProfile(NativeProfileConfiguration(file: Array(file), kind: .sacn, firstUniverse: 1))
      return (
        name: try native.text(.name, 0), json: try native.text(.json, 0), notes: try native.notes(),
        isScene: native.description.isScene
      )
    }
    if read.isScene {
      throw LightingError(
        .malformedInput, "fixture file: expected one fixture, got a scene", advice: "Import its rig: ImportedRig.")
    }
    (name, json, notes) = (read.name, read.json, read.notes)
    guard let written = try? JSONDecoder().decode(Written.self, from: Data(json.utf8)) else {
      throw LightingError(.native, "expected a profile, got other JSON", advice: "Report it with the file.")
    }
    modes = written.modes.map { mode in
      let slots = mode.channels.flatMap(\.slots)
      return Mode(name: mode.name, attributes: mode.channels.map(\.attribute), footprint: slots.max() ?? 0)
    }
  }

  static let advice = "Pass a file of the Open Fixture Library, of QLC+ or in GDTF."

  /// What is read of the JSON.
  private struct Written: Decodable {
    struct Mode: Decodable {
      struct Channel: Decodable {
        let attribute: String
        let slots: [Int]
      }

      let name: String
      let channels: [Channel]
    }

    let modes: [Mode]
  }
}

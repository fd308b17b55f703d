public import Foundation
internal import RustleCore

/// A show of light: scenes of layered effects, a list of cues and faders, and the rig that it lights.
///
/// A show's file is JSON, as `docs/show.schema.json` describes it:
///
/// ```json
/// {"v": 1, "name": "first",
///  "scenes": [{"name": "blue wave", "layers": [{"effect": "wave", "palette": ["#0020ff"]}]}],
///  "cues": [{"scene": "blue wave", "fade_in": {"beats": 4}}]}
/// ```
public struct LightShow: Sendable, Hashable {
  /// A rig that is built in.
  public enum Demo: String, Sendable, Hashable, CaseIterable {
    /// Eight pars in a row.
    case pars
    /// Twelve upright bars of sixteen pixels.
    case bars
    /// Twelve moving heads in two rows.
    case heads
    /// A hundred fixtures: pars, bars, moving heads, washes and strobes.
    case festival
    /// A wall of 170,000 pixels.
    case wall
  }

  /// The name, empty if it has none.
  public let name: String
  /// The names of the faders.
  public let faders: [String]
  /// The names of the scenes.
  public let scenes: [String]
  /// The names of the cues, empty where they have none.
  public let cues: [String]
  /// The number of fixtures of the rig.
  public let fixtureCount: Int
  /// The number of lights: each pixel of a fixture is one.
  public let elementCount: Int
  /// The number of universes with fixtures.
  public let universeCount: Int
  /// What is wrong within the files, each in one sentence with its place; it is left out.
  public let faults: [String]
  /// What is played as it is, each in one sentence: selections that the rig lacks, overlaps and other faults of the rig's patch.
  public let notices: [String]
  /// The rig's file that the show names, relative to its own; nil: it names none. Without its contents as `rig` it is a fault.
  public let rigFile: String?

  let show: String
  let rig: String
  let demo: Demo

  /// Reads a show.
  ///
  /// - Parameters:
  ///   - show: the file, UTF-8 of at most 64 MiB; nil: the built-in show of `demo`.
  ///   - rig: the file of the rig, as of ``Rig``; nil: the one inside the show, or else that of `demo`.
  ///   - demo: the built-in rig, which is used where a file is missing.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for a text that is not JSON, not an object, or of another
  ///   version. What is wrong within is in ``faults``.
  public init(show: Data? = nil, rig: Data? = nil, demo: Demo = .pars) throws(LightingError) {
    self.show = try Self.text(of: show, "show")
    self.rig = try Self.text(of: rig, "rig")
    self.demo = demo
    let (show, rig) = (self.show, self.rig)
    let read = try LightingError.rethrowing { () throws(NativeError) in
      let native = try NativeShow(Self.native(show: show, rig: rig, demo: demo))
      let counts = try native.described()
      return (
        counts: counts, name: try native.texts(.name, count: 1)[0],
        faders: try native.texts(.fader, count: counts.faders),
        scenes: try native.texts(.scene, count: counts.scenes), cues: try native.texts(.cue, count: counts.cues),
        faults: try native.texts(.fault, count: counts.faults),
        notices: try native.texts(.notice, count: counts.notices), rigFile: try native.texts(.rigFile, count: 1)[0]
      )
    }
    (name, faders, scenes, cues, faults) = (read.name, read.faders, read.scenes, read.cues, read.faults)
    (notices, rigFile) = (read.notices, read.rigFile.isEmpty ? nil : read.rigFile)
    fixtureCount = read.counts.fixtures
    elementCount = Int(clamping: read.counts.elements)
    universeCount = read.counts.universes
  }

  /// A fixture of the rig, and where it is patched.
  public struct Fixture: Sendable, Hashable {
    /// The id, a number or a name, as text.
    public let id: String
    /// The name for people; empty: it has none.
    public let name: String
    /// The name of its profile.
    public let profile: String
    /// The name of its mode.
    public let mode: String
    /// The name of its group; empty: it is in none.
    public let group: String
    /// The universe of its first slot.
    public let universe: DMXUniverse
    /// Its first slot, 1 to 512.
    public let address: Int
    /// The number of its slots; those past the universe's 512 are not sent.
    public let slotCount: Int
  }

  /// Returns the fixtures of the rig in the order of its file.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/native``: a fault inside the package.
  public func fixtures() throws(LightingError) -> [Fixture] {
    let (show, rig, demo, count) = (show, rig, demo, fixtureCount)
    let texts = try LightingError.rethrowing { () throws(NativeError) in
      try NativeShow(Self.native(show: show, rig: rig, demo: demo)).texts(.fixture, count: count)
    }
    do {
      return try texts.map { try JSONDecoder().decode(PatchText.self, from: Data($0.utf8)).fixture() }
    } catch {
      throw LightingError(
        .native, "expected the patch of each fixture, got other JSON", advice: "Report it with the show's files.")
    }
  }

  /// Writes the show as JSON of version 1, without what is wrong in it: the file is replaced as a whole, or not at all.
  ///
  /// - Throws: what Foundation throws when the file cannot be written.
  public func write(to file: URL) throws {
    let (show, rig, demo) = (show, rig, demo)
    let json = try LightingError.rethrowing { () throws(NativeError) in
      try NativeShow(Self.native(show: show, rig: rig, demo: demo)).texts(.json, count: 1)[0]
    }
    try Data(json.utf8).write(to: file, options: .atomic)
  }

  static func text(of file: Data?, _ what: String) throws(LightingError) -> String {
    guard let file else { return "" }
    guard let text = String(data: file, encoding: .utf8), !text.isEmpty else {
      throw LightingError(
        .malformedInput, "\(what): expected JSON in UTF-8, got \(file.isEmpty ? "nothing" : "other bytes")",
        advice: "Pass a file as docs/show.schema.json describes it.")
    }
    return text
  }

  /// The configuration of an engine that plays nothing.
  static func native(show: String, rig: String, demo: Demo) -> NativeShowConfiguration {
    NativeShowConfiguration(
      show: show, rig: rig, demo: demo.rawValue, beatsAMinute: 120, framesASecond: 44, reportsPerSecond: 1,
      reportLimit: 0, sacn: 0, artNet: 0, clock: 0, startsInBlackout: false)
  }
}

/// The patch of a fixture as the native side writes it.
private struct PatchText: Decodable {
  let id: ID
  let name, profile, mode, group: String
  let `protocol`: String
  let universe, address, slots: Int

  struct ID: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try (try? container.decode(Int64.self)).map { String($0) } ?? container.decode(String.self)
    }
  }

  func fixture() throws -> LightShow.Fixture {
    guard let kind = DMXProtocol(rawValue: `protocol`) else { throw CocoaError(.coderInvalidValue) }
    return LightShow.Fixture(
      id: id.text, name: name, profile: profile, mode: mode, group: group,
      universe: try DMXUniverse(universe, of: kind), address: address, slotCount: slots)
  }
}

public import Foundation
internal import RustleCore

/// A rig of lighting fixtures, as a file describes it, with the faults of the file and of its patch.
///
/// ```json
/// {"v": 1, "fixtures": [
///   {"id": 1, "profile": "rgb-par", "protocol": "sacn", "universe": 1, "address": 1, "position": [0, 4, 2]},
///   {"id": "head", "profile": "moving-head", "mode": "10", "protocol": "artnet", "universe": "0.0.1", "address": 1}]}
/// ```
///
/// Fixtures have an `id` (integer or text), a `profile` (dimmer, rgb-par, rgbw-par, rgbawuv-par, moving-head, bar-8, bar-16, strobe
/// or wash), a `protocol` (sacn or artnet), a `universe`, and an `address`, the first slot, 1 to 512. A `name`, a `mode` (the
/// profile's first otherwise), a `position` in metres, a `rotation` in degrees, a `group`, a dimming `curve` and the `order` of a
/// pixel's colours (`grb`) are optional, and so is the file's `venue`, `{"outline": [[0, 0], [8, 0], [8, 6]], "height": 4}`.
public struct Rig: Sendable {
  /// A fault of the file or of the patch.
  public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of faults.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A value of the file cannot be used; its fixture is left out.
      case value
      /// Two fixtures have slots in common.
      case overlap
      /// A fixture reaches past slot 512.
      case pastEnd = "past_end"
      /// Two fixtures have the same id.
      case duplicateID = "duplicate_id"
    }

    /// The kind.
    public let kind: Kind
    /// The places of its fixtures in the file, counted from 0: none of a value, otherwise one or two.
    public let fixtures: [Int]
    /// The fault in one sentence, with the place in the file, or the fixtures and their slots.
    public let description: String
  }

  /// The number of fixtures, without those that are left out.
  public let fixtureCount: Int
  /// The number of universes with fixtures.
  public let universeCount: Int
  /// The number of slots that the fixtures take.
  public let slotCount: Int
  /// The faults, at most 10,000: those of the file in its order, overlaps and overflows by universe and slot, duplicate ids.
  public let faults: [Fault]

  /// Reads a rig's file and checks its patch.
  ///
  /// - Parameter json: UTF-8, at most 64 MiB, with 65,536 fixtures at most.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for a text that is not JSON, not an object, of another
  ///   version or without fixtures. Faults of single fixtures are in ``faults``.
  public init(json: Data) throws(LightingError) {
    guard let text = String(data: json, encoding: .utf8), !text.isEmpty else {
      throw LightingError(
        .malformedInput, "rig: expected JSON in UTF-8, got \(json.isEmpty ? "nothing" : "other bytes")",
        advice: Self.advice)
    }
    do throws(NativeError) {
      let rig = try NativeRig(NativeRigConfiguration(json: text))
      fixtureCount = rig.description.fixtures
      universeCount = rig.description.universes
      slotCount = Int(clamping: rig.description.slots)
      var faults: [Fault] = []
      for index in 0..<rig.description.faults { faults.append(try Self.fault(index, of: rig)) }
      self.faults = faults
    } catch {
      let error = LightingError(error)
      throw error.code == .malformedInput ? LightingError(error.code, error.message, advice: Self.advice) : error
    }
  }

  static let advice = "Pass for example {\"v\":1,\"fixtures\":[]}."

  private static func fault(_ index: Int, of rig: NativeRig) throws(NativeError) -> Fault {
    var text = [UInt8](repeating: 0, count: 512)
    while true {
      var room = text.mutableSpan
      let fault = try rig.fault(index: index, text: &room)
      if fault.length > text.count {
        text = [UInt8](repeating: 0, count: fault.length)
        continue
      }
      let (kind, fixtures): (Fault.Kind, [Int]) =
        switch fault.kind {
        case .overlap: (.overlap, [fault.first, fault.second])
        case .pastEnd: (.pastEnd, [fault.first])
        case .duplicateId: (.duplicateID, [fault.first, fault.second])
        default: (.value, [])
        }
      return Fault(
        kind: kind, fixtures: fixtures, description: String(decoding: text[..<fault.length], as: UTF8.self))
    }
  }
}

internal import Foundation

/// What a tuner shows of one frequency: the note it is nearest to and by how much it is off.
public struct TuningReading: Sendable, Hashable {
  /// On which side of the target a tone is.
  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// Too low.
    case flat
    /// Within the tolerance.
    case inTune
    /// Too high.
    case sharp

    /// That of some cents, of which `tolerance` on either side are in tune.
    package init(cents: Double, tolerance: Double) {
      self = abs(cents) <= tolerance ? .inTune : cents < 0 ? .flat : .sharp
    }
  }

  /// The tolerance that is used where none is given, in cents: below what listeners tell apart, 5 to 6 cents, and above what a
  /// steady hand can hold.
  public static let defaultTolerance = 2.0

  /// What sounds, in Hz, corrected by the clock's error.
  public let frequency: Double
  /// What it should be, in Hz.
  public let target: Double
  /// By how many cents it is above the target; below 0: flat. Of a reading to the nearest note of equal temperament -50 to 50,
  /// up to half the distance of two steps in other scales, and anything when the target is a string or was kept.
  public let cents: Double
  /// The note, as the player reads it. In a scale whose steps are no notes, the note nearest to the target.
  public let note: Note
  /// How black keys are called.
  public let spelling: NoteName.Spelling
  /// The step of the temperament, counted from the tonic of octave 4, as in ``Temperament/cents(ofStep:)``.
  public let step: Int
  /// The place of the string in ``Instrument/strings``; nil for a reading to the nearest note.
  public let string: Int?
  /// By how many cents the target is above the note of equal temperament at the same reference.
  public let offset: Double

  /// The note's name.
  public var name: NoteName { note.name(spelling) }
  /// The note's scientific octave.
  public var octave: Int { note.octave }
  /// Name and octave, for example `A4`.
  public var noteText: String { note.text(spelling: spelling) }
  /// How often a second the tone beats with the target, in Hz; below 0: flat.
  public var beat: Double { frequency - target }

  /// On which side of the target the tone is.
  ///
  /// - Parameter tolerance: how many cents on either side are in tune, 0 or more.
  public func direction(tolerance: Double = defaultTolerance) -> Direction {
    Direction(cents: cents, tolerance: tolerance)
  }

  /// In words what a needle and its colour say, for example `A4, 12.3 cents flat` or `A4, in tune, 0.4 cents sharp`.
  ///
  /// - Parameters:
  ///   - tolerance: how many cents on either side are in tune.
  ///   - digits: behind the point, 0 to 3.
  public func words(tolerance: Double = defaultTolerance, digits: Int = 1) -> String {
    let amount = String(format: "%.\(min(max(digits, 0), 3))f", abs(cents))
    let isZero = amount.allSatisfy { $0 == "0" || $0 == "." }
    let side = isZero ? "" : ", \(amount) cents \(cents < 0 ? "flat" : "sharp")"
    return noteText + (direction(tolerance: tolerance) == .inTune ? ", in tune" : "") + side
  }
}

internal import Foundation

/// A tuner's reading of one frequency: the nearest note, and the deviation from it.
public struct TuningReading: Sendable, Hashable {
  /// The side of the target that a tone is on.
  public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// Too low.
    case flat
    /// Within the tolerance.
    case inTune
    /// Too high.
    case sharp

    /// Creates the direction of a deviation in cents, of which `tolerance` on either side are in tune.
    package init(cents: Double, tolerance: Double) {
      self = abs(cents) <= tolerance ? .inTune : cents < 0 ? .flat : .sharp
    }
  }

  /// The default tolerance in cents: below the 5 to 6 cents that listeners distinguish, and above the unsteadiness of a steady
  /// hand.
  public static let defaultTolerance = 2.0

  /// The frequency in Hz, corrected by the clock's error.
  public let frequency: Double
  /// The target, in Hz.
  public let target: Double
  /// The cents above the target; below 0: flat. For the nearest note of equal temperament -50 to 50, in other scales up to half
  /// the distance of two steps, and any value when the target is a string or was kept.
  public let cents: Double
  /// The note, as the player reads it. In a scale whose steps are not notes, the note nearest to the target.
  public let note: Note
  /// Whether notes between the natural ones are named as sharps or as flats.
  public let spelling: NoteName.Spelling
  /// The step of the temperament, counted from the tonic of octave 4, as in ``Temperament/cents(ofStep:)``.
  public let step: Int
  /// The index of the string in ``Instrument/strings``, from 0; nil for a reading to the nearest note.
  public let stringIndex: Int?
  /// The cents of the target above the note of equal temperament at the same reference.
  public let offset: Double

  /// The note's name.
  public var name: NoteName { note.name(spelling) }
  /// The octave in scientific pitch notation: 4 for A4.
  public var octave: Int { note.octave }
  /// Name and octave, for example `A4`.
  public var noteText: String { note.text(spelling: spelling) }
  /// The frequency of the beats with the target, in Hz; below 0: flat.
  public var beat: Double { frequency - target }

  /// Returns whether the tone is flat, in tune or sharp.
  ///
  /// - Parameter tolerance: the largest deviation that is in tune, in cents, 0 or more.
  public func direction(tolerance: Double = defaultTolerance) -> Direction {
    Direction(cents: cents, tolerance: tolerance)
  }

  /// Returns the deviation in words, for example `A4, 12.3 cents flat` or `A4, in tune, 0.4 cents sharp`.
  ///
  /// - Parameters:
  ///   - tolerance: the cents on either side that are in tune.
  ///   - digits: after the decimal point, 0 to 3.
  public func words(tolerance: Double = defaultTolerance, digits: Int = 1) -> String {
    let amount = String(format: "%.\(min(max(digits, 0), 3))f", abs(cents))
    let isZero = amount.allSatisfy { $0 == "0" || $0 == "." }
    let side = isZero ? "" : ", \(amount) cents \(cents < 0 ? "flat" : "sharp")"
    return noteText + (direction(tolerance: tolerance) == .inTune ? ", in tune" : "") + side
  }
}

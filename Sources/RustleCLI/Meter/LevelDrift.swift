import Foundation

/// By how much a sound moves while it is measured, from its equivalent levels: those of pieces of half a second or more, which
/// no time weighting has smoothed.
struct LevelDrift: Equatable, Sendable {
  /// The sound of a piece, in seconds.
  static let piece = 0.5

  private var last: (seconds: Double, energy: Double) = (0, 0)
  private var powers: ClosedRange<Double>?

  static func == (left: Self, right: Self) -> Bool { left.last == right.last && left.powers == right.powers }

  /// - Parameters:
  ///   - seconds: since the beginning; never falls.
  ///   - equivalent: the level since the beginning, in dB.
  mutating func add(seconds: Double, equivalent: Double) {
    // A reading may end a sample before half a second is over.
    guard seconds - last.seconds >= Self.piece - 1e-3 else { return }
    let energy = seconds * pow(10, equivalent / 10)
    let power = max(0, energy - last.energy) / (seconds - last.seconds)
    powers = powers.map { min($0.lowerBound, power)...max($0.upperBound, power) } ?? power...power
    last = (seconds, energy)
  }

  /// The decibels from the softest piece to the loudest; infinite where one was silent, nil for less than two pieces of sound
  /// or none.
  var decibels: Double? {
    guard let powers, powers.upperBound > 0 else { return nil }
    return 10 * log10(powers.upperBound / powers.lowerBound)
  }
}

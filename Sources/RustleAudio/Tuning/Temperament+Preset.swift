internal import Foundation

extension Temperament {
  /// The built-in temperaments, of twelve notes each.
  ///
  /// The tempered ones are defined by the part of a comma by which their fifths are narrower than 3/2, as in J. M. Barbour,
  /// "Tuning and Temperament" (1951). The Pythagorean comma is 3^12 / 2^19, the syntonic one 81/80. Tables of cents follow from
  /// that.
  public enum Preset: String, Sendable, Hashable, Codable, CaseIterable {
    /// Twelve equal semitones.
    case equal
    /// Just intonation with the primes 2, 3 and 5: the major scale of three pure major triads, 1/1 9/8 5/4 4/3 3/2 5/3 15/8, and
    /// between its notes 16/15, 6/5, 45/32, 8/5 and 9/5.
    case just
    /// Eleven pure fifths from three below the tonic to eight above it: on C from E flat to G sharp.
    case pythagorean
    /// Fifths narrower by a quarter of the syntonic comma, so that four of them make a pure major third, 5/4: on C from E flat to
    /// G sharp (P. Aron, 1523).
    case meantone
    /// C-G, G-D, D-A and B-F# narrower by a quarter of the Pythagorean comma (A. Werckmeister, 1691: the third tuning of his
    /// list, the first of his own).
    case werckmeisterIII
    /// C-G, G-D, D-A and A-E narrower by a quarter of the syntonic comma, which makes C-E pure; F#-C# takes the remaining schisma
    /// (J. P. Kirnberger, letter of 1779).
    case kirnbergerIII
    /// F-C, C-G, G-D, D-A, A-E and E-B narrower by a sixth of the Pythagorean comma (F. A. Vallotti, 1779).
    case vallotti
    /// C-G, G-D, D-A, A-E, E-B and B-F# narrower by a sixth of the Pythagorean comma: the second, simpler tuning of T. Young's
    /// paper (Philosophical Transactions, 1800).
    case young
    /// C-G, G-D, D-A and A-E narrower by 3/16 of the syntonic comma, and E-B, B-F#, Bb-F and F-C by a quarter each of the
    /// remainder of the Pythagorean comma: the first tuning of the same paper, whose third on C is wide by a quarter of the
    /// comma.
    case youngFirst

    /// The name in English.
    public var name: String {
      switch self {
      case .equal: "Equal temperament"
      case .just: "Just intonation, major"
      case .pythagorean: "Pythagorean"
      case .meantone: "Quarter-comma meantone"
      case .werckmeisterIII: "Werckmeister III"
      case .kirnbergerIII: "Kirnberger III"
      case .vallotti: "Vallotti"
      case .young: "Young, second"
      case .youngFirst: "Young, first"
      }
    }
  }

  /// The temperament of a preset.
  public init(_ preset: Preset) {
    switch preset {
    case .equal:
      self = .equal(checked: 12, name: preset.name)
    case .just:
      self.init(
        checked: preset.name,
        [
          .ratio(16, 15), .ratio(9, 8), .ratio(6, 5), .ratio(5, 4), .ratio(4, 3), .ratio(45, 32), .ratio(3, 2),
          .ratio(8, 5), .ratio(5, 3), .ratio(9, 5), .ratio(15, 8), .octave,
        ])
    case .pythagorean:
      self.init(
        checked: preset.name,
        [
          .ratio(2_187, 2_048), .ratio(9, 8), .ratio(32, 27), .ratio(81, 64), .ratio(4, 3), .ratio(729, 512),
          .ratio(3, 2), .ratio(6_561, 4_096), .ratio(27, 16), .ratio(16, 9), .ratio(243, 128), .octave,
        ])
    case .meantone:
      self = .fifths(preset, lowest: -3, narrowing: Array(repeating: 0.25 * Self.syntonicComma, count: 11))
    case .werckmeisterIII:
      self = .fifths(preset, narrowed: [0, 1, 2, 5], by: 0.25 * Self.pythagoreanComma)
    case .kirnbergerIII:
      self = .fifths(preset, narrowed: [0, 1, 2, 3], by: 0.25 * Self.syntonicComma)
    case .vallotti:
      self = .fifths(preset, narrowed: [-1, 0, 1, 2, 3, 4], by: Self.pythagoreanComma / 6)
    case .young:
      self = .fifths(preset, narrowed: [0, 1, 2, 3, 4, 5], by: Self.pythagoreanComma / 6)
    case .youngFirst:
      let (near, far) = (3 * Self.syntonicComma / 16, 0.25 * Self.pythagoreanComma - 3 * Self.syntonicComma / 16)
      let narrowing = [-2: far, -1: far, 0: near, 1: near, 2: near, 3: near, 4: far, 5: far]
      self = .fifths(preset, lowest: -5, narrowing: (-5..<6).map { narrowing[$0] ?? 0 })
    }
  }

  /// 3/2, about 701.955 cents.
  static let pureFifth = 1_200 * log2(1.5)
  /// 81/80, about 21.506 cents.
  static let syntonicComma = 1_200 * log2(81.0 / 80)
  /// 531441/524288, about 23.460 cents.
  static let pythagoreanComma = 1_200 * log2(531_441.0 / 524_288)

  /// The circle of fifths from five below the tonic (D flat on C) to six above it (F sharp). The closing fifth is the remaining
  /// one.
  ///
  /// - Parameters:
  ///   - narrowed: the tempered fifths, each by its lower note: 0 is the one on the tonic.
  ///   - comma: the cents by which they are narrower.
  private static func fifths(_ preset: Preset, narrowed: [Int], by comma: Double) -> Self {
    fifths(preset, lowest: -5, narrowing: (-5..<6).map { narrowed.contains($0) ? comma : 0 })
  }

  /// - Parameter narrowing: in cents, of the eleven fifths from the lowest on.
  private static func fifths(_ preset: Preset, lowest: Int, narrowing: [Double]) -> Self {
    // Heights above the lowest note, then above the tonic.
    let heights = narrowing.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + pureFifth - $1) }
    var steps = Array(repeating: ScaleInterval.octave, count: 12)
    for (index, height) in heights.enumerated() where index + lowest != 0 {
      let cents = height - heights[-lowest]
      let degree = 7 * (index + lowest)
      // Seven semitones a fifth, brought into the octave.
      steps[degree - 12 * degree.floorQuotient(by: 12) - 1] = .cents(cents - 1_200 * (cents / 1_200).rounded(.down))
    }
    return Self(checked: preset.name, steps)
  }
}

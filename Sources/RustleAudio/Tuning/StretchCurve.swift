internal import Foundation

/// The stretch of a stiff-stringed instrument's octaves, a piano's above all: wider than 2/1 so that their partials agree.
///
/// The partials of a string with the inharmonicity B are at f_k = k f_0 sqrt(1 + B k²), where f_0 is the string's frequency
/// without stiffness (H. Fletcher, "Normal vibration frequencies of a stiff piano string", 1964). In a 4:2 octave the fourth
/// partial of the lower note is the second of the upper one. The first partials, which a tuner shows, are then wider apart than
/// an octave by 600 log2((1 + a² B) (1 + B') / ((1 + b² B') (1 + B))) cents: B of the lower note and a its partial, B' and b
/// those of the upper.
///
/// The octave from A3 to A4 is divided evenly, and every other note is an octave of the chosen kind from one within. Notes
/// between the measured ones have a B of even growth, notes outside that of the outermost.
public struct StretchCurve: Sendable, Hashable {
  /// The partials of an octave's two notes that agree.
  public enum Octave: String, Sendable, Hashable, Codable, CaseIterable {
    /// The second of the lower note and the first of the upper one: the least stretch.
    case twoToOne = "2:1"
    /// The fourth and the second: common in the middle.
    case fourToTwo = "4:2"
    /// The sixth and the third: common in the bass.
    case sixToThree = "6:3"

    /// The partial of the upper note; that of the lower one is twice it.
    public var upperPartial: Int {
      switch self {
      case .twoToOne: 1
      case .fourToTwo: 2
      case .sixToThree: 3
      }
    }
  }

  /// The inharmonicity of one note.
  public struct Point: Sendable, Hashable, Codable {
    /// The sounding note.
    public let note: Note
    /// B, 0 to 0.1. Of a piano 1e-4 to 2e-2.
    public let inharmonicity: Double

    /// Creates a point of a note and its B.
    public init(note: Note, inharmonicity: Double) {
      self.note = note
      self.inharmonicity = inharmonicity
    }
  }

  /// The range of B.
  public static let inharmonicityRange = 0.0...0.1
  /// The most points.
  public static let maximumPointCount = 256

  /// The partials that agree.
  public let octave: Octave
  /// The measured points, by ascending note.
  public let points: [Point]
  /// Cents of each of ``Note/midiRange``, from the lowest on.
  private let table: [Double]

  /// Creates a curve from measured strings.
  ///
  /// - Parameters:
  ///   - points: 1 to ``maximumPointCount`` by ascending note, each B within ``inharmonicityRange``.
  ///   - octave: which partials are to agree.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(points: [Point], octave: Octave = .fourToTwo) throws(AudioError) {
    guard (1...Self.maximumPointCount).contains(points.count) else {
      throw .validation("points", expected: "1 to \(Self.maximumPointCount)", got: "\(points.count)")
    }
    for (index, point) in points.enumerated() {
      guard Self.inharmonicityRange.contains(point.inharmonicity) else {
        throw .validation(
          "point \(index + 1)", expected: "an inharmonicity B from 0 to 0.1", got: "\(point.inharmonicity)")
      }
      guard index == 0 || points[index - 1].note < point.note else {
        throw .validation(
          "point \(index + 1)", expected: "a note above \(points[index - 1].note)", got: "\(point.note)")
      }
    }
    self.octave = octave
    self.points = points
    table = Self.table(points, octave)
  }

  /// Returns the cents of a note above its pitch in the temperament; 0 at A4.
  ///
  /// - Parameter position: a MIDI number, also between two notes; beyond all of them, the outermost note's cents.
  public func cents(at position: Double) -> Double {
    let row = min(max(position - Double(Note.midiRange.lowerBound), 0), Double(table.count - 1))
    let index = min(Int(row), table.count - 2)
    return table[index] + (table[index + 1] - table[index]) * (row - Double(index))
  }

  /// Returns B of a note, also between and beyond the measured ones.
  public func inharmonicity(of note: Note) -> Double { Self.inharmonicity(note.midi, points) }

  /// Returns the frequency of a partial of a stiff string: k f_0 sqrt(1 + B k²).
  ///
  /// - Parameters:
  ///   - number: k, from 1.
  ///   - fundamental: f_0 in Hz, the string's frequency without stiffness.
  ///   - inharmonicity: B, 0 or more.
  /// - Returns: in Hz.
  public static func partial(_ number: Int, fundamental: Double, inharmonicity: Double) -> Double {
    let k = Double(number)
    return k * fundamental * (1 + inharmonicity * k * k).squareRoot()
  }

  private static func inharmonicity(_ midi: Int, _ points: [Point]) -> Double {
    guard let above = points.firstIndex(where: { $0.note.midi >= midi }) else {
      return points[points.count - 1].inharmonicity
    }
    let upper = points[above]
    guard above > 0, upper.note.midi > midi else { return upper.inharmonicity }
    let lower = points[above - 1]
    let share = Double(midi - lower.note.midi) / Double(upper.note.midi - lower.note.midi)
    guard lower.inharmonicity > 0, upper.inharmonicity > 0 else {
      return lower.inharmonicity + share * (upper.inharmonicity - lower.inharmonicity)
    }
    return lower.inharmonicity * pow(upper.inharmonicity / lower.inharmonicity, share)
  }

  private static func table(_ points: [Point], _ octave: Octave) -> [Double] {
    let first = Note.midiRange.lowerBound
    func b(_ midi: Int) -> Double { inharmonicity(midi, points) }
    // Cents by which the octave on a note is wider than 2/1.
    func excess(_ midi: Int) -> Double {
      let upper = Double(octave.upperPartial)
      let lower = 2 * upper
      let (low, high) = (b(midi), b(midi + 12))
      return 600 * log2((1 + lower * lower * low) * (1 + high) / ((1 + upper * upper * high) * (1 + low)))
    }
    let (a3, a4) = (Note.a4.midi - 12 - first, Note.a4.midi - first)
    var table = Array(repeating: 0.0, count: Note.midiRange.count)
    let middle = excess(a3 + first)
    for index in a3...a4 { table[index] = middle * Double(index - a4) / 12 }
    for index in (a4 + 1)..<table.count { table[index] = table[index - 12] + excess(index - 12 + first) }
    for index in (0..<a3).reversed() { table[index] = table[index + 12] - excess(index + first) }
    return table
  }
}

extension StretchCurve: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case octave, points
  }

  /// Reads `{"octave": "4:2", "points": [{"note": "A4", "inharmonicity": 0.0007}]}`.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: Key.allCases.map(\.rawValue), of: "stretch")
    let values = try decoder.container(keyedBy: Key.self)
    try self.init(
      points: values.decode([Point].self, forKey: .points),
      octave: values.decodeIfPresent(Octave.self, forKey: .octave) ?? .fourToTwo)
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(octave, forKey: .octave)
    try values.encode(points, forKey: .points)
  }
}

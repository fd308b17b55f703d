/// A division of the octave, or of another period: the steps of a scale above its first, the tonic.
///
/// ```swift
/// let well = Temperament(.werckmeisterIII)
/// well.cents          // [0, 90.22…, 192.18…, …]: of the twelve notes, from the tonic
/// let edo = try Temperament.equal(19)
/// let scale = try Temperament(scala: text)
/// ```
///
/// A temperament has no frequencies; a ``Tuning`` sets it on a tonic and a reference.
public struct Temperament: Sendable, Hashable {
  /// The most steps of a period.
  public static let maximumStepCount = 4_096
  /// The most cents between the tonic and a step, either way: beyond hearing.
  public static let maximumInterval = 20_000.0
  /// The fewest cents of a period.
  public static let minimumPeriod = 1.0
  /// The most characters of a name.
  public static let maximumNameLength = 1_000
  /// The range of divisions of ``equal(_:)``.
  public static let divisionRange = 5...72

  /// The name; one line, may be empty.
  public let name: String
  /// The intervals of the steps from the tonic, which is not among them: 1 to ``maximumStepCount``. The last is the period,
  /// an octave as a rule, at which the scale repeats.
  public let steps: [ScaleInterval]
  /// The cents above the tonic of each step of one period, from 0 for the tonic itself; the number is that of ``steps``.
  public let cents: [Double]
  /// The cents of the period, 1200 for an octave.
  public let period: Double

  /// Whether the steps are notes of the keyboard: twelve that ascend, and a period within 50 cents of the octave.
  public let isChromatic: Bool

  /// Creates a temperament of steps.
  ///
  /// - Parameters:
  ///   - name: at most ``maximumNameLength`` characters, no line breaks or control characters.
  ///   - steps: 1 to ``maximumStepCount``, above the tonic, in any order but with the period at the end. Each is within
  ///     ``maximumInterval`` and the period at least ``minimumPeriod``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first one.
  public init(name: String, steps: [ScaleInterval]) throws(AudioError) {
    let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && !$0.properties.isLineBreak }
    guard name.count <= Self.maximumNameLength, isPlain else {
      throw .validation(
        "name", expected: "one line of at most \(Self.maximumNameLength) characters", got: name.excerpt,
        advice: "Choose another name.")
    }
    guard let period = steps.last, steps.count <= Self.maximumStepCount else {
      throw .validation("steps", expected: "1 to \(Self.maximumStepCount)", got: "\(steps.count)")
    }
    for (index, step) in steps.enumerated() where !(step.isUsable && abs(step.cents) <= Self.maximumInterval) {
      throw .validation(
        "step \(index + 1)", expected: "an interval within \(Self.maximumInterval.plain) cents", got: "\(step)")
    }
    guard period.cents >= Self.minimumPeriod else {
      throw .validation(
        "step \(steps.count)", expected: "a period of at least \(Self.minimumPeriod.plain) cent", got: "\(period)",
        advice: "The last step is the one after which the scale repeats, such as 2/1.")
    }
    self.init(checked: name, steps, period: period.cents)
  }

  /// Steps that are known to be in range.
  init(checked name: String, _ steps: [ScaleInterval], period: Double = 1_200) {
    self.name = name
    self.steps = steps
    self.period = period
    cents = [0] + steps.dropLast().map(\.cents)
    let ascends = zip(cents, cents.dropFirst() + [period]).allSatisfy(<)
    isChromatic = steps.count == 12 && abs(period - 1_200) <= 50 && ascends
  }

  /// Returns the division of the octave into equal parts.
  ///
  /// - Parameter divisions: within ``divisionRange``; 12 is ``Preset/equal``.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public static func equal(_ divisions: Int) throws(AudioError) -> Self {
    guard Self.divisionRange.contains(divisions) else {
      throw .validation(
        "divisions", expected: "\(Self.divisionRange.lowerBound) to \(Self.divisionRange.upperBound)",
        got: "\(divisions)")
    }
    return equal(checked: divisions, name: "\(divisions) equal divisions of the octave")
  }

  static func equal(checked divisions: Int, name: String) -> Self {
    let steps = (1..<divisions).map { ScaleInterval.cents(1_200 * Double($0) / Double(divisions)) }
    return Self(checked: name, steps + [.octave])
  }

  /// Returns the cents of a step above the tonic.
  ///
  /// - Parameter step: counted from the tonic, continued in further periods, and below 0 under it.
  public func cents(ofStep step: Int) -> Double {
    let periods = step.floorQuotient(by: cents.count)
    return cents[step - periods * cents.count] + Double(periods) * period
  }

  /// Returns the step nearest to a pitch; of two equally near ones, the first in the scale.
  ///
  /// - Parameter pitch: cents above the tonic, finite and within 1,000,000.
  /// - Returns: counted from the tonic as in ``cents(ofStep:)``; 0 for a pitch out of range.
  public func nearestStep(to pitch: Double) -> Int {
    guard abs(pitch) <= 1_000_000 else { return 0 }
    var (best, smallest) = (0, Double.infinity)
    for (degree, offset) in cents.enumerated() {
      let periods = ((pitch - offset) / period).rounded()
      let distance = abs(pitch - offset - periods * period)
      if distance < smallest { (best, smallest) = (Int(periods) * cents.count + degree, distance) }
    }
    return best
  }
}

extension Temperament: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, steps
  }

  /// Reads a name and the steps in a Scala file's notation: `{"name": "Fifths", "steps": ["3/2", "1200.0"]}`.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: Key.allCases.map(\.rawValue), of: "temperament")
    let values = try decoder.container(keyedBy: Key.self)
    try self.init(
      name: values.decode(String.self, forKey: .name), steps: values.decode([ScaleInterval].self, forKey: .steps))
  }

  /// Writes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encode(steps, forKey: .steps)
  }
}

extension Unicode.Scalar.Properties {
  /// Whether it ends a line: the two separators that are not control characters.
  fileprivate var isLineBreak: Bool { generalCategory == .lineSeparator || generalCategory == .paragraphSeparator }
}

/// An estimate of the reference pitch from a played note: a piano's A before the strings tune, or any other note.
///
/// ```swift
/// var learner = try ReferenceLearner(tuning: .standard, note: .a4)
/// for frame in frames { learner.add(frequency: frame.frequency, confidence: frame.confidence) }
/// if let found = learner.result, found.isEnough {
///   tuning = try tuning.with(reference: found.reference)
/// }
/// ```
///
/// The result is the weighted mean of the readings in cents, without outliers (see ``Estimate``).
public struct ReferenceLearner: Sendable {
  /// The estimate.
  ///
  /// Readings further from the weighted median than 3 times the spread are not used; the spread is 1.4826 times the median of the
  /// distances, as for a normal distribution, and at least ``ReferenceLearner/minimumSpread``. A reading with a larger deviation
  /// has that one as its spread.
  public struct Estimate: Sendable, Hashable {
    /// The frequency of A4, in Hz.
    public let reference: Double
    /// The standard error of the reference, in cents: the spread of the used readings over the root of the number of independent
    /// ones.
    public let uncertainty: Double
    /// The number of readings in the mean.
    public let used: Int
    /// The number of kept readings left out as outliers.
    public let rejected: Int
    /// Whether the readings are enough, and the uncertainty small enough, for ``ReferenceLearner/Goal``.
    public let isEnough: Bool

    /// The standard error in Hz.
    public var uncertaintyHertz: Double { reference * (Tuning.ratio(cents: uncertainty) - 1) }
  }

  /// The condition that ends learning.
  public struct Goal: Sendable, Hashable {
    /// The fewest used readings, 3 or more.
    public var readings: Int
    /// The largest uncertainty, in cents, above 0.
    public var uncertainty: Double
    /// The number of consecutive readings that share samples: the frame length over the hop size, 1 or more. They count as one
    /// in the uncertainty.
    public var overlap: Int

    /// Creates a goal; each value has its documented range.
    public init(readings: Int = 40, uncertainty: Double = 0.2, overlap: Int = 8) {
      self.readings = readings
      self.uncertainty = uncertainty
      self.overlap = overlap
    }
  }

  /// The most readings kept; the oldest are dropped.
  public static let maximumReadingCount = 4_096
  /// The least spread of readings in cents: so that a perfect tone rejects no reading a thousandth of a cent off.
  public static let minimumSpread = 0.05

  private struct Reading {
    /// The cents above the tuning's frequency of the note.
    let cents: Double
    let weight: Double
    /// The deviation in cents; 0: not known.
    let deviation: Double
  }

  /// The tuning before; everything except the reference stays.
  public let tuning: Tuning
  /// The played note as written; nil: the nearest to the sound, within half a step of `tuning`.
  public let note: Note?
  /// When it has enough.
  public let goal: Goal

  private var readings: [Reading] = []
  /// The place of the next reading when the memory is full.
  private var oldest = 0

  /// Creates a learner without readings.
  ///
  /// - Parameters:
  ///   - tuning: its temperament, transposition, stretch and clock correction are taken into account.
  ///   - note: the played note as written; nil for any.
  ///   - goal: the condition that ends learning.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a goal out of range.
  public init(tuning: Tuning, note: Note? = .a4, goal: Goal = Goal()) throws(AudioError) {
    guard (3...Self.maximumReadingCount).contains(goal.readings) else {
      throw .validation("readings", expected: "3 to \(Self.maximumReadingCount)", got: "\(goal.readings)")
    }
    guard goal.uncertainty > 0, goal.uncertainty.isFinite else {
      throw .validation("uncertainty", expected: "above 0 cents", got: goal.uncertainty.plain)
    }
    guard goal.overlap >= 1 else { throw .validation("overlap", expected: "1 or more", got: "\(goal.overlap)") }
    self.tuning = tuning
    self.note = note
    self.goal = goal
  }

  /// Adds one reading.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz; nil when there is no tone.
  ///   - confidence: 0 to 1; the weight grows with it.
  ///   - deviation: the standard deviation of the frequency in cents, above 0; the weight falls with its square. nil: not known,
  ///     weighs as 1 cent.
  /// - Returns: whether the reading was taken: false without a tone, and for a reference out of ``Tuning/referenceRange``.
  @discardableResult
  public mutating func add(frequency: Double?, confidence: Double, deviation: Double? = nil) -> Bool {
    guard let frequency, let actual = tuning.corrected(frequency), confidence > 0, confidence <= 1,
      deviation.map({ $0 > 0 }) ?? true
    else {
      return false
    }
    let target = note.map(tuning.frequency(of:)) ?? tuning.reading(of: frequency)?.target
    guard let target, Tuning.referenceRange.contains(tuning.reference * actual / target) else { return false }
    // An implausibly small deviation would let one reading outweigh all others.
    let width = max(deviation ?? 1, 0.01)
    let reading = Reading(
      cents: Tuning.cents(actual / target), weight: confidence / (width * width), deviation: deviation ?? 0)
    if readings.count < Self.maximumReadingCount {
      readings.append(reading)
    } else {
      readings[oldest] = reading
      oldest = (oldest + 1) % Self.maximumReadingCount
    }
    return true
  }

  /// Discards all readings.
  public mutating func reset() {
    readings = []
    oldest = 0
  }

  /// The estimate so far; nil before the third reading.
  public var result: Estimate? {
    guard readings.count >= 3 else { return nil }
    let middle = Self.median(readings.map { ($0.cents, $0.weight) })
    let spread = 1.4826 * Self.median(readings.map { (abs($0.cents - middle), $0.weight) })
    let used = readings.filter { abs($0.cents - middle) <= 3 * max(spread, Self.minimumSpread, $0.deviation) }
    let weight = used.reduce(0) { $0 + $1.weight }
    let mean = used.reduce(0) { $0 + $1.weight * $1.cents } / weight
    let variance = used.reduce(0) { $0 + $1.weight * ($1.cents - mean) * ($1.cents - mean) } / weight
    // The effective number of readings of equal weight (L. Kish, "Survey Sampling", 1965), and of independent ones among them.
    let squares = used.reduce(0) { $0 + $1.weight * $1.weight }
    let independent = max(1, weight * weight / squares / Double(goal.overlap))
    // The mean is of the same readings, which makes the spread seem smaller.
    let correction = independent > 1 ? independent / (independent - 1) : 1
    let uncertainty =
      independent > 1 ? (variance * correction / independent).squareRoot() : max(spread, Self.minimumSpread)
    // Each of them has a reference within the range, and so has their mean except for the last digit.
    let range = Tuning.referenceRange
    let reference = min(max(tuning.reference * Tuning.ratio(cents: mean), range.lowerBound), range.upperBound)
    return Estimate(
      reference: reference, uncertainty: uncertainty, used: used.count,
      rejected: readings.count - used.count,
      isEnough: used.count >= goal.readings && uncertainty <= goal.uncertainty)
  }

  /// The value with half of the weight on either side.
  private static func median(_ values: [(cents: Double, weight: Double)]) -> Double {
    let sorted = values.sorted { $0.cents < $1.cents }
    let half = 0.5 * sorted.reduce(0) { $0 + $1.weight }
    var below = 0.0
    for value in sorted {
      below += value.weight
      if below >= half { return value.cents }
    }
    return sorted[sorted.count - 1].cents
  }
}

/// Learns the reference from a note that somebody plays: the piano's A before the strings tune, or any other note of it.
///
/// ```swift
/// var learner = try ReferenceLearner(tuning: .standard, note: .a4)
/// for frame in frames { learner.add(frequency: frame.frequency, confidence: frame.confidence) }
/// if let found = learner.result, found.isEnough {
///   tuning = try tuning.with(reference: found.reference)
/// }
/// ```
///
/// The result is the mean of the readings in cents, weighted, without those that are far from the middle (see ``Result``).
public struct ReferenceLearner: Sendable {
  /// What was learned.
  ///
  /// Readings further from the weighted median than 3 times the spread are not used; the spread is 1.4826 times the median of the
  /// distances, as it is of a normal distribution, and at least ``ReferenceLearner/minimumSpread``. For a reading that came with
  /// a larger deviation it is that one.
  public struct Result: Sendable, Hashable {
    /// What A4 sounds at, in Hz.
    public let reference: Double
    /// The standard error of the reference, in cents: the spread of the readings that were used over the root of how many of them
    /// are independent.
    public let uncertainty: Double
    /// How many readings the mean is of.
    public let used: Int
    /// How many of those kept are left out as outliers.
    public let rejected: Int
    /// Whether there are enough, and the uncertainty is small enough, for ``ReferenceLearner/Goal``.
    public let isEnough: Bool

    /// The standard error in Hz.
    public var uncertaintyHertz: Double { reference * (Tuning.ratio(cents: uncertainty) - 1) }
  }

  /// When it has enough.
  public struct Goal: Sendable, Hashable {
    /// The fewest readings that are used, 3 or more.
    public var readings: Int
    /// The largest uncertainty, in cents, above 0.
    public var uncertainty: Double
    /// How many readings in a row share their samples: the window divided by the hop of the analysis, 1 or more. That many count
    /// as one in the uncertainty.
    public var overlap: Int

    /// A goal; each value has its documented range.
    public init(readings: Int = 40, uncertainty: Double = 0.2, overlap: Int = 8) {
      self.readings = readings
      self.uncertainty = uncertainty
      self.overlap = overlap
    }
  }

  /// The most readings that are kept; the oldest give way.
  public static let maximumReadingCount = 4_096
  /// The least spread of readings in cents: that of a perfect tone is no reason to reject what is a thousandth of a cent off.
  public static let minimumSpread = 0.05

  private struct Reading {
    /// Above what the tuning has for the note.
    let cents: Double
    let weight: Double
    /// In cents; 0 where it is not known.
    let deviation: Double
  }

  /// What the reference was before; everything but the reference stays.
  public let tuning: Tuning
  /// The written note that is played; nil: whichever is nearest to what sounds, within half a step of `tuning`.
  public let note: Note?
  /// When it has enough.
  public let goal: Goal

  private var readings: [Reading] = []
  /// Where the next reading goes when the most are there.
  private var oldest = 0

  /// A learner that knows nothing yet.
  ///
  /// - Parameters:
  ///   - tuning: its temperament, transposition, stretch and clock correction are taken into account.
  ///   - note: the written note that is played; nil for any.
  ///   - goal: when it has enough.
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

  /// Takes one reading.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz; nil when there is no tone.
  ///   - confidence: 0 to 1; the weight grows with it.
  ///   - deviation: the standard deviation of the frequency in cents, above 0; the weight falls with its square. Nil where it
  ///     is not known, which weighs as 1 cent does.
  /// - Returns: whether it was taken: not without a tone, and not when the reference would be out of ``Tuning/referenceRange``.
  @discardableResult
  public mutating func add(frequency: Double?, confidence: Double, deviation: Double? = nil) -> Bool {
    guard let frequency, let actual = tuning.corrected(frequency), confidence > 0, confidence <= 1,
      deviation.map({ $0 > 0 }) ?? true
    else {
      return false
    }
    let target = note.map(tuning.frequency(of:)) ?? tuning.reading(of: frequency)?.target
    guard let target, Tuning.referenceRange.contains(tuning.reference * actual / target) else { return false }
    // A deviation beyond reason would let one reading outweigh all.
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

  /// Forgets all readings.
  public mutating func reset() {
    readings = []
    oldest = 0
  }

  /// What is known so far; nil before the third reading.
  public var result: Result? {
    guard readings.count >= 3 else { return nil }
    let middle = Self.median(readings.map { ($0.cents, $0.weight) })
    let spread = 1.4826 * Self.median(readings.map { (abs($0.cents - middle), $0.weight) })
    let used = readings.filter { abs($0.cents - middle) <= 3 * max(spread, Self.minimumSpread, $0.deviation) }
    let weight = used.reduce(0) { $0 + $1.weight }
    let mean = used.reduce(0) { $0 + $1.weight * $1.cents } / weight
    let variance = used.reduce(0) { $0 + $1.weight * ($1.cents - mean) * ($1.cents - mean) } / weight
    // How many readings of equal weight say as much (L. Kish, "Survey Sampling", 1965), and of these, how many are independent.
    let squares = used.reduce(0) { $0 + $1.weight * $1.weight }
    let independent = max(1, weight * weight / squares / Double(goal.overlap))
    // The mean is taken from the same readings, which makes the spread seem smaller.
    let correction = independent > 1 ? independent / (independent - 1) : 1
    let uncertainty =
      independent > 1 ? (variance * correction / independent).squareRoot() : max(spread, Self.minimumSpread)
    // Each of them gives a reference within the range, and so does their mean but for the last digit.
    let range = Tuning.referenceRange
    let reference = min(max(tuning.reference * Tuning.ratio(cents: mean), range.lowerBound), range.upperBound)
    return Result(
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

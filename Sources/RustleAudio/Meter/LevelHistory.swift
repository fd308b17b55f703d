/// The readings of a measurement over time, in a fixed size: for a chart of a measurement of any length.
///
/// ```swift
/// var history = LevelHistory()
/// for try await reading in try await meter.readings(of: input) { history.add(reading) }
/// let highest = history.points.map(\.level).max()
/// ```
///
/// At ``maximumPointCount`` points, neighbours are merged into one with the higher level.
public struct LevelHistory: Sendable {
  /// The most points, far more than a chart has columns.
  public static let maximumPointCount = 16_384

  /// A point of the history. Levels are in dB as in ``SoundLevelReading``.
  public struct Point: Sendable, Hashable {
    /// The seconds since the beginning of the measurement.
    public let seconds: Double
    /// The highest time-weighted level of the point's readings, in dB.
    public let level: Double
    /// The time-averaged level since the beginning, in dB.
    public let equivalentContinuousLevel: Double
  }

  /// The points by ascending time.
  public private(set) var points: [Point] = []
  /// The number of readings in each zone, by its raw value.
  private var readingsPerZone = [Int](repeating: 0, count: LevelZone.allCases.count)
  private var latest = 0.0
  /// The readings of a point, and the number and highest level of those of the next one.
  private var readingsPerPoint = 1
  private var pending: (count: Int, level: Double) = (0, -.infinity)

  /// Creates an empty history.
  public init() {}

  /// Adds a reading. One that is earlier than the last begins a new measurement: the older points are discarded.
  public mutating func add(_ reading: SoundLevelReading) {
    if reading.seconds < latest { self = Self() }
    latest = reading.seconds
    readingsPerZone[reading.levelZone.rawValue] += 1
    pending = (pending.count + 1, max(pending.level, reading.level))
    guard pending.count == readingsPerPoint else { return }
    points.append(
      Point(
        seconds: reading.seconds, level: pending.level,
        equivalentContinuousLevel: reading.equivalentContinuousLevel))
    pending = (0, -.infinity)
    guard points.count == Self.maximumPointCount else { return }
    points = stride(from: 1, to: points.count, by: 2).map { index in
      let (first, second) = (points[index - 1], points[index])
      return Point(
        seconds: second.seconds, level: max(first.level, second.level),
        equivalentContinuousLevel: second.equivalentContinuousLevel)
    }
    readingsPerPoint *= 2
  }

  /// Returns the share of the readings in a zone, 0 to 1; nil without readings.
  public func share(of zone: LevelZone) -> Double? {
    let count = readingsPerZone.reduce(0, +)
    return count == 0 ? nil : Double(readingsPerZone[zone.rawValue]) / Double(count)
  }
}

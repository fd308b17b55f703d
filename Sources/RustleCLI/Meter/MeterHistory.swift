import RustleAudio
import RustlePlot

/// The levels of a measurement over time, for a picture. At its size limit, pairs of points are merged into the one with
/// the higher level.
struct MeterHistory: Sendable {
  /// The largest number of points, far more than a picture has columns.
  static let limit = 16_384

  private(set) var seconds: [Double] = []
  private(set) var levels: [Double] = []
  private(set) var equivalents: [Double] = []
  /// The readings of a point, and the count and highest level of the incomplete one.
  private var readingsPerPoint = 1
  private var pending: (count: Int, level: Double) = (0, -.infinity)

  mutating func add(_ state: MeterState) {
    // A new measurement begins at time 0.
    if let last = seconds.last, state.seconds < last { self = Self() }
    pending = (pending.count + 1, max(pending.level, state.level))
    guard pending.count == readingsPerPoint else { return }
    seconds.append(state.seconds)
    levels.append(pending.level)
    equivalents.append(state.equivalentContinuousLevel)
    pending = (0, -.infinity)
    if seconds.count == Self.limit { halve() }
  }

  private mutating func halve() {
    let pairs = stride(from: 1, to: seconds.count, by: 2)
    levels = pairs.map { max(levels[$0 - 1], levels[$0]) }
    equivalents = pairs.map { equivalents[$0] }
    seconds = pairs.map { seconds[$0] }
    readingsPerPoint *= 2
  }

  /// Draws both levels into a PNG file.
  func write(_ state: MeterState, _ subject: SoundSubject, to path: String) throws(PlotError) {
    try LevelPicture.write(
      [(state.levelName, seconds, levels), (state.equivalentName, seconds, equivalents)], title: subject.title,
      subtitle: "\(subject.line); \(state.weightingText); \(state.calibration)", unit: state.unit, to: path)
  }
}

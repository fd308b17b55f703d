import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct LevelHistoryTests {
  static func reading(_ seconds: Double, _ level: Double, _ zone: LevelZone = .silent) -> SoundLevelReading {
    var reading = SoundLevelReading()
    (reading.seconds, reading.level, reading.equivalentContinuousLevel) = (seconds, level, level - 1)
    reading.levelZone = zone
    return reading
  }

  @Test func longMeasurementKeepsItsPeaksInAFixedSize() {
    var history = LevelHistory()
    let limit = LevelHistory.maximumPointCount
    let count = 10 * limit
    for index in 1...count { history.add(Self.reading(Double(index), index.isMultiple(of: 5_000) ? 0 : -50)) }
    let points = history.points
    #expect(points.count < limit && points.count > limit / 4)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
    #expect(points.count { $0.level == 0 } == count / 5_000)
    #expect(points.allSatisfy { $0.equivalentContinuousLevel == -1 || $0.equivalentContinuousLevel == -51 })
  }

  @Test func newMeasurementBeginsANewHistory() {
    var history = LevelHistory()
    for seconds in [1, 2, 3, 0.5, 1] { history.add(Self.reading(seconds, -20, seconds == 3 ? .loud : .quiet)) }
    #expect(history.points.map(\.seconds) == [0.5, 1])
    #expect(history.share(of: .quiet) == 1 && history.share(of: .loud) == 0)
  }

  @Test func sharesAreThoseOfTheReadings() {
    var history = LevelHistory()
    #expect(history.share(of: .silent) == nil)
    for zone in [LevelZone.silent, .quiet, .quiet, .loud] { history.add(Self.reading(1, -20, zone)) }
    #expect(LevelZone.allCases.map { history.share(of: $0) } == [0.25, 0.5, 0, 0, 0.25])
  }
}

import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NoiseClassTests {
  /// The power of a value: the formula of DisplayScale the other way round.
  private func power(ofValue value: Double) -> Double {
    20 * log10(pow(value / 120, 2) * (1 - 1e-4) + 1e-4)
  }

  @Test(arguments: [
    (0.0, LevelZone.silent), (49.99, .silent), (50.001, .quiet), (74.99, .quiet), (75.001, .average),
    (89.99, .average),
    (90.001, .noisy), (99.99, .noisy), (100.001, .loud), (119.99, .loud), (120, .loud),
  ])
  func valueHasItsZone(value: Double, levelZone: LevelZone) throws {
    let shown = try DisplayScale.value(ofPower: power(ofValue: value))
    #expect(abs(shown.value - value) < 1e-9)
    #expect(shown.levelZone == levelZone)
  }

  /// The two powers next to each other between which the value comes to the edge: the upper one has the upper class.
  @Test(arguments: [(50.0, LevelZone.silent), (75, .quiet), (90, .average), (100, .noisy)])
  func edgeBelongsToTheClassAboveIt(edge: Double, below: LevelZone) throws {
    var (low, high) = (power(ofValue: edge - 1), power(ofValue: edge + 1))
    while low.nextUp < high {
      let middle = low + (high - low) / 2
      if try DisplayScale.value(ofPower: middle).value < edge { low = middle } else { high = middle }
    }
    #expect(try DisplayScale.value(ofPower: low).levelZone == below)
    let above = try DisplayScale.value(ofPower: high)
    #expect(above.value >= edge)
    #expect(above.levelZone.rawValue == below.rawValue + 1)
  }

  @Test func endsOfTheScaleAreOnIt() throws {
    for power in [0, 1, 100, .infinity] {
      let shown = try DisplayScale.value(ofPower: power)
      #expect(shown.value == 120 && shown.levelZone == .loud)
    }
    for power in [-80.001, -1_000, -.infinity, .nan] {
      let shown = try DisplayScale.value(ofPower: power)
      #expect(shown.value == 0 && shown.levelZone == .silent)
    }
    #expect(DisplayScale.range == 0...120)
    #expect(abs(try DisplayScale.value(ofPower: -15.2).value - 50) < 0.05)
  }

  @Test(arguments: [
    (pow(10, -60.0 / 20), LevelZone.silent), (0.3, .quiet), (0.5, .average), (0.65, .noisy), (1, .loud),
  ])
  func meterShowsTheClassOfAConstantPower(amplitude: Double, levelZone: LevelZone) async throws {
    let format = try AudioFormat(sampleRate: 48_000, channels: 1)
    let meter = try SoundLevelMeter(format: format)
    // A square wave: its power is that of its amplitude.
    let samples = (0..<96_000).map { Float($0 % 48 < 24 ? amplitude : -amplitude) }
    try await meter.process(PCMBuffer(format: format, wholeFrames: samples, position: 0))
    let reading = try await meter.reading
    #expect(reading.levelZone == levelZone)
    #expect(abs(reading.displayValue - (try DisplayScale.value(ofPower: 20 * log10(amplitude)).value)) < 0.01)
  }

  @Test func classesAreOrderedAndNamed() {
    #expect(LevelZone.allCases.map(\.name) == ["silent", "quiet", "average", "noisy", "loud"])
    #expect(LevelZone.allCases == LevelZone.allCases.sorted())
    #expect(LevelZone.silent < .loud && !(LevelZone.noisy < .noisy))
  }

  @Test func levelsHaveTheirSymbolsAndTheUnitOfTheCalibration() {
    var reading = SoundLevelReading()
    (reading.equivalentContinuousLevel, reading.minimum) = (-23, nil)
    #expect(reading.levels.map(\.name) == ["LAeq", "LAFmax", "LAFmin", "LCpeak", "LAE"])
    #expect(reading.levels[0] == .init("LAeq", -23, "dBFS") && reading.levels[2].level == nil)
    #expect(reading.exceedanceLevels.map(\.name) == ["LAF5", "LAF10", "LAF50", "LAF90", "LAF95"])
    reading.calibration = Calibration(offset: 100)
    #expect(reading.levels.allSatisfy { $0.unit == reading.calibration.unit })
  }
}

import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct CalibrationMeasurementTests {
  static func reading(_ seconds: Double, _ level: Double, overloads: Int = 0) -> SoundLevelReading {
    var reading = SoundLevelReading()
    (reading.seconds, reading.equivalentContinuousLevel, reading.overloads) = (seconds, level, overloads)
    return reading
  }

  /// The measurement of pieces of half a second with these levels.
  static func measurement(_ levels: [Double]) -> CalibrationMeasurement {
    var (measurement, energy) = (CalibrationMeasurement(reference: 94), 0.0)
    for (index, level) in levels.enumerated() {
      let seconds = Double(index + 1) / 2
      energy += pow(10, level / 10) / 2
      // Readings that come sooner than a piece is over count for nothing.
      measurement.add(reading(seconds - 0.25, -200))
      measurement.add(reading(seconds, 10 * log10(energy / seconds)))
    }
    return measurement
  }

  @Test func driftIsThatOfThePieces() throws {
    #expect(Self.measurement([]).drift == nil && Self.measurement([-.infinity, -.infinity]).drift == nil)
    #expect(abs(try #require(Self.measurement([-20, -20, -20]).drift)) < 1e-9)
    #expect(abs(try #require(Self.measurement([-20, -26, -23]).drift) - 6) < 1e-9)
    #expect(Self.measurement([-20, -.infinity]).drift == .infinity)
  }

  @Test func steadySoundGivesTheOffset() throws {
    let offset = try #require(try Self.measurement([-20, -20.4, -20.2]).calibration().offset)
    #expect(abs(offset - 114.2) < 0.01)
    // From a meter that is calibrated already.
    var measurement = CalibrationMeasurement(reference: 94)
    for seconds in [0.5, 1, 1.5] {
      var reading = Self.reading(seconds, 93.5)
      reading.calibration = Calibration(offset: 117)
      measurement.add(reading)
    }
    #expect(try measurement.calibration().offset == 117.5)
    #expect(abs(try #require(measurement.drift)) < 1e-9)
  }

  @Test(arguments: [
    ([-20, -20.74], 0, "whose level drifts by at most 0.5 dB, got a drift of 0.7 dB"),
    ([-20, -Double.infinity], 0, "whose level drifts by at most 0.5 dB, got silence in it"),
    ([-Double.infinity], 0, "of 94 dB, got silence"), ([], 0, "of 94 dB, got silence"),
    ([-1.0], 7, "below full scale, got 7 samples at or beyond it"),
  ])
  func soundThatMovesIsRefused(levels: [Double], overloads: Int, text: String) throws {
    var measurement = Self.measurement(levels)
    if overloads > 0 { measurement.add(Self.reading(5, -1, overloads: overloads)) }
    let error = #expect(throws: AudioError.self) { try measurement.calibration() }
    #expect(error?.code == .validation && error?.message == "expected a sound \(text)")
  }
}

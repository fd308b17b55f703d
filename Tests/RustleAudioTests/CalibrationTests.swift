import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct CalibrationTests {
  @Test func matchingIsWhatTheMeterLacked() throws {
    let first = try Calibration.uncalibrated.matching(reading: -23.01, to: 94)
    #expect(first.offset == 117.01)
    #expect(first.isCalibrated && first.unit == "dB")
    // Made from a meter that is calibrated already.
    let second = try first.matching(reading: 93.5, to: 94)
    #expect(abs((second.offset ?? 0) - 117.51) < 1e-12)
    let response = try MicrophoneResponse(points: [.init(frequency: 1_000, deviation: 1)])
    #expect(try Calibration(response: response).matching(reading: 0, to: 1).response == response)
  }

  @Test(arguments: [(-Double.infinity, 94.0), (.nan, 94), (-20, .infinity), (-20, .nan)])
  func levelsOfNoSoundAreRefused(reading: Double, reference: Double) {
    let error = #expect(throws: AudioError.self) {
      _ = try Calibration.uncalibrated.matching(reading: reading, to: reference)
    }
    #expect(error?.code == .validation)
  }

  @Test func descriptionSaysTheState() throws {
    let points = (1...31).map { MicrophoneResponse.Point(frequency: Double($0) * 100, deviation: 0) }
    let response = try MicrophoneResponse(points: points)
    #expect("\(Calibration.uncalibrated)" == "not calibrated")
    #expect("\(Calibration(offset: 94, response: response))" == "calibrated, +94.0 dB, response of 31 points")
    #expect("\(Calibration(offset: -3.26))" == "calibrated, -3.3 dB")
    #expect(!Calibration(response: response).isCalibrated)
    #expect(Calibration.uncalibrated.unit == "dBFS")
  }
}

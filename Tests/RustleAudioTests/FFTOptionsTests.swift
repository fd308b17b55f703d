import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct FFTOptionsTests {
  @Test func emptyDictionaryGivesTheDefaults() throws {
    let options = try FFTOptions([:])
    #expect(options == FFTOptions(fftSize: nil, window: .hann, sampleRate: 44_100))
  }

  @Test func numbersOfAnyTypeAreTaken() throws {
    let sizes: [any Sendable] = [512, Int32(512), UInt16(512), 512.0, Float(512), NSNumber(value: 512)]
    for size in sizes { #expect(try FFTOptions(["fftSize": size]).fftSize == 512) }
    let rates: [any Sendable] = [48_000, 48_000.0, Float(48_000), UInt32(48_000), NSNumber(value: 48_000.0)]
    for rate in rates { #expect(try FFTOptions(["sampleRate": rate]).sampleRate == 48_000) }
  }

  @Test func everyWindowNameIsTaken() throws {
    for name in WindowFunction.names {
      #expect(try FFTOptions(["windowType": name]).window == WindowFunction(name: name))
    }
  }

  @Test(
    arguments: [
      ("fftSize", "512", "fftSize: expected a whole number, got 512 of type String"),
      ("fftSize", 512.5, "fftSize: expected a whole number, got 512.5 of type Double"),
      ("fftSize", Double.nan, "fftSize: expected a whole number, got nan of type Double"),
      ("fftSize", 1e300, "fftSize: expected a whole number, got 1e+300 of type Double"),
      ("fftSize", true, "fftSize: expected a whole number, got true of type Bool"),
      ("windowType", 1, "windowType: expected a text, got 1 of type Int"),
      ("sampleRate", "fast", "sampleRate: expected a number, got fast of type String"),
      (
        "windowType", "kaiser",
        "windowType: expected one of none, rectangular, hann, hanning, hamming, blackman, got \"kaiser\""
      ),
      ("fftsize", 512, "options: expected fftSize, windowType or sampleRate, got \"fftsize\""),
    ] as [(String, any Sendable, String)])
  func wrongOptionIsRefused(name: String, value: any Sendable, message: String) {
    let error = #expect(throws: FFTError.self) { try FFTOptions([name: value]) }
    #expect(error?.code == .validation)
    #expect(error?.message == message)
  }
}
